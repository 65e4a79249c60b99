/**
 * Definitions that must not be recomputed: their buffer may share memory with one that is stored to at the same place, in the same block.
 */
import type { Definition, DType, Statement } from "@fuseau/ir";

/** The definitions that read what a statement beside them may overwrite. Inner loops have blocks of their own. */
export function overwrittenBy(
  beside: readonly Statement[],
  dtypeOf: (buffer: number) => DType,
): (definition: Definition) => boolean {
  const dtypes = new Set(beside.flatMap((each) => (each.kind === "store" ? [dtypeOf(each.buffer)] : [])));
  return (each) => each.kind === "let" && each.value.kind === "load" && dtypes.has(each.dtype);
}

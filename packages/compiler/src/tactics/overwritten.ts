/** What may not be read once more: a buffer that is read may be the memory of one that is stored to at the same place, in the same block. */
import type { Definition, DType, Statement } from "@fuseau/ir";

/** Which definitions read what one of the statements beside them may overwrite. Loops within have blocks of their own. */
export function overwrittenBy(
  beside: readonly Statement[],
  dtypeOf: (buffer: number) => DType,
): (definition: Definition) => boolean {
  const dtypes = new Set(beside.flatMap((each) => (each.kind === "store" ? [dtypeOf(each.buffer)] : [])));
  return (each) => each.kind === "let" && each.value.kind === "load" && dtypes.has(each.dtype);
}

/** Writes to places that indices select. */
import * as advanced from "../ops/indexing-advanced.ts";
import { slice } from "../ops/movement.ts";
import { checkedTerm, Tensor, unwrap } from "../tensor/handle.ts";
import type { IndexItem } from "../tensor/indexing-types.ts";
import type { AnyTensor, Operand } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { wrapView, writeInto } from "./alias.ts";

/** The indices with values in place of tensors. */
export const itemsOf = (indices: readonly IndexItem[]): readonly advanced.AnyIndex[] =>
  Array.isArray(indices)
    ? indices.map((item: IndexItem) => (item instanceof Tensor ? unwrap(item) : item))
    : (indices as readonly []);

/** Writes through the view that the slices among the indices select. Which of its places the tensors select is decided by `toWrite`. */
export function writeAt<T extends AnyTensor>(
  op: string,
  target: T,
  indices: readonly IndexItem[],
  toWrite: (x: Value) => Value,
  accumulate: boolean,
): T {
  const { shape } = unwrap(target).node;
  const resolved = advanced.resolveIndices(shape, advanced.withoutNumbers(op, itemsOf(indices)));
  const view = wrapView(target, slice(unwrap(target), resolved.basic));
  const x = unwrap(view);
  writeInto(op, view, advanced.written(op, x, resolved.tensors, toWrite(x), accumulate));
  return target;
}

/** Writes values of the target's dtype, which are broadcast. */
export const putAt = <T extends AnyTensor>(
  op: string,
  target: T,
  indices: readonly IndexItem[],
  values: Operand,
  accumulate: boolean,
): T => writeAt(op, target, indices, (x) => advanced.putValue(x, checkedTerm(values)), accumulate);

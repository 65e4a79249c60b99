/** Lists of tensors as arguments. */
import type { DType, Promote } from "@fuseau/ir";
import { isForeign } from "../messages/given.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The shapes of a list of tensors. */
export type ShapesOf<L extends readonly AnyTensor[]> = { [Index in keyof L]: L[Index][ShapeKey] };

/** The dtype that a list of tensors is promoted to. */
export type PromoteList<L extends readonly AnyTensor[], D extends DType = "bool"> = number extends L["length"]
  ? L[number]["dtype"]
  : L extends readonly [infer First extends AnyTensor, ...infer Rest extends readonly AnyTensor[]]
    ? PromoteList<Rest, Promote<D, First["dtype"]>>
    : D;

/** The values of a list of tensors. @throws TypeError for anything else. */
export function valuesOf(tensors: readonly AnyTensor[]): Value[] {
  if (Array.isArray(tensors)) return tensors.map(unwrap);
  const given = isForeign(tensors) ? "a Tensor (several are an array: [a, b])" : typeof tensors;
  throw new TypeError(`(): argument 'tensors' must be an array of Tensors, not ${given}`);
}

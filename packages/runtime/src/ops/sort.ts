/** Sorting along an axis. A sorted element is gathered at its position in the order, so everything stays lazy. */
import { wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";

/** Elements that an op selects along an axis, and their positions. */
export type Picked = { readonly values: Value; readonly indices: Value };

/** A 0-d value has one place along any axis. */
export const alone = (x: Value): Picked => ({ values: x, indices: record.constant("int64", 0n) });

export const pickedAt = (x: Value, axis: number, indices: Value): Picked => ({
  values: record.pick(x, axis, indices),
  indices,
});

/** The positions in sorted order: a stable sort, with NaN the largest. */
export function argsort(x: Value, dim: number, descending: boolean): Value {
  const axis = wrapAxis(dim, x.node.shape);
  return x.node.shape.length === 0 ? alone(x).indices : record.argsort(x, axis, descending);
}

export function sort(x: Value, dim: number, descending: boolean): Picked {
  if (x.node.shape.length === 0) return { values: x, indices: argsort(x, dim, descending) };
  return pickedAt(x, wrapAxis(dim, x.node.shape), argsort(x, dim, descending));
}

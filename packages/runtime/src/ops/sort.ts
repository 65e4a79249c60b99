/** Orders along an axis. A sorted element is the element at its place in the order, so that all of this stays lazy. */
import { wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";

/** The elements that an op picks along an axis, and their places there. */
export type Picked = { readonly values: Value; readonly indices: Value };

/** A 0-d value has one place along any axis. */
export const alone = (x: Value): Picked => ({ values: x, indices: record.constant("int64", 0n) });

export const pickedAt = (x: Value, axis: number, indices: Value): Picked => ({
  values: record.pick(x, axis, indices),
  indices,
});

/** The places in order, equal elements in their own; NaN is the largest. */
export function argsort(x: Value, dim: number, descending: boolean): Value {
  const axis = wrapAxis(dim, x.node.shape);
  return x.node.shape.length === 0 ? alone(x).indices : record.argsort(x, axis, descending);
}

export function sort(x: Value, dim: number, descending: boolean): Picked {
  if (x.node.shape.length === 0) return { values: x, indices: argsort(x, dim, descending) };
  return pickedAt(x, wrapAxis(dim, x.node.shape), argsort(x, dim, descending));
}

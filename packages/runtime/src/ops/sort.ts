/** Orders along an axis. A sorted element is the element at its place in the order, so that all of this stays lazy. */
import { checkInteger, checkNotEmpty, isFloat, wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { narrowed, withShape } from "./movement.ts";
import { add, maximum, ne, sub, where, zip } from "./pointwise.ts";
import { oneOfAll, sum } from "./reduction.ts";

/** The elements that an op picks along an axis, and their places there. */
export type Picked = { readonly values: Value; readonly indices: Value };

const zero = (): Value => record.constant("int64", 0n);

/** The places in order, equal elements in their own; NaN is the largest. */
export function argsort(x: Value, dim: number, descending: boolean): Value {
  const axis = wrapAxis(dim, x.node.shape);
  return x.node.shape.length === 0 ? zero() : record.argsort(x, axis, descending);
}

export function sort(x: Value, dim: number, descending: boolean): Picked {
  const axis = wrapAxis(dim, x.node.shape);
  if (x.node.shape.length === 0) return alone(x);
  return at(x, axis, record.argsort(x, axis, descending));
}

/** A 0-d value has one place along any axis. */
const alone = (x: Value): Picked => ({ values: x, indices: zero() });

const at = (x: Value, axis: number, indices: Value): Picked => ({
  values: record.pick(x, axis, indices),
  indices,
});

/** Without the axis, of which one place is left, unless it is kept. */
function withoutAxis(picked: Picked, axis: number, keepdim: boolean): Picked {
  if (keepdim) return picked;
  const { values, indices } = picked;
  const shape = values.node.shape.filter((_, other) => other !== axis);
  return { values: withShape(values, shape), indices: withShape(indices, shape) };
}

/** @throws RangeError unless 0 ≤ k ≤ the size of the axis. */
export function topk(x: Value, k: number, dim: number, largest: boolean): Picked {
  const { shape } = x.node;
  const axis = wrapAxis(dim, shape);
  checkRank(k, 0, shape[axis] ?? 1, axis);
  if (shape.length === 0) return alone(x);
  return at(x, axis, narrowed(record.argsort(x, axis, largest), axis, 0, k));
}

/** @throws RangeError unless 1 ≤ k ≤ the size of the axis. */
export function kthvalue(x: Value, k: number, dim: number, keepdim: boolean): Picked {
  const { shape } = x.node;
  const axis = wrapAxis(dim, shape);
  checkNotEmpty(shape, [axis], false);
  checkRank(k, 1, shape[axis] ?? 1, axis);
  if (shape.length === 0) return alone(x);
  const order = record.argsort(x, axis, false);
  return withoutAxis(at(x, axis, narrowed(order, axis, k - 1, 1)), axis, keepdim);
}

function checkRank(k: number, least: number, size: number, axis: number): void {
  checkInteger("k", k);
  if (k >= least && k <= size) return;
  throw new RangeError(`selected index k out of range (k is ${k}, dimension ${axis} has ${size} elements)`);
}

/** The lower middle along an axis. A NaN is the median, unless NaNs are left out. */
export function median(op: "median" | "nanmedian", x: Value, dim: number, keepdim: boolean): Picked {
  const { shape } = x.node;
  const axis = wrapAxis(dim, shape);
  checkNotEmpty(shape, [axis], false);
  if (shape.length === 0) return alone(x);
  const order = record.argsort(x, axis, false);
  const middle = (shape[axis]! - 1) >> 1;
  const place = isFloat(x.node.dtype)
    ? record.pick(order, axis, middleOf(op, x, axis, middle))
    : narrowed(order, axis, middle, 1);
  return withoutAxis(at(x, axis, place), axis, keepdim);
}

/** The place of the median in the order: NaNs come last there, and the first of them stands for all. */
function middleOf(op: "median" | "nanmedian", x: Value, axis: number, middle: number): Value {
  const numbers = sum(zip("eq", x, x), axis, true, null);
  if (op === "nanmedian") {
    return zip("floorDivide", maximum(sub(numbers, 1), 0), 2);
  }
  return where(zip("eq", numbers, x.node.shape[axis]!), middle, numbers);
}

/** The lower middle of all elements; of none NaN. */
export function medianOfAll(op: "median" | "nanmedian", x: Value): Value {
  const count = x.node.shape.reduce((product, size) => product * size, 1);
  if (count === 0) return record.cast(record.constant("float32", Number.NaN), x.node.dtype);
  const flat = withShape(x, [count]);
  return oneOfAll(op, flat, [0], () => median(op, flat, 0, false).values);
}

/** The smallest of the most frequent elements along an axis, and its last place. NaNs are all different. */
export function mode(x: Value, dim: number, keepdim: boolean): Picked {
  const { shape } = x.node;
  const axis = wrapAxis(dim, shape);
  checkNotEmpty(shape, [axis], false);
  if (shape.length === 0) return alone(x);
  const order = record.argsort(x, axis, false);
  const size = shape[axis]!;
  const place = record.reshape(
    record.iota("int64", size),
    shape.map((_, other) => (other === axis ? size : 1)),
  );
  const sorted = record.pick(x, axis, order);
  const differs = ne(narrowed(sorted, axis, 1, size - 1), narrowed(sorted, axis, 0, size - 1));
  const end = record.expand(
    record.constant("bool", 1),
    shape.map((length, other) => (other === axis ? 1 : length)),
  );
  const first = record.concat([end, differs], axis);
  const last = record.concat([differs, end], axis);
  const start = record.scan("max", where(first, place, 0), axis);
  const length = where(last, add(sub(place, start), 1), 0);
  const best = record.pick(order, axis, bestOf(length, axis));
  return withoutAxis(at(x, axis, best), axis, keepdim);
}

const bestOf = (lengths: Value, axis: number): Value => {
  const kept = lengths.node.shape.map((size, other) => (other === axis ? 1 : size));
  return withShape(record.reduce("argmax", lengths, [axis]), kept);
};

/** Derivatives of folds and scans. */
import { withShape } from "../../ops/movement.ts";
import { add, and, div, eq, exp, gt, le, log, lt, mul, neg, sub, where } from "../../ops/pointwise.ts";
import * as record from "../../record.ts";
import { filled, zerosOf } from "../../tape/constants.ts";
import { withRule } from "../../tape/rule.ts";
import { recording } from "../../tape/step.ts";
import type { Value } from "../../value.ts";
import { flipped, type NodeOf, unpermuted, unreduced } from "./linear.ts";

/** At each place, the sum of the elements along `axis` from there on. */
const sumAfter = (x: Value, axis: number): Value => flipped(record.scan("sum", flipped(x, axis), axis), axis);

const logSumAfter = (x: Value, axis: number): Value =>
  flipped(record.scan("logaddexp", flipped(x, axis), axis), axis);

/** Equal extrema share the gradient evenly, as in PyTorch's `amax` and full `max`. */
export function unextreme(g: Value, node: NodeOf<"reduce">, x: Value, result: Value): Value {
  const { axes } = node.attributes;
  const { shape, dtype } = x.node;
  const isBest = eq(x, unreduced(result, axes, shape));
  const count = record.cast(record.reduce("sum", record.cast(isBest, "int64"), axes), dtype);
  return mul(unreduced(div(g, count), axes, shape), record.cast(isBest, dtype));
}

/** The gradient of each element is the product of all others, which exists where some are 0 too. */
export function unproduct(g: Value, node: NodeOf<"reduce">, x: Value): Value {
  const { axes } = node.attributes;
  const { shape } = x.node;
  const order = [...shape.keys()].filter((axis) => !axes.includes(axis)).concat(axes);
  const kept = order.length - axes.length;
  const moved = record.permute(x, order);
  const sizes = moved.node.shape;
  const length = sizes.slice(kept).reduce((product, size) => product * size, 1);
  const flat = withShape(moved, [...sizes.slice(0, kept), length]);
  const others = mul(productBefore(flat, kept), flipped(productBefore(flipped(flat, kept), kept), kept));
  const back = unpermuted(withShape(others, sizes), order);
  return mul(unreduced(g, axes, shape), back);
}

/** At each place, the product of the elements along `axis` before it. */
function productBefore(x: Value, axis: number): Value {
  const { shape, dtype } = x.node;
  if (shape[axis] === 0) return x;
  const at = (start: number): number[] => shape.map((_, other) => (other === axis ? start : 0));
  const shifted = record.slice(
    record.pad(x, at(1), at(0), filled(dtype, [], 1)),
    at(0),
    shape.map(() => 1),
    shape,
  );
  return record.scan("prod", shifted, axis);
}

/** The derivative of a scan, by its function. */
export function unscan(g: Value, node: NodeOf<"scan">, x: Value, result: Value): Value | null {
  const { fn, axis } = node.attributes;
  switch (fn) {
    case "sum":
      return sumAfter(g, axis);
    case "prod":
      return recording.isOn ? unrunningProduct(g, x, axis) : unrunningProductByZeros(g, x, result, axis);
    case "max":
    case "min":
    case "lastMax":
    case "lastMin": {
      const place = record.scan(fn === "max" || fn === "lastMax" ? "lastArgmax" : "lastArgmin", x, axis);
      return record.scatter(zerosOf(x), axis, place, g, "sum");
    }
    case "logaddexp":
      return unrunningLogSum(g, x, result, axis);
    case "lastArgmax":
    case "lastArgmin":
      return null;
    default:
      return fn satisfies never;
  }
}

/**
 * Before the first 0 by division, at it by the products without it; after it nothing contributes. Cannot be differentiated again at a 0.
 */
function unrunningProductByZeros(g: Value, x: Value, result: Value, axis: number): Value {
  const isZero = eq(x, 0);
  const zeros = record.scan("sum", record.cast(isZero, "int64"), axis);
  const isFirst = and(isZero, eq(zeros, 1));
  const without = record.scan("prod", where(isFirst, 1, x), axis);
  const share = where(isFirst, sumAfter(mul(g, where(eq(zeros, 0), 0, without)), axis), 0);
  return where(eq(zeros, 0), div(sumAfter(mul(g, result), axis), where(isZero, 1, x)), share);
}

/** Σ over the later places of g times the product of all others up to there, as explicit products. It is differentiable wherever x is. */
function unrunningProduct(g: Value, x: Value, axis: number): Value {
  const { place, column, row } = pairs(x.node.shape, axis);
  // between[i, k] is the product of the elements after place i, up to place k.
  const between = record.scan("prod", where(lt(column(place), row(place)), row(x), 1), axis + 1);
  const isReached = le(column(place), row(place));
  const later = record.reduce("sum", where(isReached, mul(row(g), between), 0), [axis + 1]);
  return mul(later, productBefore(x, axis));
}

/**
 * Σ over the later places of g·exp(x − result), by logarithms of the positive and the negative part, which do not overflow. Mathematically
 * it is linear in g; as it is computed it is not.
 */
function unrunningLogSum(g: Value, x: Value, result: Value, axis: number): Value {
  const part = (sign: Value): Value => {
    const logarithm = where(gt(sign, 0), log(sign), Number.NEGATIVE_INFINITY);
    return exp(add(logSumAfter(sub(logarithm, result), axis), x));
  };
  return withRule(
    "logcumsumexpBackward",
    [g, x, result],
    () => sub(part(g), part(neg(g))),
    (_, h) => {
      const { place, column, row } = pairs(x.node.shape, axis);
      // weights[i, k] is exp(x[i] − result[k]) for k ≥ i.
      const weights = where(le(column(place), row(place)), exp(sub(column(x), row(result))), 0);
      const shares = mul(weights, mul(column(h), row(g)));
      return [
        record.reduce("sum", mul(weights, column(h)), [axis]),
        record.reduce("sum", shares, [axis + 1]),
        neg(record.reduce("sum", shares, [axis])),
      ];
    },
  );
}

/** All pairs of places along an axis: `column` repeats a value along the second place, `row` along the first. */
function pairs(shape: readonly number[], axis: number) {
  const size = shape[axis] as number;
  const [before, after] = [shape.slice(0, axis), shape.slice(axis + 1)];
  const sizes = [...before, size, size, ...after];
  return {
    /** The positions along the axis. */
    place: record.expand(record.reshape(record.iota("int64", size), [size, ...after.map(() => 1)]), shape),
    column: (x: Value): Value => record.expand(record.reshape(x, [...before, size, 1, ...after]), sizes),
    row: (x: Value): Value => record.expand(record.reshape(x, [...before, 1, size, ...after]), sizes),
  };
}

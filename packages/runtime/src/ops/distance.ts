/** Distances and lengths: norms along an axis. */

import {
  broadcastShapes,
  checkChoice,
  checkNumber,
  checkRank,
  DTypeError,
  elementCount,
  isFloat,
  ShapeError,
  sameNumbers,
  wrapAxis,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { transpose } from "./movement.ts";
import { as, checkSameDType, float, onlyFloat, promotePair, torchName } from "./operand.ts";
import { abs, add, div, eq, gt, map, maximum, mul, sqrt, sub, where } from "./pointwise.ts";
import { matmul } from "./product.ts";
import { norm, sum, sumToSize } from "./reduction.ts";

const cdistModes = [
  "useMmForEuclidDistIfNecessary",
  "useMmForEuclidDist",
  "donotUseMmForEuclidDist",
] as const;
/** Whether Euclidean distances are made of a product. PyTorch's modes, in camelCase. */
export type CdistMode = (typeof cdistModes)[number];

/** Rows above which PyTorch makes Euclidean distances of a product, and the shortest rows for which that is quicker. */
const [MANY_ROWS, LONG_ROW] = [25, 16];

/** The p-distances of every row of x1 to every row of x2, batch by batch. */
export function cdist(a: Value, b: Value, p: number, mode: CdistMode): Value {
  checkChoice("computeMode", mode, cdistModes);
  for (const [name, value] of [
    ["X1", a],
    ["X2", b],
  ] as const) {
    onlyFloat(value);
    if (value.node.shape.length < 2)
      throw new ShapeError(
        `cdist only supports at least 2D tensors, ${name} got: ${value.node.shape.length}D`,
      );
  }
  checkSameDType(a, b);
  const [rows, width] = a.node.shape.slice(-2) as [number, number];
  const [columns, otherWidth] = b.node.shape.slice(-2) as [number, number];
  if (width !== otherWidth)
    throw new ShapeError(`X1 and X2 must have the same number of columns. X1: ${width} X2: ${otherWidth}`);
  checkPower(p);
  const isProduct =
    mode === "useMmForEuclidDistIfNecessary"
      ? Math.max(rows, columns) > MANY_ROWS && width >= LONG_ROW
      : mode === "useMmForEuclidDist";
  if (p === 2 && isProduct) return euclidean(a, b);
  const batch = broadcastShapes(a.node.shape.slice(0, -2), b.node.shape.slice(0, -2));
  const one = record.reshape(a, [...a.node.shape.slice(0, -2), rows, 1, width]);
  const other = record.reshape(b, [...b.node.shape.slice(0, -2), 1, columns, width]);
  return distance(sub(one, other), p, [...batch, rows, columns]);
}

/** √(|a|² + |b|² − 2 a·b) of all pairs of rows. Where that is 0, no gradient flows. */
function euclidean(a: Value, b: Value): Value {
  const squares = (x: Value): Value => sum(mul(x, x), -1, true, null);
  const compute = (): Value => {
    const lengths = add(squares(a), transpose(squares(b), -2, -1));
    return sqrt(maximum(sub(lengths, mul(matmul(a, transpose(b, -2, -1)), 2)), 0));
  };
  return withRule("cdist", [a, b], compute, (result, g) => {
    const isZero = eq(result, 0);
    // The division by 0 must not be there for derivatives of the gradient either.
    const ratio = where(isZero, 0, div(g, where(isZero, 1, result)));
    const share = (x: Value, y: Value, weights: Value): Value =>
      sumToSize(sub(mul(x, sum(weights, -1, true, null)), matmul(weights, y)), x.node.shape);
    return [share(a, b, ratio), share(b, a, transpose(ratio, -2, -1))];
  });
}

/** The norm along the last axis; 0 if that is empty, also where the norm is an extreme. */
function distance(difference: Value, p: number, shape: readonly number[]): Value {
  if (difference.node.shape.at(-1) === 0)
    return withoutSlope(
      "cdist",
      [difference],
      record.expand(record.cast(record.constant("float64", 0), difference.node.dtype), shape),
    );
  const compute = (): Value => norm(difference, p, -1, false, null);
  if (p !== Number.POSITIVE_INFINITY) return compute();
  // Each of several largest differences has the whole gradient. In a norm they would share it.
  return withRule("cdist", [difference], compute, (result, g) => {
    const [size, share] = [result, g].map((value) => record.reshape(value, [...value.node.shape, 1]));
    const sign = map("sign", difference);
    return [where(eq(abs(difference), size as Value), mul(sign, share as Value), 0)];
  });
}

function checkPower(p: number): void {
  checkNumber("p", p);
  if (!(p >= 0)) throw new RangeError(`${kernelName()} only supports non-negative p values (got ${p})`);
}

/** The p-distances of all pairs of rows; pairs of the first row come first. */
export function pdist(x: Value, p: number): Value {
  checkRank("input", x.node.shape, 2, "matrix");
  onlyFloat(x);
  checkPower(p);
  const [rows, width] = x.node.shape as [number, number];
  const pairs = (rows * (rows - 1)) / 2;
  // Pair k: its first row is ⌊n − √(n² − 2k − 1)⌋ with n = rows − ½, which is exact in float64 below 2^26 rows.
  const n = rows - 0.5;
  const k = record.iota("float64", Math.max(0, pairs));
  const first = map("floor", sub(n, map("sqrt", sub(n * n - 1, mul(k, 2)))));
  const second = add(sub(k, mul(first, rows)), add(div(mul(first, add(first, 1)), 2), add(first, 1)));
  const row = (place: Value): Value =>
    record.pick(x, 0, record.expand(record.reshape(record.cast(place, "int64"), [pairs, 1]), [pairs, width]));
  return distance(sub(row(first), row(second)), p, [pairs]);
}

/**
 * The p-norm over all elements of the difference, which is broadcast; 0 if there are none.
 * @throws DTypeError unless one of the two is a float, and for bools.
 */
export function dist(a: Value, b: Value, p: number): Value {
  const difference = onlyFloat(sub(a, b));
  const { shape, dtype } = difference.node;
  if (elementCount(shape) > 0) return norm(difference, p, null, false, null);
  return withoutSlope("dist", [difference], filled(dtype, [], 0));
}

/** The p-norm of x1 − x2 + eps along the last axis. */
export const pairwiseDistance = (a: Value, b: Value, p: number, eps: number, keepdim: boolean): Value =>
  norm(add(sub(a, b), float(eps)), p, -1, keepdim, null);

/**
 * Σ x1·x2 / (|x1|·|x2|) along an axis. A length below eps counts as eps.
 * @throws DTypeError unless one of the two is a float.
 */
export function cosineSimilarity(a: Value, b: Value, dim: number, eps: number): Value {
  const dtype = promotePair(a, b);
  if (!isFloat(dtype))
    throw new DTypeError(
      `expected common dtype to be floating point, yet common dtype is ${torchName[dtype]} (cast one of them, e.g. to("float32"))`,
    );
  const [left, right] = [as(dtype, a), as(dtype, b)];
  const shape = broadcastShapes(left.node.shape, right.node.shape);
  wrapAxis(dim, shape);
  const grown = (x: Value): Value => (sameNumbers(x.node.shape, shape) ? x : record.expand(x, shape));
  const unit = (x: Value): Value => div(x, maximum(norm(x, 2, dim, true, null), eps));
  return sum(mul(unit(grown(left)), unit(grown(right))), dim, false, null);
}

/** x divided by its p-norm along an axis. A norm below eps counts as eps. */
export const normalize = (x: Value, p: number, dim: number | readonly number[], eps: number): Value =>
  div(x, maximum(norm(x, p, dim, true, null), eps));

/** Every slice along `dim` scaled down to a p-norm of at most `largest`. */
export function renorm(x: Value, p: number, dim: number, largest: number): Value {
  const { shape } = x.node;
  if (shape.length < 2)
    throw new ShapeError(`renorm: input needs at least 2 dimensions, got ${shape.length} dimensions`);
  if (!(p > 0)) throw new RangeError("renorm: non-positive-norm not supported");
  if (!(largest >= 0)) throw new RangeError(`renorm: expected maxnorm to be >= 0 but got ${largest}`);
  const axis = wrapAxis(dim, shape);
  if (elementCount(shape) === 0) return x;
  const others = shape.map((_, other) => other).filter((other) => other !== axis);
  const lengths = norm(onlyFloat(x), p, others, true, null);
  const factor = where(gt(lengths, largest), div(largest, add(lengths, 1e-7)), 1);
  return mul(x, factor);
}

/** Products that PyTorch defines through the product of matrices, and sums of such with what is there already. */
import {
  broadcastShapes,
  checkInteger,
  checkIntegers,
  checkRank,
  DTypeError,
  isFloat,
  type Scalar,
  ShapeError,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { numberOf } from "./creation.ts";
import { expand, roll, withShape } from "./movement.ts";
import { add, mul, sub } from "./pointwise.ts";
import { dot, matmul } from "./product.ts";
import { sum } from "./reduction.ts";

/** What a product and what it is added to are scaled by. */
export interface Scales {
  readonly beta: Scalar;
  readonly alpha: Scalar;
}

/**
 * beta·self + alpha·product. When beta is 0, self is not read: its NaN stays out. Scales of integers are cut to integers.
 * @throws ShapeError when self does not expand to the product.
 */
export function combine(self: Value, product: Value, { beta, alpha }: Scales): Value {
  const { dtype, shape } = product.node;
  if (self.node.dtype !== dtype) {
    throw new DTypeError(`self and mat2 must have the same dtype, but got ${self.node.dtype} and ${dtype}`);
  }
  const whole = !isFloat(dtype);
  const scale = (by: Scalar): number => (whole ? Math.trunc(numberOf(by)) : numberOf(by));
  const grown = expand(self, shape);
  const scaled = (x: Value, by: number): Value =>
    by === 1 ? x : dtype === "bool" ? mul(x, by !== 0) : mul(x, by);
  const right = scaled(product, scale(alpha));
  return scale(beta) === 0 ? right : add(scaled(grown, scale(beta)), right);
}

/** Σ x1[i]·weight[o, i, j]·x2[j] + bias. */
export function bilinear(a: Value, b: Value, weight: Value, bias: Value | null): Value {
  checkRank("weight", weight.node.shape, 3, "3D tensor");
  const [results, left, right] = weight.node.shape as [number, number, number];
  const leading = a.node.shape.slice(0, -1);
  if (!sameNumbers(leading, b.node.shape.slice(0, -1))) {
    throw new ShapeError(
      `bilinear(): input batch dimensions do not match: got ${showShape(a.node.shape)} and ${showShape(b.node.shape)}`,
    );
  }
  for (const [name, value, size, axis] of [
    ["input1", a, left, 1],
    ["input2", b, right, 2],
  ] as const) {
    const own = value.node.shape.at(-1);
    if (own === size) continue;
    throw new ShapeError(
      `bilinear(): ${name} size does not match weight size: got ${own} but expected ${size} (weight of shape ${showShape(weight.node.shape)}, axis ${axis})`,
    );
  }
  // [..., i] × [i, o·j] → [..., o, j], then by x2 along j.
  const flat = record.reshape(record.permute(weight, [1, 0, 2]), [left, results * right]);
  const partial = record.reshape(matmul(a, flat), [...leading, results, right]);
  const product = matmul(partial, record.reshape(b, [...leading, right, 1]));
  const result = record.reshape(product, [...leading, results]);
  return bias === null ? result : add(result, bias);
}

/** The sum of products along the last axes of both; a 0-d operand is a factor. */
export function inner(a: Value, b: Value): Value {
  const [left, right] = [a.node.shape, b.node.shape];
  if (left.length === 0 || right.length === 0) return mul(a, b);
  if (left.at(-1) !== right.at(-1)) {
    throw new ShapeError(
      `inner() the last dimension must match on both input tensors but got shapes ${showShape(left)} and ${showShape(right)}`,
    );
  }
  if (left.length === 1 && right.length === 1) return dot(a, b);
  return contractAxes(a, b, [left.length - 1], [right.length - 1]);
}

/**
 * Sums products along pairs of axes: the last `dims` of a with the first of b, or the axes listed for each.
 * @throws ShapeError when their sizes differ.
 */
export function tensordot(
  a: Value,
  b: Value,
  dims: number | readonly [readonly number[], readonly number[]],
): Value {
  if (Array.isArray(dims) && dims.length !== 2)
    throw new TypeError("dims is a number of axes or two lists of axes, e.g. [[1], [0]]");
  const [left, right] = Array.isArray(dims) ? (dims as [number[], number[]]) : endAxes(a, b, dims as number);
  checkIntegers("dims[0]", left);
  checkIntegers("dims[1]", right);
  if (left.length !== right.length) throw new ShapeError("both dimension lists should have same length");
  const axesA = left.map((axis) => wrapAxis(axis, a.node.shape));
  const axesB = right.map((axis) => wrapAxis(axis, b.node.shape));
  axesA.forEach((axis, k) => {
    const [one, other] = [a.node.shape[axis], b.node.shape[axesB[k]!]];
    if (one === other) return;
    throw new ShapeError(
      `contracted dimensions need to match, but first has size ${one} in dim ${left[k]} and second has size ${other} in dim ${right[k]} (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
    );
  });
  return contractAxes(a, b, axesA, axesB);
}

function endAxes(a: Value, b: Value, dims: number): [number[], number[]] {
  checkInteger("dims", dims);
  if (dims < 0) throw new RangeError(`tensordot expects dims >= 0, but got dims=${dims}`);
  const rank = a.node.shape.length;
  if (dims > rank || dims > b.node.shape.length) {
    throw new ShapeError(
      `tensordot expects dims <= the number of axes of both, but got dims=${dims} for shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)}`,
    );
  }
  const first = Array.from({ length: dims }, (_, k) => k);
  return [first.map((k) => rank - dims + k), first];
}

/** One product of matrices over the named axes; the others of `a`, then those of `b`. */
function contractAxes(a: Value, b: Value, left: readonly number[], right: readonly number[]): Value {
  const freeA = a.node.shape.map((_, axis) => axis).filter((axis) => !left.includes(axis));
  const freeB = b.node.shape.map((_, axis) => axis).filter((axis) => !right.includes(axis));
  const sizes = (x: Value, axes: readonly number[]): number[] => axes.map((axis) => x.node.shape[axis]!);
  const count = (list: readonly number[]): number => list.reduce((product, size) => product * size, 1);
  const rows = sizes(a, freeA);
  const columns = sizes(b, freeB);
  const middle = count(sizes(a, left));
  const one = withShape(record.permute(a, [...freeA, ...left]), [count(rows), middle]);
  const other = withShape(record.permute(b, [...right, ...freeB]), [middle, count(columns)]);
  return withShape(matmul(one, other), [...rows, ...columns]);
}

/** Σ a·b along an axis, broadcast. */
export function vecdot(a: Value, b: Value, dim: number): Value {
  const [left, right] = [a.node.shape.at(dim), b.node.shape.at(dim)];
  if (left !== right) {
    throw new ShapeError(
      `vecdot: linalg.vecdot: Inputs must have the same size along dimension ${dim}. Got ${left} and ${right}`,
    );
  }
  const product = mul(a, b);
  return record.cast(sum(product, dim, false, null), product.node.dtype);
}

/** The cross product of vectors of three along an axis; null names the first axis of size 3. */
export function cross(a: Value, b: Value, dim: number | null): Value {
  if (a.node.shape.length !== b.node.shape.length) {
    throw new ShapeError(
      `cross: linalg.cross: inputs must have the same number of dimensions. (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
    );
  }
  const shape = broadcastShapes(a.node.shape, b.node.shape);
  const axis = dim === null ? shape.indexOf(3) : wrapAxis(dim, shape);
  if (axis < 0) throw new ShapeError(`no dimension of size 3 in input (shape ${showShape(shape)})`);
  const [left, right] = [a.node.shape[axis], b.node.shape[axis]];
  if (left !== 3 || right !== 3) {
    throw new ShapeError(
      `cross: linalg.cross: inputs dimension ${dim ?? axis} must have length 3. Got ${left} and ${right}`,
    );
  }
  const turned = (x: Value, by: number): Value => roll(x, by, axis);
  return sub(mul(turned(a, -1), turned(b, -2)), mul(turned(a, -2), turned(b, -1)));
}

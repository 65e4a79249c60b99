/** Differences of neighbours along an axis, and sums over them: discrete derivatives and integrals. */
import { checkInteger, reducedShape, type Scalar, ShapeError, showShape, wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { full } from "./creation.ts";
import { concat, narrowed, withShape } from "./movement.ts";
import type { Term } from "./operand.ts";
import { add, div, mul, sub, zip } from "./pointwise.ts";
import { sum } from "./reduction.ts";
import { running } from "./scan.ts";

/** All but the first places of an axis (wrapped), and all but the last. */
function neighbours(x: Value, axis: number): { left: Value; right: Value } {
  const size = x.node.shape[axis]!;
  return { left: narrowed(x, axis, 0, size - 1), right: narrowed(x, axis, 1, size - 1) };
}

/**
 * Each place less the one before, `n` times over; of bools whether they differ.
 * @throws ShapeError for a 0-d value, or ends that do not fit; RangeError for a negative n.
 */
export function diff(x: Value, n: number, dim: number, prepend: Value | null, append: Value | null): Value {
  const { shape } = x.node;
  if (shape.length === 0) throw new ShapeError("diff expects input to be at least one-dimensional");
  checkInteger("n", n);
  if (n < 0) throw new RangeError(`order must be non-negative but got ${n}`);
  const axis = wrapAxis(dim, shape);
  for (const end of [prepend, append]) if (end !== null) checkEnd(x, end, axis);
  if (n === 0) return x;
  const parts = [prepend, x, append].filter((part) => part !== null);
  let result = parts.length === 1 ? x : concat("diff", parts, axis);
  if (n >= result.node.shape[axis]!) return narrowed(result, axis, 0, 0);
  for (let order = 0; order < n; order++) {
    const { left, right } = neighbours(result, axis);
    result = result.node.dtype === "bool" ? zip("ne", right, left) : sub(right, left);
  }
  return result;
}

function checkEnd(x: Value, end: Value, axis: number): void {
  const { shape } = x.node;
  const other = end.node.shape;
  if (other.length !== shape.length) {
    throw new ShapeError(
      `diff expects prepend or append to be same dimension as input (shapes ${showShape(other)} and ${showShape(shape)})`,
    );
  }
  const wrong = shape.findIndex((size, at) => at !== axis && size !== other[at]);
  if (wrong < 0) return;
  throw new ShapeError(
    `diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; input.size(${wrong}) = ${shape[wrong]}, but got tensor.size(${wrong}) = ${other[wrong]}`,
  );
}

/** Distances between the sample points: a scalar, or the differences of points that are broadcast to y's axes. */
function spacing(y: Value, axis: number, by: Value | Scalar): Term {
  if (!(by instanceof Value)) return by;
  const rank = y.node.shape.length;
  const { shape } = by.node;
  if (shape.length === 1 && shape[0] !== y.node.shape[axis]) {
    throw new ShapeError(
      `There must be one \`x\` value for each sample point (x has shape ${showShape(shape)}, y ${showShape(y.node.shape)} along dimension ${axis})`,
    );
  }
  const aligned =
    shape.length === 1
      ? y.node.shape.map((_, at) => (at === axis ? shape[0]! : 1))
      : [...Array.from({ length: Math.max(0, rank - shape.length) }, () => 1), ...shape];
  const points = withShape(by, aligned);
  const { left, right } = neighbours(points, axis + aligned.length - rank);
  return sub(right, left);
}

/** The integral of samples `y` by the trapezoid rule; nothing for fewer than two samples. */
export function trapezoid(y: Value, by: Value | Scalar, dim: number): Value {
  const { shape } = y.node;
  const axis = wrapAxis(dim, shape);
  if (shape[axis] === 0) return full(reducedShape(shape, [axis], false), 0, y.node.dtype);
  const distance = spacing(y, axis, by);
  const { left, right } = neighbours(y, axis);
  return div(sum(mul(add(left, right), distance), axis, false, null), 2);
}

/** The integral up to each sample after the first. */
export function cumulativeTrapezoid(y: Value, by: Value | Scalar, dim: number): Value {
  const axis = wrapAxis(dim, y.node.shape);
  if (y.node.shape[axis] === 0) return y;
  const distance = spacing(y, axis, by);
  const { left, right } = neighbours(y, axis);
  return div(running("cumsum", mul(add(left, right), distance), axis, null), 2);
}

/**
 * Central differences inside, one-sided ones of order `edge` (1 or 2) at the ends, along one axis: the points are `step`
 * apart or at `coordinates` (1-D).
 */
export function gradient(x: Value, axis: number, by: Value | number, edge: number): Value {
  const size = x.node.shape[axis]!;
  if (size <= edge) {
    throw new ShapeError(
      `torch.gradient expected each dimension size to be at least edge_order+1 (dimension ${axis} of ${showShape(x.node.shape)} has size ${size})`,
    );
  }
  const parts = by instanceof Value ? uneven(x, axis, by, edge) : even(x, axis, by, edge);
  return record.concat(parts, axis);
}

function even(x: Value, axis: number, step: number, edge: number): Value[] {
  const size = x.node.shape[axis]!;
  const at = (place: number, length = 1): Value => narrowed(x, axis, place, length);
  const center = div(sub(at(2, size - 2), at(0, size - 2)), step * 2);
  if (edge === 1) {
    const first = div(sub(at(1), at(0)), step);
    const last = div(sub(at(size - 1), at(size - 2)), step);
    return [first, center, last];
  }
  const ends = (a: Value, b: Value, c: Value): Value =>
    div(add(sub(mul(a, -1.5), mul(b, -2)), mul(c, -0.5)), step);
  const first = ends(at(0), at(1), at(2));
  const last = ends(at(size - 1), at(size - 2), at(size - 3));
  return [first, center, mul(last, -1)];
}

function uneven(x: Value, axis: number, coordinates: Value, edge: number): Value[] {
  const { shape } = x.node;
  const size = shape[axis]!;
  const steps = withShape(
    diff(coordinates, 1, 0, null, null),
    shape.map((_, other) => (other === axis ? size - 1 : 1)),
  );
  const at = (place: number, length = 1): Value => narrowed(x, axis, place, length);
  const gap = (place: number, length = 1): Value => narrowed(steps, axis, place, length);
  const [before, after] = [gap(0, size - 2), gap(1, size - 2)];
  const a = div(mul(after, -1), mul(before, add(before, after)));
  const b = div(sub(after, before), mul(before, after));
  const c = div(before, mul(after, add(before, after)));
  const center = add(add(mul(a, at(0, size - 2)), mul(b, at(1, size - 2))), mul(c, at(2, size - 2)));
  if (edge === 1) {
    const first = div(sub(at(1), at(0)), gap(0));
    const last = div(sub(at(size - 1), at(size - 2)), gap(size - 2));
    return [first, center, last];
  }
  const first = outer(at(0), at(1), at(2), gap(0), gap(1));
  const last = outer(at(size - 1), at(size - 2), at(size - 3), gap(size - 2), gap(size - 3));
  return [first, center, mul(last, -1)];
}

/** The derivative at the first of three points that are `near` and then `far` apart, by the parabola through them. */
function outer(first: Value, second: Value, third: Value, near: Value, far: Value): Value {
  const both = add(near, far);
  const a = div(mul(add(both, near), -1), mul(near, both));
  const b = div(both, mul(near, far));
  const c = div(mul(near, -1), mul(far, both));
  return add(add(mul(a, first), mul(b, second)), mul(c, third));
}

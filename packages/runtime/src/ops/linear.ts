/** Products that PyTorch defines by the matrix product, and such products added to a tensor. */
import { broadcastShapes, elementCount, ShapeError, showShape, wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { stack, unbind, withShape } from "./movement.ts";
import { checkSameDType } from "./operand.ts";
import { mul, sub } from "./pointwise.ts";
import { matmul } from "./product.ts";

/** One matrix product over the given axes. The result has the other axes of `a`, then those of `b`. */
export function contractAxes(a: Value, b: Value, left: readonly number[], right: readonly number[]): Value {
  const freeA = a.node.shape.map((_, axis) => axis).filter((axis) => !left.includes(axis));
  const freeB = b.node.shape.map((_, axis) => axis).filter((axis) => !right.includes(axis));
  const sizes = (x: Value, axes: readonly number[]): number[] => axes.map((axis) => x.node.shape[axis]!);
  const rows = sizes(a, freeA);
  const columns = sizes(b, freeB);
  const middle = elementCount(sizes(a, left));
  const one = withShape(record.permute(a, [...freeA, ...left]), [elementCount(rows), middle]);
  const other = withShape(record.permute(b, [...right, ...freeB]), [middle, elementCount(columns)]);
  return withShape(matmul(one, other), [...rows, ...columns]);
}

/**
 * The cross product of vectors of three along an axis; null means the first axis of size 3.
 * @throws DTypeError for different dtypes, ShapeError for other sizes.
 */
export function cross(a: Value, b: Value, dim: number | null): Value {
  checkSameDType(a, b);
  if (a.node.shape.length !== b.node.shape.length)
    throw new ShapeError(
      `cross: linalg.cross: inputs must have the same number of dimensions. (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
    );
  const shape = broadcastShapes(a.node.shape, b.node.shape);
  const axis = dim === null ? shape.indexOf(3) : wrapAxis(dim, shape);
  if (axis < 0) throw new ShapeError(`no dimension of size 3 in input (shape ${showShape(shape)})`);
  const [left, right] = [a.node.shape[axis], b.node.shape[axis]];
  if (left !== 3 || right !== 3)
    throw new ShapeError(
      `cross: linalg.cross: inputs dimension ${dim ?? axis} must have length 3. Got ${left} and ${right}`,
    );
  const [u, v] = [unbind(a, axis), unbind(b, axis)];
  const part = (j: number, k: number): Value => sub(mul(u[j]!, v[k]!), mul(u[k]!, v[j]!));
  return stack([part(1, 2), part(2, 0), part(0, 1)], axis);
}

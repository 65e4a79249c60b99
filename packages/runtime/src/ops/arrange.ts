/** Movements that are short for others. */
import { checkIntegers, reshapedShape, rotatedAxes, ShapeError, showShape, splitAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { flip, withShape } from "./movement.ts";

/** A copy, turned `k` quarters from the first of `dims` toward the second. */
export function rot90(x: Value, k: number, dims: readonly number[]): Value {
  const [first, second] = rotatedAxes(x.node.shape, k, dims);
  const order = x.node.shape.map((_, axis) => (axis === first ? second : axis === second ? first : axis));
  switch (((k % 4) + 4) % 4) {
    case 1:
      return record.permute(flip(x, [second]), order);
    case 2:
      return flip(x, [first, second]);
    case 3:
      return record.permute(flip(x, [first]), order);
    default:
      return x;
  }
}

/** One axis cut into several. */
export function unflatten(x: Value, dim: number, sizes: readonly number[]): Value {
  const { shape } = x.node;
  const axis = splitAxis(shape, dim);
  checkIntegers("sizes", sizes);
  if (sizes.length === 0) throw new ShapeError("unflatten: sizes must be non-empty");
  const known = sizes.reduce((product, size) => (size === -1 ? product : product * size), 1);
  const fits = sizes.includes(-1) ? known !== 0 && shape[axis]! % known === 0 : known === shape[axis];
  if (!fits) {
    throw new ShapeError(
      `unflatten: Provided sizes ${showShape(sizes)} don't multiply up to the size of dim ${axis} (${shape[axis]}) in the input tensor`,
    );
  }
  const cut = reshapedShape([shape[axis]!], sizes);
  return withShape(x, [...shape.slice(0, axis), ...cut, ...shape.slice(axis + 1)]);
}

/** With axes of size 1 until there are `rank`: in front, but for the third, which is the last. */
export function atLeast(rank: 1 | 2 | 3, x: Value): Value {
  const { shape } = x.node;
  if (shape.length >= rank) return x;
  if (rank === 3 && shape.length > 0)
    return withShape(x, shape.length === 1 ? [1, shape[0]!, 1] : [...shape, 1]);
  return withShape(x, [...Array.from({ length: rank - shape.length }, () => 1), ...shape]);
}

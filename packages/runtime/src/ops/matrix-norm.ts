/** Matrix norms that need no decomposition. */
import { type DType, type Shape, ShapeError, showArgument, showShape, uniqueAxes } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { onlyFloat } from "./operand.ts";
import { abs } from "./pointwise.ts";
import { extreme, norm, sum } from "./reduction.ts";

/**
 * The axes of the rows and of the columns, counted from the front.
 * @throws ShapeError unless there are two, and they differ; RangeError for an axis that does not exist.
 */
export function matrixAxes(dims: readonly number[], shape: Shape): readonly [rows: number, columns: number] {
  if (!Array.isArray(dims) || dims.length !== 2)
    throw new ShapeError(
      `dim must be a 2-tuple. Got ${showArgument(dims)} (give the axes of rows and columns, e.g. [-2, -1])`,
    );
  if (shape.length < 2)
    throw new ShapeError(
      `The input tensor A must have at least 2 dimensions. (it has ${shape.length}, shape ${showShape(shape)})`,
    );
  return uniqueAxes(dims, shape) as [number, number];
}

/** Over two axes: "fro", or the largest or smallest sum of a column (±1) or row (±∞). */
export function matrixNorm(
  x: Value,
  order: string | number,
  dims: readonly number[],
  keepdim: boolean,
  dtype: DType | null,
): Value {
  const op = "linalg.matrixNorm";
  const values = onlyFloat(dtype === null ? x : record.cast(x, dtype));
  const [rows, columns] = matrixAxes(dims, x.node.shape);
  if (order === "fro") return norm(values, 2, [rows, columns], keepdim, null);
  const size = typeof order === "number" ? Math.abs(order) : Number.NaN;
  if (size !== 1 && size !== Infinity)
    throw new RangeError(
      `Order ${showArgument(order)} not supported. (the orders are "fro", "nuc", 1, -1, 2, -2, Infinity and -Infinity)`,
    );
  const [summed, left] = size === 1 ? [rows, columns] : [columns, rows];
  const sums = sum(abs(values), summed, true, null);
  const best = extreme(op, (order as number) > 0 ? "max" : "min", sums, left, true);
  if (keepdim) return best;
  return record.reshape(
    best,
    best.node.shape.filter((_, axis) => axis !== rows && axis !== columns),
  );
}

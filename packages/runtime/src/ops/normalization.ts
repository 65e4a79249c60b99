/** Softmax and its like, and layer norm: reductions along an axis, and elements scaled by them. */
import {
  checkIntegers,
  type DType,
  DTypeError,
  elementCount,
  isFloat,
  ShapeError,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { asked, onlyFloat, torchName, wide } from "./operand.ts";
import { exp, log, map, mul, sub } from "./pointwise.ts";
import { extreme, sum } from "./reduction.ts";

/** `x` minus its maximum along the axis, and the sum of the exponentials of that. */
function shift(op: string, x: Value, dim: number): { difference: Value; exponentials: Value; sums: Value } {
  const largest = extreme(op, "max", x, dim, true);
  const difference = sub(x, largest);
  const exponentials = exp(difference);
  return { difference, exponentials, sums: sum(exponentials, dim, true, null) };
}

const resultOf = (x: Value, dtype: DType | null, result: Value): Value =>
  record.cast(result, dtype ?? x.node.dtype);

export function softmax(op: string, x: Value, dim: number, dtype: DType | null): Value {
  const values = wide(onlyFloat(asked(x, dtype)));
  wrapAxis(dim, x.node.shape);
  if (elementCount(x.node.shape) === 0) return resultOf(x, dtype, values);
  const result = withRule(
    op,
    [values],
    () => {
      const { exponentials, sums } = shift(op, values, dim);
      // One reciprocal for each row. Sums are between 1 and the length of the row, so it neither overflows nor loses bits.
      return mul(exponentials, map("reciprocal", sums));
    },
    // A rule of its own: the derivative of the composition would walk each row three times.
    (y, g) => [mul(y, sub(g, sum(mul(g, y), dim, true, null)))],
  );
  return resultOf(x, dtype, result);
}

export function logSoftmax(x: Value, dim: number, dtype: DType | null): Value {
  const values = wide(onlyFloat(asked(x, dtype)));
  wrapAxis(dim, x.node.shape);
  if (elementCount(x.node.shape) === 0) return resultOf(x, dtype, values);
  const compute = (): Value => {
    const { difference, sums } = shift("logSoftmax", values, dim);
    return sub(difference, log(sums));
  };
  const result = withRule("logSoftmax", [values], compute, (y, g) => [
    sub(g, mul(exp(y), sum(g, dim, true, null))),
  ]);
  return resultOf(x, dtype, result);
}

/**
 * @throws DTypeError unless a scale, a shift or an average has the dtype of what is normalised; that of float16 may be float32.
 */
export function checkStatistic(x: Value, name: string, value: Value | null): void {
  const { dtype } = x.node;
  if (value === null || value.node.dtype === dtype || !isFloat(dtype)) return;
  if (dtype === "float16" && value.node.dtype === "float32") return;
  throw new DTypeError(
    `expected scalar type ${torchName[dtype]} but found ${torchName[value.node.dtype]}: the ${name} has another dtype than the input (cast one of them with to())`,
  );
}

/**
 * The last axes, whose sizes must be `normalized`.
 * @throws ShapeError if they are not, or if the scale has another shape.
 */
export function checkNormalized(
  x: Value,
  normalized: readonly number[],
  affine: { readonly [name: string]: Value | null },
): number[] {
  const { shape } = x.node;
  checkIntegers("normalizedShape", normalized);
  if (normalized.length === 0)
    throw new ShapeError(
      "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
    );
  const first = shape.length - normalized.length;
  if (first < 0 || !sameNumbers(shape.slice(first), normalized))
    throw new ShapeError(
      `Given normalized_shape=${showShape(normalized)}, expected input with shape [*, ${normalized.join(", ")}], but got input of size${showShape(shape)}`,
    );
  for (const [name, value] of Object.entries(affine)) {
    checkStatistic(x, name, value);
    if (value === null || sameNumbers(value.node.shape, normalized)) continue;
    throw new ShapeError(
      `Expected ${name} to be of same shape as normalized_shape, but got ${name} of shape ${showShape(value.node.shape)} and normalized_shape = ${showShape(normalized)}`,
    );
  }
  return normalized.map((_, k) => first + k);
}

/** Softmax and its kin, and layer norm: each a reduction of an axis, and the elements scaled by it. */
import {
  checkIntegers,
  type DType,
  elementCount,
  ShapeError,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { onlyFloat } from "./operand.ts";
import { add, exp, log, map, mul, sub } from "./pointwise.ts";
import { extreme, sum, varianceAndMean } from "./reduction.ts";

/** `x` less its maximum along the axis, and the sum of the exponentials of that. */
function shift(op: string, x: Value, dim: number): { difference: Value; exponentials: Value; sums: Value } {
  const largest = extreme(op, "max", x, dim, true);
  const difference = sub(x, largest);
  const exponentials = exp(difference);
  return { difference, exponentials, sums: sum(exponentials, dim, true, null) };
}

/** Half computes in single, so that only the result is rounded to half. */
function asked(x: Value, dtype: DType | null): Value {
  const values = onlyFloat(dtype === null ? x : record.cast(x, dtype));
  return values.node.dtype === "float16" ? record.cast(values, "float32") : values;
}

const resultOf = (x: Value, dtype: DType | null, result: Value): Value =>
  record.cast(result, dtype ?? x.node.dtype);

export function softmax(op: string, x: Value, dim: number, dtype: DType | null): Value {
  const values = asked(x, dtype);
  wrapAxis(dim, x.node.shape);
  if (elementCount(x.node.shape) === 0) return resultOf(x, dtype, values);
  const result = withRule(
    op,
    [values],
    () => {
      const { exponentials, sums } = shift(op, values, dim);
      // A row has one reciprocal. Sums lie between 1 and the length of the row, so it neither overflows nor loses bits.
      return mul(exponentials, map("reciprocal", sums));
    },
    // Of the composition it would walk each row three times.
    (y, g) => [mul(y, sub(g, sum(mul(g, y), dim, true, null)))],
  );
  return resultOf(x, dtype, result);
}

export function logSoftmax(x: Value, dim: number, dtype: DType | null): Value {
  const values = asked(x, dtype);
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
 * (x − mean) / √(variance + eps) over the last axes, then scaled and shifted.
 * @throws ShapeError when `normalized` are not the last sizes of x, or weight or bias have another shape.
 */
export function layerNorm(
  x: Value,
  normalized: readonly number[],
  weight: Value | null,
  bias: Value | null,
  eps: number,
): Value {
  checkNormalized(x, normalized);
  checkAffine("weight", weight, normalized);
  checkAffine("bias", bias, normalized);
  const values = onlyFloat(x).node.dtype === "float16" ? record.cast(x, "float32") : x;
  const rank = x.node.shape.length;
  const axes = normalized.map((_, i) => rank - normalized.length + i);
  const [variance, mean] = varianceAndMean(values, axes, 0, true);
  const unit = mul(sub(values, mean), map("rsqrt", add(variance, eps)));
  const scaled = weight === null ? unit : mul(unit, weight);
  const result = bias === null ? scaled : add(scaled, bias);
  return record.cast(result, x.node.dtype);
}

function checkNormalized(x: Value, normalized: readonly number[]): void {
  const { shape } = x.node;
  checkIntegers("normalizedShape", normalized);
  if (normalized.length === 0) {
    throw new ShapeError(
      "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
    );
  }
  if (
    normalized.length <= shape.length &&
    sameNumbers(shape.slice(shape.length - normalized.length), normalized)
  )
    return;
  throw new ShapeError(
    `Given normalized_shape=${showShape(normalized)}, expected input with shape [*, ${normalized.join(", ")}], but got input of size${showShape(shape)}`,
  );
}

function checkAffine(name: "weight" | "bias", value: Value | null, normalized: readonly number[]): void {
  if (value === null || sameNumbers(value.node.shape, normalized)) return;
  throw new ShapeError(
    `Expected ${name} to be of same shape as normalized_shape, but got ${name} of shape ${showShape(value.node.shape)} and normalized_shape = ${showShape(normalized)}`,
  );
}

/** Scans along one axis. A 0-d value is its own scan. */
import { type DType, isFloat, wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { narrowed, neighbours } from "./movement.ts";
import { onlyFloat, wide } from "./operand.ts";
import { sub, zip } from "./pointwise.ts";

/** Integers and bools are scanned as int64, float16 as float32; only the result is rounded to `dtype`. */
export function running(op: "cumsum" | "cumprod", x: Value, dim: number, dtype: DType | null): Value {
  const axis = wrapAxis(dim, x.node.shape);
  const result = dtype ?? (isFloat(x.node.dtype) ? x.node.dtype : "int64");
  const values = record.cast(x, result);
  if (x.node.shape.length === 0) return values;
  const computed = result === "float16" ? "float32" : isFloat(result) ? result : "int64";
  const scanned = record.scan(op === "cumsum" ? "sum" : "prod", record.cast(values, computed), axis);
  return record.cast(scanned, result);
}

/** The best element so far, and its position: of equal ones the last. A NaN stays the best until the next NaN. */
export function runningExtreme(
  op: "cummax" | "cummin",
  x: Value,
  dim: number,
): { readonly values: Value; readonly indices: Value } {
  const axis = wrapAxis(dim, x.node.shape);
  if (x.node.shape.length === 0) return { values: x, indices: record.constant("int64", 0n) };
  const indices = record.scan(op === "cummax" ? "lastArgmax" : "lastArgmin", x, axis);
  return { values: record.scan(op === "cummax" ? "lastMax" : "lastMin", x, axis), indices };
}

/**
 * log Σ exp of the elements up to each place, without overflow.
 * @throws DTypeError for integers and bools.
 */
export function logcumsumexp(x: Value, dim: number): Value {
  const { dtype, shape } = onlyFloat(x).node;
  const axis = wrapAxis(dim, shape);
  if (shape.length === 0) return x;
  return record.cast(record.scan("logaddexp", wide(x), axis), dtype);
}

/** Each element along an axis (wrapped) less the one before it; for bools, whether they differ. */
export function differences(x: Value, axis: number): Value {
  if (x.node.shape[axis]! <= 1) return narrowed(x, axis, 0, 0);
  const { left, right } = neighbours(x, axis);
  return x.node.dtype === "bool" ? zip("ne", right, left) : sub(right, left);
}

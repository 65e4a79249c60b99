/** Values from nothing. They are made of constants and counters, so that they fuse into the kernels that read them. */
import {
  checkInteger,
  checkShape,
  type DType,
  DTypeError,
  dtypeNames,
  isDType,
  isFloat,
  isInt,
  type Scalar,
  type Shape,
  ShapeError,
  showArgument,
  showShape,
} from "@fuseau/ir";
import { didYouMean } from "../messages/nearest.ts";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { checkHolds, checkTerm, elementOf, exactly, scalarDType } from "./operand.ts";
import { add, eq, lt, mul, sub, where } from "./pointwise.ts";

/** @throws DTypeError for an unknown dtype. */
export function checkDType(dtype: unknown): DType {
  if (isDType(dtype)) return dtype;
  throw new DTypeError(
    `unknown dtype ${showArgument(dtype)}${didYouMean(dtype, dtypeNames)}; the dtypes are ${dtypeNames.join(", ")}`,
  );
}

/** The given dtype, or the default. */
export const dtypeOr = (asked: DType | undefined, otherwise: DType): DType =>
  asked === undefined ? otherwise : checkDType(asked);

/**
 * A scalar at every place.
 * @throws RangeError when the given dtype does not hold it.
 */
export function full(shape: Shape, value: Scalar, asked?: DType): Value {
  checkShape(shape);
  checkTerm(value);
  const dtype = dtypeOr(asked, scalarDType(value));
  const element = exactly(dtype, value);
  return shape.length === 0 ? element : record.expand(element, [...shape]);
}

/**
 * A 0-d value at every place.
 * @throws ShapeError if it has axes.
 */
export function spread(value: Value, shape: Shape, dtype: DType): Value {
  const own = value.node.shape;
  if (own.length > 0)
    throw new ShapeError(
      `fill only supports 0-dimension value tensor but got tensor with ${own.length} dimensions. (shape ${showShape(own)})`,
    );
  const element = record.cast(value, dtype);
  return shape.length === 0 ? element : record.expand(element, shape);
}

/**
 * start, start + step … up to but without `end`. Integers give int64, unless a dtype is given. Floats are computed in float64 and rounded
 * once.
 */
export function arange(start: Scalar, end: Scalar, step: Scalar, dtype?: DType): Value {
  const bounds = [start, end, step];
  for (const bound of bounds) checkTerm(bound);
  const result = dtypeOr(
    dtype,
    bounds.some((bound) => scalarDType(bound) === "float32") ? "float32" : "int64",
  );
  // PyTorch counts in int64 if that is the result's dtype, and in double otherwise.
  const cut = (bound: Scalar): number => (result === "int64" ? Math.trunc(numberOf(bound)) : numberOf(bound));
  const [from, to, by] = bounds.map(cut) as [number, number, number];
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw new RangeError(`unsupported range: ${show(from)} -> ${show(to)} (both must be finite)`);
  if (by === 0 || Number.isNaN(by)) throw new RangeError("step must be nonzero");
  if (result === "int64" && bounds.some((bound) => typeof bound === "bigint")) return exactRange(bounds);
  if ((to - from) * Math.sign(by) < 0) throw awayFrom(from, to, by);
  const length = Math.ceil((to - from) / by);
  checkShape([length]);
  if (isFloat(result)) {
    if (from === 0 && by === 1 && length <= 2 ** 24 && result !== "float16")
      return record.iota(result, length);
    return record.cast(add(mul(record.iota("float64", length), by), from), result);
  }
  const count = record.iota("int64", length);
  const scaled = by === 1 ? count : mul(count, Math.trunc(by));
  const shifted = from === 0 ? scaled : add(scaled, Math.trunc(from));
  return scaled === shifted && scaled === count && result !== "bool"
    ? record.iota(result, length)
    : record.cast(shifted, result);
}

/** {@link arange} of int64, whose bounds may be integers that are one number in JavaScript. */
function exactRange(bounds: readonly Scalar[]): Value {
  const [from, to, by] = bounds.map((bound) => elementOf("int64", bound)) as [bigint, bigint, bigint];
  if ((to - from) * by < 0n) throw awayFrom(from, to, by);
  const length = Number((to - from + by - (by > 0n ? 1n : -1n)) / by);
  checkShape([length]);
  return add(mul(record.iota("int64", length), by), from);
}

const awayFrom = (from: number | bigint, to: number | bigint, by: number | bigint): RangeError =>
  new RangeError(
    `upper bound and larger bound inconsistent with step sign (start ${from}, end ${to}, step ${by})`,
  );

const show = (bound: number): string => String(bound).replace("Infinity", "inf").replace("NaN", "nan");

export const numberOf = (scalar: Scalar): number =>
  Number(typeof scalar === "object" ? scalar.float : scalar);

/** `steps` numbers from `start` to `end`, both included. */
export function linspace(start: Scalar, end: Scalar, steps: number, dtype?: DType): Value {
  const result = checkSpacing([start, end], steps, dtype);
  if (steps < 2) return full([steps], numberOf(start), result);
  return record.cast(spaced(boundOf("start", start, result), boundOf("end", end, result), steps), result);
}

/**
 * The dtype of `steps` numbers.
 * @throws TypeError, RangeError for invalid bounds or steps.
 */
export function checkSpacing(bounds: readonly Scalar[], steps: number, dtype: DType | undefined): DType {
  for (const bound of bounds) checkTerm(bound);
  const result = dtypeOr(dtype, "float32");
  checkInteger("steps", steps);
  if (steps < 0) throw new RangeError(`number of steps must be non-negative (got ${steps})`);
  checkShape([steps]);
  return result;
}

/** A bound as PyTorch's kernels read it: in the result's dtype, so that for integers it loses its fraction first. */
export function boundOf(name: string, bound: Scalar, dtype: DType): number {
  const number = numberOf(bound);
  if (!isInt(dtype)) return dtype === "bool" ? Number(number !== 0) : number;
  checkHolds(dtype, number, name);
  return Math.trunc(number);
}

/** float64 numbers from one bound to the other, counted from the nearer one, so that both are exact. */
export function spaced(from: number, to: number, steps: number): Value {
  const place = record.iota("float64", steps);
  const step = (to - from) / (steps - 1);
  const fromStart = add(mul(place, step), from);
  const fromEnd = sub(to, mul(sub(steps - 1, place), step));
  return where(lt(place, Math.floor(steps / 2)), fromStart, fromEnd);
}

/** Ones on the diagonal, zeros elsewhere. */
export function eye(rows: number, columns: number, dtype?: DType): Value {
  for (const [name, size] of [
    ["n", rows],
    ["m", columns],
  ] as const) {
    checkInteger(name, size);
    if (size < 0) throw new ShapeError(`${name} must be greater or equal to 0, got ${size}`);
  }
  checkShape([rows, columns]);
  const row = record.reshape(record.iota("int32", rows), [rows, 1]);
  return record.cast(eq(row, record.iota("int32", columns)), dtypeOr(dtype, "float32"));
}

/**
 * Every combination of the values' elements: value k varies along axis k; for `"xy"` the first two axes are swapped.
 * @throws ShapeError for a value of more than one axis.
 */
export function meshgrid(values: readonly Value[], indexing: "ij" | "xy"): Value[] {
  if (values.length === 0) throw new ShapeError("meshgrid expects a non-empty TensorList");
  const sizes = values.map(({ node: { shape } }) => {
    if (shape.length > 1)
      throw new ShapeError(
        `Expected 0D or 1D tensor in the tensor list but got: ${shape.length}D (shape ${showShape(shape)})`,
      );
    return shape[0] ?? 1;
  });
  const swapped = indexing === "xy" && values.length >= 2;
  const axisOf = (k: number): number => (swapped && k < 2 ? 1 - k : k);
  const shape = sizes.map((_, axis) => sizes[axisOf(axis)]!);
  return values.map((value, k) =>
    record.expand(
      record.reshape(
        value,
        shape.map((size, axis) => (axis === axisOf(k) ? size : 1)),
      ),
      shape,
    ),
  );
}

/** Reductions over axes, which are wrapped and ascending; `all` says that the user named none. */
import {
  type Axes,
  build,
  checkNotEmpty,
  checkNumber,
  checkShape,
  type DType,
  DTypeError,
  elementCount,
  isFloat,
  type Reducer,
  reducedShape,
  type Shape,
  ShapeError,
  showArgument,
  showShape,
  wrapAxes,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { withShape } from "./movement.ts";
import { asked, floating, torchName, wide } from "./operand.ts";
import { abs, add, and, div, eq, exp, log, map, mul, ne, or, pow, sqrt, sub, where } from "./pointwise.ts";

/** Folds `axes`, and keeps them with size 1 if asked to. A 0-d value has no axes, so it is its own result. */
function fold(fn: Reducer, x: Value, axes: readonly number[], keepdim: boolean): Value {
  if (axes.length === 0) {
    const dtype = build.reducedDType(fn, x.node.dtype);
    return fn === "argmax" || fn === "argmin" ? record.constant(dtype, 0n) : record.cast(x, dtype);
  }
  const folded = record.reduce(fn, x, axes);
  return keepdim ? withShape(folded, reducedShape(x.node.shape, axes, true)) : folded;
}

const countOf = (x: Value, axes: readonly number[]): number =>
  axes.reduce((count, axis) => count * x.node.shape[axis]!, 1);

/** The sum; int64 for integers and bools. */
export function sum(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  const axes = wrapAxes(dims, x.node.shape);
  return asked(fold("sum", asked(x, dtype), axes, keepdim), dtype);
}

/** Sums over the axes along which `sizes` would broadcast, as `sum` does. A 0-d result is always a sum. */
export function sumToSize(x: Value, sizes: Shape): Value {
  const { shape } = x.node;
  checkShape(sizes);
  const added = shape.length - sizes.length;
  const fits = added >= 0 && sizes.every((size, axis) => size === 1 || size === shape[added + axis]);
  if (!fits)
    throw new ShapeError(`size {${showShape(sizes)}} is not expandable to size {${showShape(shape)}}.`);
  const axes = shape.flatMap((size, axis) =>
    axis < added || (sizes[axis - added] === 1 && size !== 1) ? [axis] : [],
  );
  return axes.length === 0 && sizes.length > 0 ? x : withShape(fold("sum", x, axes, false), sizes);
}

export function prod(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  const axes = wrapAxes(dims, x.node.shape);
  return asked(fold("prod", asked(x, dtype), axes, keepdim), dtype);
}

/** @throws DTypeError for integers and bools, unless a floating dtype is given. */
export function mean(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  const result = dtype ?? x.node.dtype;
  const axes = wrapAxes(dims, x.node.shape);
  if (!isFloat(result)) {
    const which = dtype === null ? "Input" : "Optional";
    throw new DTypeError(
      `mean(): could not infer output dtype. ${which} dtype must be either a floating point or complex dtype. Got: ${torchName[result]} (cast first, e.g. x.to("float32"))`,
    );
  }
  return record.cast(meanOver(wide(asked(x, dtype)), axes, keepdim), result);
}

/** Divides by the count. Multiplying by its reciprocal would round twice. */
const meanOver = (x: Value, axes: readonly number[], keepdim: boolean): Value =>
  div(fold("sum", x, axes, keepdim), countOf(x, axes));

/** `max`, `min`, `amax`, `amin`: they refuse to fold no elements; NaN if there is one. */
export function extreme(op: string, fn: "max" | "min", x: Value, dims: Axes, keepdim: boolean): Value {
  const axes = wrapAxes(dims, x.node.shape);
  checkNotEmpty(x.node.shape, axes, namesAll(dims));
  if (op !== fn || axes.length === 0) return fold(fn, x, axes, keepdim);
  return oneOfAll(op, x, axes, () => fold(fn, x, axes, keepdim));
}

/**
 * An element selected over some axes, such as an extreme or a median. All elements that equal it share the gradient evenly, as in PyTorch
 * for a whole tensor. If it is NaN, the NaNs share it.
 */
export const oneOfAll = (op: string, x: Value, axes: readonly number[], compute: () => Value): Value =>
  withRule(op, [x], compute, (result, g) => {
    const isSame = or(eq(x, result), and(ne(x, x), ne(result, result)));
    const count = record.cast(record.reduce("sum", record.cast(isSame, "int64"), axes), x.node.dtype);
    return [where(isSame, div(g, count), 0)];
  });

/** The first position of the extreme along an axis, or in row-major order among all elements. */
export function position(fn: "argmax" | "argmin", x: Value, dim: number | null, keepdim: boolean): Value {
  const axes = wrapAxes(dim, x.node.shape);
  checkNotEmpty(x.node.shape, axes, dim === null);
  return fold(fn, x, axes, keepdim);
}

const namesAll = (dims: Axes): boolean => dims === null || (typeof dims !== "number" && dims.length === 0);

/**
 * The extremes along one axis, and their first positions. An extreme is the element at its position, as in PyTorch: one fold finds both,
 * and of 0 and −0 it is the first.
 */
export function extremeAndPosition(
  op: "max" | "min",
  x: Value,
  dim: number,
  keepdim: boolean,
): { readonly values: Value; readonly indices: Value } {
  const found = position(op === "max" ? "argmax" : "argmin", x, dim, true);
  const { shape } = x.node;
  if (shape.length === 0) return { values: x, indices: found };
  const axis = wrapAxis(dim, shape);
  const values = record.pick(x, axis, found);
  const kept = keepdim ? values.node.shape : shape.filter((_, other) => other !== axis);
  return { values: withShape(values, kept), indices: withShape(found, kept) };
}

/** A bool result; uint8 for uint8, as in PyTorch. */
export function truth(fn: "any" | "all", x: Value, dims: Axes, keepdim: boolean): Value {
  const axes = wrapAxes(dims, x.node.shape);
  const folded = fold(fn, x, axes, keepdim);
  return x.node.dtype === "uint8" ? record.cast(folded, "uint8") : folded;
}

/** [variance, mean]; the mean is computed first. The divisor is the count less `correction`, and at least 0. */
export function varianceAndMean(x: Value, dims: Axes, correction: number, keepdim: boolean): [Value, Value] {
  const { dtype, shape } = x.node;
  if (!isFloat(dtype))
    throw new DTypeError(
      `std and var only support floating point and complex dtypes (got ${dtype}; cast first, e.g. x.to("float32"))`,
    );
  const axes = wrapAxes(dims, shape);
  const values = wide(x);
  const center = meanOver(values, axes, true);
  const divisor = Math.max(0, countOf(x, axes) - correction);
  const deviation = (): Value => sub(values, meanOver(values, axes, true));
  const squares = (away: Value): Value => div(fold("sum", mul(away, away), axes, keepdim), divisor);
  const variance = withRule(
    "var",
    [values],
    () => squares(deviation()),
    (_, g) => [mul(mul(withShape(g, reducedShape(shape, axes, true)), 2 / divisor), deviation())],
  );
  const kept = withShape(center, reducedShape(shape, axes, keepdim));
  return [record.cast(variance, dtype), record.cast(kept, dtype)];
}

/** The `correction` of the options, 1 by default; `unbiased: false` means 0. */
export interface CorrectionOptions {
  readonly correction?: number;
  readonly unbiased?: boolean;
}

export function correctionOf(options: CorrectionOptions | undefined): number {
  const correction = options?.correction;
  if (typeof correction === "number") return correction;
  if (correction !== undefined)
    throw new TypeError(`correction must be a number, but got ${showArgument(correction)}`);
  return options?.unbiased === false ? 0 : 1;
}

export const variance = (
  x: Value,
  dims: Axes,
  keepdim: boolean,
  options: CorrectionOptions | undefined,
): Value => varianceAndMean(x, dims, correctionOf(options), keepdim)[0];

/** The p-norm of the elements: (Σ|x|^p)^(1/p); the number of nonzeros for 0, an extreme for ±∞. */
export function norm(x: Value, p: number, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  checkNumber("p", p);
  const result = dtype ?? x.node.dtype;
  if (!isFloat(result))
    throw new DTypeError(
      `norm(): input dtype should be either floating point or complex. Got ${torchName[result]} instead. (cast first, e.g. x.to("float32"))`,
    );
  const axes = wrapAxes(dims, x.node.shape);
  const values = wide(asked(x, dtype));
  return record.cast(normOver(values, p, axes, keepdim, namesAll(dims)), result);
}

function normOver(x: Value, p: number, axes: readonly number[], keepdim: boolean, all: boolean): Value {
  const magnitude = abs(x);
  if (p < 0 || p === Infinity) checkNotEmpty(x.node.shape, axes, all);
  if (p === Infinity || p === -Infinity) {
    return fold(p > 0 ? "max" : "min", magnitude, axes, keepdim);
  }
  if (p === 0)
    return withoutSlope("norm", [x], fold("sum", record.cast(ne(x, 0), x.node.dtype), axes, keepdim));
  if (p === 1) return fold("sum", magnitude, axes, keepdim);
  if (p === 2) return root(fold("sum", mul(x, x), axes, keepdim));
  const compute = (): Value => pow(fold("sum", pow(magnitude, p), axes, keepdim), 1 / p);
  return withRule("norm", [x], compute, (result, g) => {
    const kept = reducedShape(x.node.shape, axes, true);
    const [share, size] = [withShape(g, kept), withShape(result, kept)];
    const powers = mul(map("sign", x), pow(magnitude, p - 1));
    const isZero = eq(size, 0);
    const scale = where(isZero, 0, div(share, where(isZero, 1, pow(size, p - 1))));
    return [mul(p < 1 ? where(eq(x, 0), 0, powers) : powers, scale)];
  });
}

/** The square root of a sum of squares. Its gradient at 0 is 0, as in PyTorch's norms and standard deviations. */
export const root = (x: Value): Value =>
  withRule(
    "root",
    [x],
    () => sqrt(x),
    (result, g) => {
      const isZero = eq(result, 0);
      return [where(isZero, 0, div(g, where(isZero, 1, mul(result, 2))))];
    },
  );

/** log Σ exp(x). The maximum is subtracted first, so that it does not overflow; an infinite one is not. */
export function logsumexp(x: Value, dims: Axes, keepdim: boolean): Value {
  const values = floating(x);
  const axes = wrapAxes(dims, x.node.shape);
  if (elementCount(x.node.shape) === 0) return log(fold("sum", exp(values), axes, keepdim));
  const kept = reducedShape(x.node.shape, axes, true);
  const compute = (): Value => {
    const largest = fold("max", values, axes, true);
    const shift = where(eq(abs(largest), Infinity), 0, largest);
    const sums = log(fold("sum", exp(sub(values, shift)), axes, true));
    return withShape(add(sums, shift), reducedShape(x.node.shape, axes, keepdim));
  };
  return withRule("logsumexp", [values], compute, (result, g) => [
    mul(withShape(g, kept), exp(sub(values, withShape(result, kept)))),
  ]);
}

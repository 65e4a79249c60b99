/** Window functions, which weight the frames of a signal. PyTorch's functions of the same name; computed in float64, and rounded once. */
import { checkInteger, type DType, DTypeError, isFloat } from "@fuseau/ir";
import { besselI0 } from "../ops/bessel.ts";
import { torchName } from "../ops/operand.ts";
import { add, div, map, minimum, mul, sub } from "../ops/pointwise.ts";
import { root } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type Tensor, wrap } from "../tensor/handle.ts";
import type { Value } from "../value.ts";
import type { CreationOptions } from "./creation.ts";
import { declareMade } from "./made.ts";

/** Options of a window of n places. */
export interface WindowOptions<D extends DType = DType> extends CreationOptions<D> {
  /** The period is n, as overlapping frames need it; if false it is n − 1, so that both ends are equal. Default true. */
  readonly periodic?: boolean;
}

/** A window of `count` places; `shape` is called with coordinates from 0 to 1. */
function window<D extends DType>(
  count: number,
  { periodic = true, dtype = "float32" as D }: WindowOptions<D>,
  shape: (place: Value) => Value,
): Tensor<[number], D> {
  checkInteger("windowLength", count);
  if (count < 0) throw new RangeError(`requires non-negative window_length, got window_length=${count}`);
  if (!isFloat(dtype))
    throw new DTypeError(`expects floating point dtypes, got: ${torchName[dtype as DType]}`);
  if (count === 1) return wrap(record.cast(record.reshape(record.constant("float64", 1), [1]), dtype));
  const last = periodic ? count : count - 1;
  return wrap(record.cast(shape(div(record.cast(record.iota("int64", count), "float64"), last)), dtype));
}

/** Σ ±aₖ·cos(2πk·place), with alternating signs. */
const cosines =
  (...factors: readonly number[]) =>
  (place: Value): Value =>
    factors
      .map((factor, k) => mul(map("cos", mul(place, 2 * Math.PI * k)), k % 2 === 0 ? factor : -factor))
      .reduce((sum, term) => add(sum, term));

/** 0.5 − 0.5·cos(2πk/n). */
export const hannWindow = declareMade(
  "hannWindow(windowLength, { dtype, periodic })",
  <const N extends number, D extends DType = "float32">(
    windowLength: N,
    options: WindowOptions<D> = {},
  ): Tensor<[N], NoInfer<D>> => window(windowLength, options, cosines(0.5, 0.5)) as never,
);

/** alpha − beta·cos(2πk/n), by default 0.54 and 0.46. */
export const hammingWindow = declareMade(
  "hammingWindow(windowLength, { dtype, periodic, alpha, beta })",
  <const N extends number, D extends DType = "float32">(
    windowLength: N,
    options: WindowOptions<D> & { readonly alpha?: number; readonly beta?: number } = {},
  ): Tensor<[N], NoInfer<D>> =>
    window(windowLength, options, cosines(options.alpha ?? 0.54, options.beta ?? 0.46)) as never,
);

/** 0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n). */
export const blackmanWindow = declareMade(
  "blackmanWindow(windowLength, { dtype, periodic })",
  <const N extends number, D extends DType = "float32">(
    windowLength: N,
    options: WindowOptions<D> = {},
  ): Tensor<[N], NoInfer<D>> => window(windowLength, options, cosines(0.42, 0.5, 0.08)) as never,
);

/** A triangle, with 0 at its ends. */
export const bartlettWindow = declareMade(
  "bartlettWindow(windowLength, { dtype, periodic })",
  <const N extends number, D extends DType = "float32">(
    windowLength: N,
    options: WindowOptions<D> = {},
  ): Tensor<[N], NoInfer<D>> =>
    window(windowLength, options, (place) => minimum(mul(place, 2), sub(2, mul(place, 2)))) as never,
);

/** I₀(beta·√(1 − (2k/n − 1)²)) / I₀(beta); the default of beta is 12. */
export const kaiserWindow = declareMade(
  "kaiserWindow(windowLength, { dtype, periodic, beta })",
  <const N extends number, D extends DType = "float32">(
    windowLength: N,
    options: WindowOptions<D> & { readonly beta?: number } = {},
  ): Tensor<[N], NoInfer<D>> => {
    const { beta = 12 } = options;
    return window(windowLength, options, (place) => {
      const from = sub(mul(place, 2), 1);
      const height = root(sub(1, mul(from, from)));
      return div(besselI0(mul(height, beta), false), besselI0(record.constant("float64", beta), false));
    }) as never;
  },
);

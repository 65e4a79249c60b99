/**
 * Functions of probability and physics, as floats. Each is the function of that name in torch.special.
 * @throws ShapeError when the shapes do not broadcast.
 */
import type { FloatResult } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { doubleBinary, floatBinary, floatUnary } from "../declare/families.ts";
import { xlog1py as timesLog1p } from "../ops/arithmetic.ts";
import { besselI0, besselI1 } from "../ops/bessel.ts";
import * as ops from "../ops/special.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** x to the power of `exponent`, always in float64. */
export const floatPower = doubleBinary("floatPower(exponent)", ops.floatPower);

/** The modified Bessel function of the first kind of order 0. */
export const i0 = floatUnary("i0()", (x) => besselI0(x, false));

/** exp(−|x|)·i0(x). */
export const i0e = floatUnary("i0e()", (x) => besselI0(x, true));

/** The modified Bessel function of the first kind of order 1. */
export const i1 = floatUnary("i1()", (x) => besselI1(x, false));

/** exp(−|x|)·i1(x). */
export const i1e = floatUnary("i1e()", (x) => besselI1(x, true));

/** exp(x²)·erfc(x) without overflow. */
export const erfcx = floatUnary("erfcx()", ops.erfcx);

/** −x·log(x): 0 at 0, −∞ below. */
export const entr = floatUnary("entr()", ops.entr);

/** The area under the normal distribution up to x. */
export const ndtr = floatUnary("ndtr()", ops.ndtr);

/** The logarithm of {@link ndtr} without underflow. */
export const logNdtr = floatUnary("logNdtr()", ops.logNdtr);

/** x = mantissa·2^exponent. */
export interface Frexp<T extends AnyTensor> {
  readonly mantissa: Tensor<T[ShapeKey], FloatResult<T["dtype"]>>;
  readonly exponent: Tensor<T[ShapeKey], "int32">;
}

/** `{ mantissa, exponent }`: x = mantissa·2^exponent, the mantissa's size in [0.5, 1), the exponent an int32. */
export const frexp = declare("frexp()", <T extends AnyTensor>(input: T): Frexp<T> => {
  const [mantissa, exponent] = ops.frexp(unwrap(input));
  return { mantissa: wrap(mantissa), exponent: wrap(exponent) };
});

/** x·log1p(other), and 0 where x is 0, unless other is NaN. */
export const xlog1py = floatBinary("xlog1py(other)", timesLog1p);

import { besselI0, besselI1 } from "../ops/bessel.ts";
import * as ops from "../ops/special.ts";
import { type ShapeKey, type Tensor, term, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Fits, Floated, Operand, PairedFloat, PairShape } from "./types.ts";

/**
 * Functions of probability and physics, as floats. Each is the function of that name in torch.special.
 * @throws ShapeError when the shapes do not broadcast.
 */
export interface SpecialMethods {
  /** x to the power of `exponent`, always in float64. */
  floatPower<T extends AnyTensor, const B extends Operand>(
    this: T,
    exponent: Fits<T, B>,
  ): Tensor<PairShape<T, B>, "float64">;
  /** The modified Bessel function of the first kind of order 0. */
  i0<T extends AnyTensor>(this: T): Floated<T>;
  /** exp(−|x|)·i0(x). */
  i0e<T extends AnyTensor>(this: T): Floated<T>;
  /** The modified Bessel function of the first kind of order 1. */
  i1<T extends AnyTensor>(this: T): Floated<T>;
  /** exp(−|x|)·i1(x). */
  i1e<T extends AnyTensor>(this: T): Floated<T>;
  /** exp(x²)·erfc(x) without overflow. */
  erfcx<T extends AnyTensor>(this: T): Floated<T>;
  /** −x·log(x): 0 at 0, −∞ below. */
  entr<T extends AnyTensor>(this: T): Floated<T>;
  /** The area under the normal distribution up to x. */
  ndtr<T extends AnyTensor>(this: T): Floated<T>;
  /** The logarithm of {@link ndtr} without underflow. */
  logNdtr<T extends AnyTensor>(this: T): Floated<T>;
  /** `{ mantissa, exponent }`: x = mantissa·2^exponent, the mantissa's size in [0.5, 1), the exponent an int32. */
  frexp<T extends AnyTensor>(
    this: T,
  ): { readonly mantissa: Floated<T>; readonly exponent: Tensor<T[ShapeKey], "int32"> };
  /** x·log1p(other), and 0 where x is 0, unless other is NaN. */
  xlog1py<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
}

export const specialMethods: Erased<SpecialMethods> = {
  floatPower(exponent) {
    return wrap(ops.floatPower(unwrap(this), term(exponent)));
  },
  i0() {
    return wrap(besselI0(unwrap(this), false));
  },
  i0e() {
    return wrap(besselI0(unwrap(this), true));
  },
  i1() {
    return wrap(besselI1(unwrap(this), false));
  },
  i1e() {
    return wrap(besselI1(unwrap(this), true));
  },
  erfcx() {
    return wrap(ops.erfcx(unwrap(this)));
  },
  entr() {
    return wrap(ops.entr(unwrap(this)));
  },
  ndtr() {
    return wrap(ops.ndtr(unwrap(this)));
  },
  logNdtr() {
    return wrap(ops.logNdtr(unwrap(this)));
  },
  frexp() {
    const [mantissa, exponent] = ops.frexp(unwrap(this));
    return { mantissa: wrap(mantissa), exponent: wrap(exponent) };
  },
  xlog1py(other) {
    return wrap(ops.xlog1py(unwrap(this), term(other)));
  },
};

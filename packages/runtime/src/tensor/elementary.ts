import { deg2rad, frac, logit, nanToNum, positive, rad2deg, round, sinc, square } from "../ops/arithmetic.ts";
import { map, neg, not } from "../ops/pointwise.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Floated, Same, Truth } from "./types.ts";

/** T's shape and dtype, but int64 for bool. */
export type Squared<T extends AnyTensor> = Tensor<
  T[ShapeKey],
  T["dtype"] extends "bool" ? "int64" : T["dtype"]
>;

/** How many decimal places are kept. */
export interface RoundOptions {
  readonly decimals?: number;
}

/**
 * One result for each element, of the same shape. Each is PyTorch's op of the same name. Where the result is "as float",
 * integers and bools become float32 first. A DTypeError refuses what PyTorch refuses.
 */
export interface ElementaryMethods {
  /** −x. @throws DTypeError for bool. */
  neg<T extends AnyTensor>(this: T): Same<T>;
  /** x itself. @throws DTypeError for bool. */
  positive<T extends AnyTensor>(this: T): Same<T>;
  /** The magnitude. The most negative integer stays negative, as integers wrap. */
  abs<T extends AnyTensor>(this: T): Same<T>;
  /** −1, 0 or 1; 0 for NaN. */
  sign<T extends AnyTensor>(this: T): Same<T>;
  /** {@link sign}: there are no complex numbers. */
  sgn<T extends AnyTensor>(this: T): Same<T>;
  /** x²; of bools as int64. */
  square<T extends AnyTensor>(this: T): Squared<T>;

  /** The largest integer not above x. Integers stay as they are. */
  floor<T extends AnyTensor>(this: T): Same<T>;
  /** The smallest integer not below x. Integers stay as they are. */
  ceil<T extends AnyTensor>(this: T): Same<T>;
  /** x without its fraction. Integers stay as they are. */
  trunc<T extends AnyTensor>(this: T): Same<T>;
  /**
   * The nearest integer, halves to the even one. Integers stay as they are. `decimals` keeps so many decimal places of a
   * float, or rounds to tens, hundreds … when it is negative.
   */
  round<T extends AnyTensor>(this: T, options?: RoundOptions): Same<T>;
  /** x − trunc(x). @throws DTypeError for integers. */
  frac<T extends AnyTensor>(this: T): Same<T>;

  /** √x, as float; NaN below zero. */
  sqrt<T extends AnyTensor>(this: T): Floated<T>;
  /** 1 / √x, as float. */
  rsqrt<T extends AnyTensor>(this: T): Floated<T>;
  /** 1 / x, as float. */
  reciprocal<T extends AnyTensor>(this: T): Floated<T>;
  /** e to the x, as float. */
  exp<T extends AnyTensor>(this: T): Floated<T>;
  /** 2 to the x, as float. */
  exp2<T extends AnyTensor>(this: T): Floated<T>;
  /** e to the x, less 1, exact near zero; as float. */
  expm1<T extends AnyTensor>(this: T): Floated<T>;
  /** The natural logarithm, as float; −∞ at zero, NaN below. */
  log<T extends AnyTensor>(this: T): Floated<T>;
  /** The logarithm to base 2, as float. */
  log2<T extends AnyTensor>(this: T): Floated<T>;
  /** The logarithm to base 10, as float. */
  log10<T extends AnyTensor>(this: T): Floated<T>;
  /** log(1 + x), exact near zero; as float. */
  log1p<T extends AnyTensor>(this: T): Floated<T>;
  /** 1 / (1 + exp(−x)), as float. */
  sigmoid<T extends AnyTensor>(this: T): Floated<T>;
  /** log(x / (1 − x)) as float, of x clamped to [eps, 1 − eps] when `eps` is given. */
  logit<T extends AnyTensor>(this: T, eps?: number | null): Floated<T>;

  /** The sine of x in radians, as float. */
  sin<T extends AnyTensor>(this: T): Floated<T>;
  /** The cosine of x in radians, as float. */
  cos<T extends AnyTensor>(this: T): Floated<T>;
  /** The tangent of x in radians, as float. */
  tan<T extends AnyTensor>(this: T): Floated<T>;
  /** The angle in [−π/2, π/2] whose sine is x, as float. */
  asin<T extends AnyTensor>(this: T): Floated<T>;
  /** The angle in [0, π] whose cosine is x, as float. */
  acos<T extends AnyTensor>(this: T): Floated<T>;
  /** The angle in (−π/2, π/2) whose tangent is x, as float. */
  atan<T extends AnyTensor>(this: T): Floated<T>;
  /** The hyperbolic sine, as float. */
  sinh<T extends AnyTensor>(this: T): Floated<T>;
  /** The hyperbolic cosine, as float. */
  cosh<T extends AnyTensor>(this: T): Floated<T>;
  /** The hyperbolic tangent, as float. */
  tanh<T extends AnyTensor>(this: T): Floated<T>;
  /** The inverse of sinh, as float. */
  asinh<T extends AnyTensor>(this: T): Floated<T>;
  /** The inverse of cosh, as float; NaN below 1. */
  acosh<T extends AnyTensor>(this: T): Floated<T>;
  /** The inverse of tanh, as float; ±∞ at ±1, NaN beyond. */
  atanh<T extends AnyTensor>(this: T): Floated<T>;
  /** sin(πx) / (πx), 1 at zero; as float. */
  sinc<T extends AnyTensor>(this: T): Floated<T>;
  /** Degrees to radians, as float. */
  deg2rad<T extends AnyTensor>(this: T): Floated<T>;
  /** Radians to degrees, as float. */
  rad2deg<T extends AnyTensor>(this: T): Floated<T>;

  /** The error function, as float. */
  erf<T extends AnyTensor>(this: T): Floated<T>;
  /** 1 − erf(x), exact for large x; as float. */
  erfc<T extends AnyTensor>(this: T): Floated<T>;
  /** The inverse of erf, as float; ±∞ at ±1, NaN beyond. */
  erfinv<T extends AnyTensor>(this: T): Floated<T>;
  /** The logarithm of |Γ(x)|, as float. */
  lgamma<T extends AnyTensor>(this: T): Floated<T>;
  /** The logarithmic derivative of Γ, as float. */
  digamma<T extends AnyTensor>(this: T): Floated<T>;

  /** True where x is NaN. */
  isnan<T extends AnyTensor>(this: T): Truth<T>;
  /** True where x is ∞ or −∞. */
  isinf<T extends AnyTensor>(this: T): Truth<T>;
  /** True where x is neither NaN nor infinite. */
  isfinite<T extends AnyTensor>(this: T): Truth<T>;
  /** True where the sign bit is set, also of −0. */
  signbit<T extends AnyTensor>(this: T): Truth<T>;
  /** True where x is 0 or false. */
  logicalNot<T extends AnyTensor>(this: T): Truth<T>;
  /** Every bit inverted; for bool, not. @throws DTypeError for floats. */
  bitwiseNot<T extends AnyTensor>(this: T): Same<T>;
  /**
   * NaN and the infinities replaced: by `nan` (0), `posinf` and `neginf` (the largest and the smallest of the dtype).
   * Integers stay as they are.
   */
  nanToNum<T extends AnyTensor>(
    this: T,
    nan?: number,
    posinf?: number | null,
    neginf?: number | null,
  ): Same<T>;
}

export const elementaryMethods: Erased<ElementaryMethods> = {
  neg() {
    return wrap(neg(unwrap(this)));
  },
  positive() {
    return wrap(positive(unwrap(this)));
  },
  abs() {
    return wrap(map("abs", unwrap(this)));
  },
  sign() {
    return wrap(map("sign", unwrap(this)));
  },
  sgn() {
    return wrap(map("sign", unwrap(this)));
  },
  square() {
    return wrap(square(unwrap(this)));
  },
  floor() {
    return wrap(map("floor", unwrap(this)));
  },
  ceil() {
    return wrap(map("ceil", unwrap(this)));
  },
  trunc() {
    return wrap(map("trunc", unwrap(this)));
  },
  round(options) {
    return wrap(round(unwrap(this), options?.decimals ?? 0));
  },
  frac() {
    return wrap(frac(unwrap(this)));
  },
  sqrt() {
    return wrap(map("sqrt", unwrap(this)));
  },
  rsqrt() {
    return wrap(map("rsqrt", unwrap(this)));
  },
  reciprocal() {
    return wrap(map("reciprocal", unwrap(this)));
  },
  exp() {
    return wrap(map("exp", unwrap(this)));
  },
  exp2() {
    return wrap(map("exp2", unwrap(this)));
  },
  expm1() {
    return wrap(map("expm1", unwrap(this)));
  },
  log() {
    return wrap(map("log", unwrap(this)));
  },
  log2() {
    return wrap(map("log2", unwrap(this)));
  },
  log10() {
    return wrap(map("log10", unwrap(this)));
  },
  log1p() {
    return wrap(map("log1p", unwrap(this)));
  },
  sigmoid() {
    return wrap(map("sigmoid", unwrap(this)));
  },
  logit(eps = null) {
    return wrap(logit(unwrap(this), eps));
  },
  sin() {
    return wrap(map("sin", unwrap(this)));
  },
  cos() {
    return wrap(map("cos", unwrap(this)));
  },
  tan() {
    return wrap(map("tan", unwrap(this)));
  },
  asin() {
    return wrap(map("asin", unwrap(this)));
  },
  acos() {
    return wrap(map("acos", unwrap(this)));
  },
  atan() {
    return wrap(map("atan", unwrap(this)));
  },
  sinh() {
    return wrap(map("sinh", unwrap(this)));
  },
  cosh() {
    return wrap(map("cosh", unwrap(this)));
  },
  tanh() {
    return wrap(map("tanh", unwrap(this)));
  },
  asinh() {
    return wrap(map("asinh", unwrap(this)));
  },
  acosh() {
    return wrap(map("acosh", unwrap(this)));
  },
  atanh() {
    return wrap(map("atanh", unwrap(this)));
  },
  sinc() {
    return wrap(sinc(unwrap(this)));
  },
  deg2rad() {
    return wrap(deg2rad(unwrap(this)));
  },
  rad2deg() {
    return wrap(rad2deg(unwrap(this)));
  },
  erf() {
    return wrap(map("erf", unwrap(this)));
  },
  erfc() {
    return wrap(map("erfc", unwrap(this)));
  },
  erfinv() {
    return wrap(map("erfinv", unwrap(this)));
  },
  lgamma() {
    return wrap(map("lgamma", unwrap(this)));
  },
  digamma() {
    return wrap(map("digamma", unwrap(this)));
  },
  isnan() {
    return wrap(map("isnan", unwrap(this)));
  },
  isinf() {
    return wrap(map("isinf", unwrap(this)));
  },
  isfinite() {
    return wrap(map("isfinite", unwrap(this)));
  },
  signbit() {
    return wrap(map("signbit", unwrap(this)));
  },
  logicalNot() {
    return wrap(not(unwrap(this)));
  },
  bitwiseNot() {
    return wrap(map("bitwiseNot", unwrap(this)));
  },
  nanToNum(nan = 0, posinf = null, neginf = null) {
    return wrap(nanToNum(unwrap(this), nan, posinf, neginf));
  },
};

import type { FloatResult, Scalar } from "@fuseau/ir";
import {
  addcdiv,
  addcmul,
  clamp,
  divide,
  divideWhole,
  heaviside,
  ldexp,
  lerp,
  logaddexp,
  logaddexp2,
  type RoundingMode,
  xlogy,
} from "../ops/arithmetic.ts";
import { addScaled, mul, pow, sub, subScaled, zip } from "../ops/pointwise.ts";
import { checkedTerm, type Tensor, tensorArgument, term, unwrap, wrap } from "./handle.ts";
import type {
  AnyTensor,
  Erased,
  Fits,
  FitsShape,
  Operand,
  PairDType,
  Paired,
  PairedFloat,
  PairShape,
  TripleDType,
  TripleShape,
} from "./types.ts";

/** `alpha` multiplies the other operand first. */
export interface AlphaOptions {
  readonly alpha?: Scalar;
}

/** `value` multiplies the product or quotient of the other two. */
export interface ValueOptions {
  readonly value?: Scalar;
}

/** A float unless the quotient is rounded. */
type Quotient<T extends AnyTensor, B, Mode> = Tensor<
  PairShape<T, B>,
  Mode extends null ? FloatResult<PairDType<T, B>> : PairDType<T, B>
>;

/**
 * Arithmetic of a tensor and an operand, which is a tensor, a number, a bigint, a boolean or `float(2)`. Shapes are
 * broadcast and dtypes promoted. Each is PyTorch's op of the same name.
 * @throws ShapeError when the shapes do not broadcast, DTypeError for dtypes that PyTorch refuses.
 */
export interface ArithmeticMethods {
  /** x + alpha·other; on bools, or. */
  add<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: Fits<T, B>,
    options?: AlphaOptions,
  ): Paired<T, B>;
  /** x − alpha·other. @throws DTypeError for bools. */
  sub<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: Fits<T, B>,
    options?: AlphaOptions,
  ): Paired<T, B>;
  /** other − alpha·x. @throws DTypeError for bools. */
  rsub<T extends AnyTensor, const B extends Operand>(
    this: T,
    other: Fits<T, B>,
    options?: AlphaOptions,
  ): Paired<T, B>;
  /** x·other; on bools, and. */
  mul<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** x / other: a float, unless `roundingMode` is "trunc" or "floor". Division by a float zero gives ±∞ or NaN. */
  div<T extends AnyTensor, const B extends Operand, const Mode extends RoundingMode = null>(
    this: T,
    other: Fits<T, B>,
    options?: { readonly roundingMode?: Mode },
  ): Quotient<T, B, Mode>;
  /** x / other, always a float. */
  trueDivide<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** x / other rounded toward −∞: −7 and 2 give −4. */
  floorDivide<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** What is left of x by `floorDivide`: it has the divisor's sign. */
  remainder<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** What is left of x by division toward zero: it has x's own sign. */
  fmod<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** x to the power of `exponent`. @throws DTypeError for integers to a negative integer. */
  pow<T extends AnyTensor, const B extends Operand>(this: T, exponent: Fits<T, B>): Paired<T, B>;
  /** The larger one; NaN wins. */
  maximum<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** The smaller one; NaN wins. */
  minimum<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** The larger one; NaN loses. */
  fmax<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** The smaller one; NaN loses. */
  fmin<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** The angle in (−π, π] of the point (other, x), as float. */
  atan2<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** √(x² + other²) without overflow, as float. */
  hypot<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** The magnitude of x with the sign of `other`, as float. */
  copysign<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** The next representable number from x towards `other`. @throws DTypeError for integers. */
  nextafter<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** The greatest common divisor. @throws DTypeError for floats. */
  gcd<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** The least common multiple. @throws DTypeError for floats. */
  lcm<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** log(exp(x) + exp(other)) without overflow. @throws DTypeError for integers. */
  logaddexp<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** log2(2^x + 2^other) without overflow. @throws DTypeError for integers. */
  logaddexp2<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): Paired<T, B>;
  /** x·log(other), and 0 where x is 0 unless `other` is NaN; as float. */
  xlogy<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** 0 below zero, 1 above it, `values` at zero; a number adopts x's dtype. @throws DTypeError for different dtypes. */
  heaviside<T extends AnyTensor, const B extends Operand>(this: T, values: Fits<T, B>): Paired<T, B>;
  /** x·2^other, as float. */
  ldexp<T extends AnyTensor, const B extends Operand>(this: T, other: Fits<T, B>): PairedFloat<T, B>;
  /** x + weight·(end − x). @throws DTypeError for integers or different dtypes. */
  lerp<T extends AnyTensor, const B extends AnyTensor, const W extends Operand>(
    this: T,
    end: Fits<T, B>,
    weight: FitsShape<PairShape<T, B>, W>,
  ): Tensor<TripleShape<T, B, W>, T["dtype"]>;
  /** x + value·tensor1·tensor2. */
  addcmul<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    tensor1: Fits<T, A>,
    tensor2: FitsShape<PairShape<T, A>, B>,
    options?: ValueOptions,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
  /** x + value·tensor1 / tensor2. @throws DTypeError when all are integers. */
  addcdiv<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    tensor1: Fits<T, A>,
    tensor2: FitsShape<PairShape<T, A>, B>,
    options?: ValueOptions,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
  /** x kept between `min` and `max`, either of which may be `null`; where min > max the result is max. NaN wins. */
  clamp<T extends AnyTensor, const A extends Operand | null = null, const B extends Operand | null = null>(
    this: T,
    min?: Fits<T, A>,
    max?: FitsShape<PairShape<T, A>, B>,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
  /** {@link clamp}. */
  clip<T extends AnyTensor, const A extends Operand | null = null, const B extends Operand | null = null>(
    this: T,
    min?: Fits<T, A>,
    max?: FitsShape<PairShape<T, A>, B>,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
  /** The larger of x and `min`. */
  clampMin<T extends AnyTensor, const B extends Operand>(this: T, min: Fits<T, B>): Paired<T, B>;
  /** The smaller of x and `max`. */
  clampMax<T extends AnyTensor, const B extends Operand>(this: T, max: Fits<T, B>): Paired<T, B>;
}

export const arithmeticMethods: Erased<ArithmeticMethods> = {
  add(other, options) {
    const alpha = options?.alpha;
    if (alpha === undefined) return wrap(zip("add", unwrap(this), term(other)));
    return wrap(addScaled(unwrap(this), checkedTerm("add", other), alpha));
  },
  sub(other, options) {
    const alpha = options?.alpha;
    if (alpha === undefined) return wrap(sub(unwrap(this), term(other)));
    return wrap(subScaled(unwrap(this), checkedTerm("sub", other), alpha));
  },
  rsub(other, options) {
    const alpha = options?.alpha;
    if (alpha === undefined) return wrap(sub(term(other), unwrap(this)));
    return wrap(subScaled(checkedTerm("rsub", other), unwrap(this), alpha));
  },
  mul(other) {
    return wrap(mul(unwrap(this), term(other)));
  },
  div(other, options) {
    const mode = options?.roundingMode ?? null;
    return wrap(divide(unwrap(this), term(other), mode));
  },
  trueDivide(other) {
    return wrap(divide(unwrap(this), term(other), null));
  },
  pow(exponent) {
    return wrap(pow(unwrap(this), term(exponent)));
  },
  floorDivide(other) {
    return wrap(divideWhole("floorDivide", unwrap(this), term(other)));
  },
  remainder(other) {
    return wrap(divideWhole("remainder", unwrap(this), term(other)));
  },
  fmod(other) {
    return wrap(divideWhole("fmod", unwrap(this), term(other)));
  },
  maximum(other) {
    return wrap(zip("maximum", unwrap(this), term(other)));
  },
  minimum(other) {
    return wrap(zip("minimum", unwrap(this), term(other)));
  },
  fmax(other) {
    return wrap(zip("fmax", unwrap(this), term(other)));
  },
  fmin(other) {
    return wrap(zip("fmin", unwrap(this), term(other)));
  },
  atan2(other) {
    return wrap(zip("atan2", unwrap(this), term(other)));
  },
  hypot(other) {
    return wrap(zip("hypot", unwrap(this), term(other)));
  },
  copysign(other) {
    return wrap(zip("copysign", unwrap(this), term(other)));
  },
  nextafter(other) {
    return wrap(zip("nextafter", unwrap(this), term(other)));
  },
  gcd(other) {
    return wrap(zip("gcd", unwrap(this), term(other)));
  },
  lcm(other) {
    return wrap(zip("lcm", unwrap(this), term(other)));
  },
  logaddexp(other) {
    return wrap(logaddexp(unwrap(this), term(other)));
  },
  logaddexp2(other) {
    return wrap(logaddexp2(unwrap(this), term(other)));
  },
  heaviside(values) {
    return wrap(heaviside(unwrap(this), term(values)));
  },
  ldexp(other) {
    return wrap(ldexp(unwrap(this), term(other)));
  },
  xlogy(other) {
    return wrap(xlogy(unwrap(this), term(other)));
  },
  lerp(end, weight) {
    return wrap(lerp(unwrap(this), tensorArgument("lerp", "end", end), checkedTerm("lerp", weight)));
  },
  addcmul(tensor1, tensor2, options) {
    const first = tensorArgument("addcmul", "tensor1", tensor1);
    return wrap(
      addcmul(unwrap(this), first, tensorArgument("addcmul", "tensor2", tensor2), options?.value ?? 1),
    );
  },
  addcdiv(tensor1, tensor2, options) {
    const first = tensorArgument("addcdiv", "tensor1", tensor1);
    return wrap(
      addcdiv(unwrap(this), first, tensorArgument("addcdiv", "tensor2", tensor2), options?.value ?? 1),
    );
  },
  clamp(min, max) {
    return wrap(
      clamp(
        "clamp",
        unwrap(this),
        min == null ? null : checkedTerm("clamp", min),
        max == null ? null : checkedTerm("clamp", max),
      ),
    );
  },
  clip(min, max) {
    return wrap(
      clamp(
        "clip",
        unwrap(this),
        min == null ? null : checkedTerm("clip", min),
        max == null ? null : checkedTerm("clip", max),
      ),
    );
  },
  clampMin(min) {
    return wrap(zip("maximum", unwrap(this), term(min)));
  },
  clampMax(max) {
    return wrap(zip("minimum", unwrap(this), term(max)));
  },
};

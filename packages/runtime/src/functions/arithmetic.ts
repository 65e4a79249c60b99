/**
 * Arithmetic of a tensor and an operand, which is a tensor, a number, a bigint, a boolean or `float(2)`. Shapes are
 * broadcast and dtypes promoted; as a function, either operand may be the scalar. Each is PyTorch's op of the same name.
 * @throws ShapeError when the shapes do not broadcast, DTypeError for dtypes that PyTorch refuses.
 */
import {
  type Broadcast,
  type FloatResult,
  type FloatScalar,
  isFloat,
  type Scalar,
  showArgument,
} from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { floatBinary, sameBinary } from "../declare/families.ts";
import { type Beside, checkOperands } from "../declare/operands.ts";
import { byName } from "../entry/inspect.ts";
import * as ops from "../ops/arithmetic.ts";
import { numberOf } from "../ops/creation.ts";
import { as, checkTerm, exactly, promotePair, type Term } from "../ops/operand.ts";
import {
  addScaled,
  map,
  sub as minus,
  pow as power,
  promoted,
  subScaled,
  mul as times,
  zip,
} from "../ops/pointwise.ts";
import { checkedTerm, type ShapeKey, type Tensor, term, unwrap, wrap } from "../tensor/handle.ts";
import type {
  AnyTensor,
  Fits,
  FitsLimit,
  FitsShape,
  Least,
  Most,
  Operand,
  OperandsDType,
  PairShape,
  ShapeOf,
  TripleDType,
  TripleShape,
} from "../tensor/types.ts";
import { Value } from "../value.ts";

/** `alpha` multiplies the other operand first. */
export interface AlphaOptions {
  readonly alpha?: Scalar;
}

/** `value` multiplies the product or quotient of the other two. */
export interface ValueOptions {
  readonly value?: Scalar;
}

/** How a quotient is rounded: not at all, toward zero, or toward minus infinity. */
export type RoundingMode = "trunc" | "floor" | null;

/** How a quotient is rounded. */
export interface DivideOptions<Mode extends RoundingMode = RoundingMode> {
  readonly roundingMode?: Mode;
}

/** x + alpha·other; on bools, or. */
export const add = sameBinary<[options?: AlphaOptions]>("add(other, { alpha })", (a, b, options) =>
  options?.alpha === undefined ? zip("add", a, b) : addScaled(a, b, options.alpha),
);

/** x − alpha·other. @throws DTypeError for bools. */
export const sub = sameBinary<[options?: AlphaOptions]>("sub(other, { alpha })", (a, b, options) =>
  options?.alpha === undefined ? minus(a, b) : subScaled(a, b, options.alpha),
);

/** other − alpha·x. @throws DTypeError for bools. */
export const rsub = sameBinary<[options?: AlphaOptions]>("rsub(other, { alpha })", (a, b, options) =>
  options?.alpha === undefined ? minus(b, a) : subScaled(b, a, options.alpha),
);

/** x·other; on bools, and. */
export const mul = sameBinary("mul(other)", times);

/** x / other: a float, unless `roundingMode` is "trunc" or "floor". Division by a float zero gives ±∞ or NaN. */
export const div = declare(
  "div(other, { roundingMode })",
  <const A extends Operand, const B extends Operand, const Mode extends RoundingMode = null>(
    input: A,
    other: Beside<A, B>,
    options?: DivideOptions<Mode>,
  ): Tensor<
    Broadcast<ShapeOf<A>, ShapeOf<B>>,
    Mode extends null ? FloatResult<OperandsDType<A, B>> : OperandsDType<A, B>
  > => {
    checkOperands(input, other as Operand);
    const [a, b, mode] = [term(input), term(other), options?.roundingMode ?? null];
    if (mode === null) return wrap(zip("div", a, b));
    if (mode === "trunc" || mode === "floor") return wrap(ops.divideWhole(`${mode}Divide`, a, b));
    throw new TypeError(
      `div expected rounding_mode to be one of None, 'trunc', or 'floor' but found ${showArgument(mode)} (null, "trunc" or "floor")`,
    );
  },
  true,
);

/** x / other, always a float. */
export const trueDivide = floatBinary("trueDivide(other)", "div");

/** x / other rounded toward −∞: −7 and 2 give −4. */
export const floorDivide = sameBinary("floorDivide(other)", (a, b) => ops.divideWhole("floorDivide", a, b));

/** The remainder of `floorDivide`: it has the divisor's sign. */
export const remainder = sameBinary("remainder(other)", (a, b) => ops.divideWhole("remainder", a, b));

/** The remainder of division toward zero: it has x's own sign. */
export const fmod = sameBinary("fmod(other)", (a, b) => ops.divideWhole("fmod", a, b));

/**
 * x to the power of `exponent`. By the numbers 2, 3, ½, −½, −1 and −2 it is a product, a root or a reciprocal, as in PyTorch: of −∞, the
 * power ½ is NaN.
 * @throws DTypeError for an integer to a negative integer scalar.
 */
export const pow = sameBinary("pow(exponent)", power);

/** Refuses a number that the dtype does not hold: as another number it would be another bound. */
const extremeOf =
  (fn: "maximum" | "minimum" | "fmax" | "fmin") =>
  (a: Term, b: Term): Value => {
    const dtype = promotePair(a, b);
    return zip(fn, exactly(dtype, a), exactly(dtype, b));
  };

/** The larger one; NaN if either is NaN. */
export const maximum = sameBinary("maximum(other)", extremeOf("maximum"));

/** The smaller one; NaN if either is NaN. */
export const minimum = sameBinary("minimum(other)", extremeOf("minimum"));

/** The larger one; if one is NaN, the other. */
export const fmax = sameBinary("fmax(other)", extremeOf("fmax"));

/** The smaller one; if one is NaN, the other. */
export const fmin = sameBinary("fmin(other)", extremeOf("fmin"));

/** The angle in (−π, π] of the point (other, x), as float. */
export const atan2 = floatBinary("atan2(other)", "atan2");

/** √(x² + other²) without overflow, as float. */
export const hypot = floatBinary("hypot(other)", "hypot");

/** The magnitude of x with the sign of `other`, as float. */
export const copysign = floatBinary("copysign(other)", "copysign");

/** The next representable number from x towards `other`. @throws DTypeError for integers. */
export const nextafter = floatBinary("nextafter(other)", "nextafter");

/** The greatest common divisor. @throws DTypeError for floats. */
export const gcd = sameBinary("gcd(other)", "gcd");

/** The least common multiple. @throws DTypeError for floats. */
export const lcm = sameBinary("lcm(other)", "lcm");

/** log(exp(x) + exp(other)) without overflow. @throws DTypeError for integers. */
export const logaddexp = sameBinary("logaddexp(other)", ops.logaddexp);

/** log2(2^x + 2^other) without overflow. @throws DTypeError for integers. */
export const logaddexp2 = sameBinary("logaddexp2(other)", ops.logaddexp2);

/** x·log(other), and 0 where x is 0 unless `other` is NaN; as float. */
export const xlogy = floatBinary("xlogy(other)", ops.xlogy);

/**
 * 0 below zero, 1 above it, `values` at zero; a number gets x's dtype.
 * @throws DTypeError for different dtypes.
 */
export const heaviside = sameBinary("heaviside(values)", ops.heaviside);

/** The dtype of 2^B: a scalar counts as a float. */
export type PowerOfTwo<B> = B extends AnyTensor
  ? Tensor<B[ShapeKey], FloatResult<B["dtype"]>>
  : B extends Scalar
    ? FloatScalar
    : never;

/** x·2^other, as float. */
export const ldexp = declare(
  "ldexp(other)",
  <const A extends Operand, const B extends Operand>(
    input: A,
    other: Beside<A, B>,
  ): Tensor<Broadcast<ShapeOf<A>, ShapeOf<B>>, FloatResult<OperandsDType<A, PowerOfTwo<B>>>> => {
    checkOperands(input, other as Operand);
    const [x, exponent] = [term(input), term(other)];
    const dtype = promotePair(x, exponent);
    const power = exponent instanceof Value ? exponent : as(isFloat(dtype) ? dtype : "float32", exponent);
    return wrap(times(x, map("exp2", power)));
  },
  true,
);

/** The larger of x and `min`. */
export const clampMin = sameBinary("clampMin(min)", (a, b) => ops.clampPair("clampMin", a, b, "min"));

/** The smaller of x and `max`. */
export const clampMax = sameBinary("clampMax(max)", (a, b) => ops.clampPair("clampMax", a, b, "max"));

/** x + weight·(end − x). @throws DTypeError for integers or different dtypes. */
export const lerp = declare(
  "lerp(end, weight)",
  <T extends AnyTensor, const B extends AnyTensor, const W extends Operand>(
    input: T,
    end: Fits<T, B>,
    weight: FitsShape<PairShape<T, B>, W>,
  ): Tensor<TripleShape<T, B, W>, T["dtype"]> =>
    wrap(ops.lerp(unwrap(input), unwrap(end), checkedTerm(weight))),
  true,
);

/** x + value·tensor1·tensor2. For integers, `value` loses its fraction. */
export const addcmul = declare(
  "addcmul(tensor1, tensor2, { value })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    tensor1: Fits<T, A>,
    tensor2: FitsShape<PairShape<T, A>, B>,
    options?: ValueOptions,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>> => {
    const [x, a, b] = promoted(unwrap(input), unwrap(tensor1), unwrap(tensor2)) as [Value, Value, Value];
    const { value = 1 } = options ?? {};
    checkTerm(value);
    const scale = isFloat(x.node.dtype) ? value : Math.trunc(numberOf(value));
    return wrap(zip("add", x, times(times(a, ops.scaling(x, scale)), b)));
  },
  true,
);

/** x + value·tensor1 / tensor2. @throws DTypeError when all are integers. */
export const addcdiv = declare(
  "addcdiv(tensor1, tensor2, { value })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    tensor1: Fits<T, A>,
    tensor2: FitsShape<PairShape<T, A>, B>,
    options?: ValueOptions,
  ): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>> =>
    wrap(ops.addcdiv(unwrap(input), unwrap(tensor1), unwrap(tensor2), options?.value ?? 1)),
  true,
);

/**
 * x kept between `min` and `max`. Either may be `null`, or left out of `{ min, max }`. Where min > max the result is max; where any is NaN
 * it is NaN.
 */
export const clamp = declare(
  "clamp(min, max)",
  <T extends AnyTensor, const A = null, const B extends Operand | null = null>(
    input: T,
    min?: FitsLimit<T, A>,
    max?: FitsShape<PairShape<T, Least<A>>, B>,
  ): Tensor<TripleShape<T, Least<A>, Most<A, B>>, TripleDType<T, Least<A>, Most<A, B>>> =>
    wrap(clamped("clamp", input, min, max)),
  true,
);

/** {@link clamp}. */
export const clip: typeof clamp = declare(
  "clip(min, max)",
  (input, min, max) => wrap(clamped("clip", input, min, max)),
  true,
);

const clamped = (op: string, x: AnyTensor, ...given: readonly unknown[]): Value => {
  const [min, max] = byName(op, ["min", "max"], given);
  return ops.clamp(
    op,
    unwrap(x),
    min == null ? null : checkedTerm(min),
    max == null ? null : checkedTerm(max),
  );
};

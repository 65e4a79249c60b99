/**
 * Special functions; results are floats. Each is the function of that name in torch.special.
 * @throws ShapeError when the shapes do not broadcast.
 */
import { checkInteger, DTypeError, type FloatResult, isFloat } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { composedFloat, doubleBinary, floatBinary, floatUnary } from "../declare/families.ts";
import { xlog1py as timesLog1p } from "../ops/arithmetic.ts";
import { besselI0, besselI1 } from "../ops/bessel.ts";
import { incompleteGamma } from "../ops/gamma.ts";
import { as, checkTerm, floating, promotePair, type Term } from "../ops/operand.ts";
import {
  abs,
  add,
  and,
  div,
  eq,
  exp,
  ge,
  gt,
  log,
  lt,
  map,
  mul,
  ne,
  pow,
  sub,
  where,
  zip,
} from "../ops/pointwise.ts";
import { inDouble, zetaOf } from "../ops/special.ts";
import { cast } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import { type ShapeKey, type Tensor, unwrap, wrapEach } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** x to the power of `exponent`, always in float64. */
export const floatPower = doubleBinary("floatPower(exponent)", (a, b) => {
  checkTerm(a);
  checkTerm(b);
  return pow(as("float64", a), as("float64", b));
});

/** The modified Bessel function of the first kind of order 0. */
export const i0 = floatUnary("i0()", (x) => besselI0(x, false));

/** exp(−|x|)·i0(x). */
export const i0e = floatUnary("i0e()", (x) => besselI0(x, true));

/** The modified Bessel function of the first kind of order 1. */
export const i1 = floatUnary("i1()", (x) => besselI1(x, false));

/** exp(−|x|)·i1(x). */
export const i1e = floatUnary("i1e()", (x) => besselI1(x, true));

const logNdtrOfDouble = (x: Value): Value => {
  const t = (): Value => mul(x, Math.SQRT1_2);
  const compute = (): Value => {
    const below = sub(log(mul(scaledErfc(map("neg", t())), 0.5)), mul(t(), t()));
    return where(lt(x, -1), below, map("log1p", mul(map("erfc", t()), -0.5)));
  };
  return withRule("logNdtr", [x], compute, (_, g) => [
    mul(g, div(Math.sqrt(2 / Math.PI), scaledErfc(map("neg", t())))),
  ]);
};

/** Beyond 20 by its asymptotic series: the first term left out is below 10^-13 there. */
const scaledErfc = (x: Value): Value =>
  withRule(
    "erfcx",
    [x],
    () => scaledErfcOf(x),
    (result, g) => [mul(g, sub(mul(mul(x, 2), result), 2 / Math.sqrt(Math.PI)))],
  );

function scaledErfcOf(x: Value): Value {
  const product = mul(exp(mul(x, x)), map("erfc", x));
  // 1 − u + 3u² − 15u³ + 105u⁴ − 945u⁵ by Horner, u = 1/(2x²).
  const u = div(0.5, mul(x, x));
  const series = [105, -15, 3, -1, 1].reduce<Value>(
    (sum, term) => add(mul(sum, u), term),
    add(mul(u, 0), -945),
  );
  return where(gt(x, 20), div(series, mul(x, Math.sqrt(Math.PI))), product);
}

/** exp(x²)·erfc(x) without overflow. */
export const erfcx = floatUnary("erfcx()", (x) => inDouble(x, scaledErfc));

/** −x·log(x): 0 at 0, −∞ below. */
export const entr = composedFloat("entr()", (x) => {
  const p = floating(x);
  const compute = (): Value => {
    const inside = map("neg", mul(p, log(p)));
    const outside = where(lt(p, 0), Number.NEGATIVE_INFINITY, p);
    return where(gt(p, 0), inside, where(eq(p, 0), 0, outside));
  };
  return withRule("entr", [p], compute, (_, g) => [mul(g, map("neg", add(log(p), 1)))]);
});

/** The distribution function of the standard normal distribution. */
export const ndtr = floatUnary("ndtr()", (x) =>
  inDouble(x, (wide) => mul(map("erfc", mul(wide, -Math.SQRT1_2)), 0.5)),
);

/** The logarithm of {@link ndtr}, without underflow. */
export const logNdtr = floatUnary("logNdtr()", (x) => inDouble(x, logNdtrOfDouble));

/** The inverse of {@link ndtr}: the x up to which the probability is p. */
export const ndtri = floatUnary("ndtri()", "ndtri");

/** The logarithm of the multivariate gamma function in p dimensions. */
export const mvlgamma = composedFloat<[p: number]>("mvlgamma(p)", (x, p) => {
  checkInteger("p", p);
  if (p < 1) throw new RangeError("p has to be greater than or equal to 1");
  let sum: Value = map("lgamma", floating(x));
  for (let k = 1; k < p; k++) sum = add(sum, map("lgamma", sub(floating(x), k / 2)));
  return add(sum, (p * (p - 1) * Math.log(Math.PI)) / 4);
});

/** The Hurwitz zeta function Σ (q + k)^−x over k ≥ 0; it cannot be differentiated by x. */
export const zeta = floatBinary("zeta(q)", (x, q) => {
  const dtype = promotePair(x, q);
  return zetaOf(floating(as(dtype, x)), floating(as(dtype, q)));
});

const gammaOf =
  (isUpper: boolean) =>
  (a: Term, x: Term): Value => {
    const dtype = promotePair(a, x);
    return incompleteGamma(floating(as(dtype, a)), floating(as(dtype, x)), isUpper);
  };

/** The regularised incomplete gamma function from 0 to x, of x = a and x = `other`; it cannot be differentiated by a. */
export const igamma = floatBinary("igamma(other)", gammaOf(false));

/** 1 − {@link igamma}: from x on. */
export const igammac = floatBinary("igammac(other)", gammaOf(true));

/** The angle of a real number, as float: 0 where it is not negative, π where it is, NaN for NaN. */
export const angle = floatUnary("angle()", (x) => {
  const own = floating(x);
  return where(map("isnan", own), own, where(lt(own, 0), as(own.node.dtype, Math.PI), 0));
});

/** x = mantissa·2^exponent. */
export interface Frexp<T extends AnyTensor> {
  readonly mantissa: Tensor<T[ShapeKey], FloatResult<T["dtype"]>>;
  readonly exponent: Tensor<T[ShapeKey], "int32">;
}

/** `{ mantissa, exponent }` with x = mantissa·2^exponent. The mantissa's absolute value is in [0.5, 1); the exponent is an int32. */
export const frexp = declare("frexp()", <T extends AnyTensor>(input: T): Frexp<T> => {
  const x = unwrap(input);
  const { dtype } = x.node;
  if (!isFloat(dtype)) throw new DTypeError("torch.frexp() only supports floating-point dtypes (cast first)");
  const wide = cast(x, "float64");
  const plain = and(map("isfinite", wide), ne(wide, 0));
  const size = where(plain, abs(wide), 1);
  const guess = add(map("floor", map("log2", size)), 1);
  // In two factors, since 2^1074 is beyond float64. At powers of two the logarithm may be off by one.
  const half = map("floor", mul(guess, -0.5));
  const scaled = mul(mul(size, map("exp2", half)), map("exp2", sub(map("neg", guess), half)));
  const [above, below] = [ge(scaled, 1), lt(scaled, 0.5)];
  const mantissa = where(above, mul(scaled, 0.5), where(below, mul(scaled, 2), scaled));
  const exponent = where(above, add(guess, 1), where(below, sub(guess, 1), guess));
  return wrapEach({
    mantissa: cast(where(plain, zip("copysign", mantissa, wide), wide), dtype),
    exponent: cast(where(plain, exponent, 0), "int32"),
  });
});

/** x·log1p(other), and 0 where x is 0, unless other is NaN. */
export const xlog1py = floatBinary("xlog1py(other)", timesLog1p);

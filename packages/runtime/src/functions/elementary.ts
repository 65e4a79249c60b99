/**
 * Elementary functions: one result for each element, of the same shape. Each is PyTorch's op of the same name. "As float" means that
 * integers and bools become float32 first.
 * @throws DTypeError for dtypes that PyTorch refuses.
 */
import { checkInteger, checkNumber, DTypeError, isFloat } from "@fuseau/ir";
import {
  composedFloat,
  countedUnary,
  floatUnary,
  logicalUnary,
  sameUnary,
  test,
} from "../declare/families.ts";
import { byName } from "../entry/inspect.ts";
import { floating, onlyFloat } from "../ops/operand.ts";
import {
  div,
  eq,
  gt,
  lt,
  map,
  sub as minus,
  mul,
  neg as negative,
  not,
  or,
  where,
} from "../ops/pointwise.ts";
import { pointwiseRule } from "../ops/rule.ts";
import { cast } from "../record.ts";
import type { Value } from "../value.ts";

/** How many decimal places are kept. */
export interface RoundOptions {
  readonly decimals?: number;
}

/** −x. @throws DTypeError for bool. */
export const neg = sameUnary("neg()", negative);

/** x itself. @throws DTypeError for bool. */
export const positive = sameUnary("positive()", (x) => {
  if (x.node.dtype !== "bool") return x;
  throw new DTypeError("The `+` operator, on a bool tensor is not supported.");
});

/** The absolute value. The most negative integer stays negative, since integers wrap. */
export const abs = sameUnary("abs()", "abs");

/** −1, 0 or 1; 0 for NaN. */
export const sign = sameUnary("sign()", "sign");

/** {@link sign}: there are no complex numbers. */
export const sgn = sameUnary("sgn()", "sign");

/** x²; of bools as int64. */
export const square = countedUnary("square()", (x) =>
  x.node.dtype === "bool" ? cast(x, "int64") : mul(x, x),
);

/** The largest integer not above x. Integers stay as they are. */
export const floor = sameUnary("floor()", "floor");

/** The smallest integer not below x. Integers stay as they are. */
export const ceil = sameUnary("ceil()", "ceil");

/** x without its fraction: rounded toward zero. Integers stay as they are. */
export const trunc = sameUnary("trunc()", "trunc");

/**
 * The nearest integer; a half is rounded to the even one. Integers stay as they are. `decimals` is the number of decimal places that a
 * float keeps; if it is negative, x is rounded to tens, hundreds …
 */
export const round = sameUnary<[options?: RoundOptions]>("round({ decimals })", (x, options) => {
  const decimals = options?.decimals ?? 0;
  checkInteger("decimals", decimals);
  if (decimals === 0) return map("round", x);
  onlyFloat(x);
  const power = 10 ** Math.abs(decimals);
  return decimals > 0 ? div(map("round", mul(x, power)), power) : mul(map("round", div(x, power)), power);
});

/** x − trunc(x). @throws DTypeError for integers. */
export const frac = sameUnary("frac()", (x) => minus(onlyFloat(x), map("trunc", x)));

/** √x, as float; NaN below zero. */
export const sqrt = floatUnary("sqrt()", "sqrt");

/** 1 / √x, as float. */
export const rsqrt = floatUnary("rsqrt()", "rsqrt");

/** 1 / x, as float. */
export const reciprocal = floatUnary("reciprocal()", "reciprocal");

/** e to the x, as float. */
export const exp = floatUnary("exp()", "exp");

/** 2 to the x, as float. */
export const exp2 = floatUnary("exp2()", "exp2");

/** exp(x) − 1, accurate near zero; as float. */
export const expm1 = floatUnary("expm1()", "expm1");

/** The natural logarithm, as float; −∞ at zero, NaN below. */
export const log = floatUnary("log()", "log");

/** The logarithm to base 2, as float. */
export const log2 = floatUnary("log2()", "log2");

/** The logarithm to base 10, as float. */
export const log10 = floatUnary("log10()", "log10");

/** log(1 + x), accurate near zero; as float. */
export const log1p = floatUnary("log1p()", "log1p");

/** 1 / (1 + exp(−x)), as float. */
export const sigmoid = floatUnary("sigmoid()", "sigmoid");

/**
 * log(x / (1 − x)), as float. If `eps` is given and not negative, an x below eps counts as eps, and another above 1 − eps as 1 − eps. No
 * gradient flows to those.
 */
export const logit = composedFloat<[eps?: number | null]>("logit(eps)", (given, eps = null) => {
  if (eps !== null) checkNumber("eps", eps);
  const x = floating(given);
  // As in PyTorch, where a negative eps stands for none.
  const least = eps !== null && eps < 0 ? null : eps;
  // The lower bound comes first, also where it is the larger one.
  const p = least === null ? x : where(lt(x, least), least, where(gt(x, 1 - least), 1 - least, x));
  const slope = (g: Value): Value => {
    const isOutside = least === null ? or(lt(x, 0), gt(x, 1)) : or(lt(x, least), gt(x, 1 - least));
    const share = div(g, where(isOutside, least === null ? NaN : 1, mul(x, minus(1, x))));
    return least === null ? share : where(isOutside, 0, share);
  };
  return pointwiseRule("logit", [x], () => map("log", div(p, minus(1, p))), [slope]);
});

/** The sine of x in radians, as float. */
export const sin = floatUnary("sin()", "sin");

/** The cosine of x in radians, as float. */
export const cos = floatUnary("cos()", "cos");

/** The tangent of x in radians, as float. */
export const tan = floatUnary("tan()", "tan");

/** The angle in [−π/2, π/2] whose sine is x, as float. */
export const asin = floatUnary("asin()", "asin");

/** The angle in [0, π] whose cosine is x, as float. */
export const acos = floatUnary("acos()", "acos");

/** The angle in (−π/2, π/2) whose tangent is x, as float. */
export const atan = floatUnary("atan()", "atan");

/** The hyperbolic sine, as float. */
export const sinh = floatUnary("sinh()", "sinh");

/** The hyperbolic cosine, as float. */
export const cosh = floatUnary("cosh()", "cosh");

/** The hyperbolic tangent, as float. */
export const tanh = floatUnary("tanh()", "tanh");

/** The inverse of sinh, as float. */
export const asinh = floatUnary("asinh()", "asinh");

/** The inverse of cosh, as float; NaN below 1. */
export const acosh = floatUnary("acosh()", "acosh");

/** The inverse of tanh, as float; ±∞ at ±1, NaN beyond. */
export const atanh = floatUnary("atanh()", "atanh");

/** sin(πx) / (πx), 1 at zero; as float. */
export const sinc = composedFloat("sinc()", (x) => {
  const own = floating(x);
  const angle = (): Value => mul(own, Math.PI);
  const compute = (): Value => where(eq(own, 0), 1, div(map("sin", angle()), angle()));
  return pointwiseRule("sinc", [own], compute, [
    (g) => {
      const turned = angle();
      const slope = minus(mul(turned, map("cos", turned)), map("sin", turned));
      const squared = mul(turned, own);
      const isZero = eq(squared, 0);
      return where(isZero, 0, mul(g, div(slope, where(isZero, 1, squared))));
    },
  ]);
});

/** Degrees to radians, as float. */
export const deg2rad = floatUnary("deg2rad()", (x) => mul(floating(x), Math.PI / 180));

/** Radians to degrees, as float. */
export const rad2deg = floatUnary("rad2deg()", (x) => mul(floating(x), 180 / Math.PI));

/** The error function, as float. */
export const erf = floatUnary("erf()", "erf");

/** 1 − erf(x), accurate for large x; as float. */
export const erfc = floatUnary("erfc()", "erfc");

/** The inverse of erf, as float; ±∞ at ±1, NaN beyond. */
export const erfinv = floatUnary("erfinv()", "erfinv");

/** The logarithm of |Γ(x)|, as float. */
export const lgamma = floatUnary("lgamma()", "lgamma");

/** The logarithmic derivative of Γ, as float. */
export const digamma = floatUnary("digamma()", "digamma");

/** True where x is NaN. */
export const isnan = test("isnan()", "isnan");

/** True where x is ∞ or −∞. */
export const isinf = test("isinf()", "isinf");

/** True where x is neither NaN nor infinite. */
export const isfinite = test("isfinite()", "isfinite");

/** True where the sign bit is set, which it also is for −0. */
export const signbit = test("signbit()", "signbit");

/** True where x is 0 or false. */
export const logicalNot = logicalUnary("logicalNot()", not);

/** Every bit inverted; for bool, not. @throws DTypeError for floats. */
export const bitwiseNot = sameUnary("bitwiseNot()", "bitwiseNot");

const largest = { float16: 65504, float32: (2 - 2 ** -23) * 2 ** 127, float64: Number.MAX_VALUE } as const;

/** {@link nanToNum}'s arguments by name. */
export interface NanToNumOptions {
  readonly nan?: number;
  readonly posinf?: number | null;
  readonly neginf?: number | null;
}

/**
 * NaN and infinities replaced: NaN by `nan` (0), infinities by `posinf` and `neginf` (the largest and the smallest number of the dtype).
 * The values may be given by name, `{ posinf }`. Integers stay as they are.
 */
export const nanToNum = sameUnary<
  [nan?: number | NanToNumOptions, posinf?: number | null, neginf?: number | null]
>("nanToNum(nan, posinf, neginf)", (x, ...given) => {
  const [first, posinf, neginf] = byName("nanToNum", ["nan", "posinf", "neginf"], given) as (number | null)[];
  const nan = first ?? 0;
  for (const [name, value] of Object.entries({ nan, posinf, neginf }))
    if (value != null) checkNumber(name, value);
  const { dtype } = x.node;
  if (!isFloat(dtype)) return x;
  const below = where(eq(x, -Infinity), neginf ?? -largest[dtype], x);
  return where(map("isnan", x), nan, where(eq(x, Infinity), posinf ?? largest[dtype], below));
});

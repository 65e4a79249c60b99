/** asinh, acosh, atanh. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes } from "./arithmetic.ts";
import { logarithmOfDouble } from "./logarithm.ts";
import { LN2_HIGH, LN2_LOW } from "./natural-power.ts";

/** Above this √(x² ± 1) rounds to |x|, and x² would soon overflow. */
const LARGE = 2 ** 500;

/**
 * asinh x, within 1.55 ulp.
 *
 * x + x³ p(x²) where the result is below ½; beyond that log(|x| + √(x² + 1)), with what the sum loses.
 */
export function asinh(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, mul, or, sqrt, sign, magnitude, atMost, atLeast, less, select } = lanes;
  const { polynomial, orderedSum } = lanes;
  const a = magnitude(x);
  const bounded = atMost(a, constant(LARGE));
  const z = mul(bounded, bounded);
  const small = add(a, mul(mul(a, z), polynomial(z, ASINH)));
  const half = constant(0.5);
  const root = atLeast(sqrt(add(z, constant(1))), a);
  const large = logarithmOfDouble(lanes, orderedSum(mul(half, root), mul(half, a)));
  const finite = select(less(a, constant(ASINH_SMALL)), small, large);
  return or(select(less(a, constant(Infinity)), finite, a), sign(x));
}
const ASINH_SMALL = 0.524;
/** (asinh x − x)/x³ in x². */
const ASINH = [
  -0.1666666666666651, 0.07499999999960709, -0.044642857108375095, 0.030381942923502405, -0.02237211965264259,
  0.01735211032366558, -0.013957559280829363, 0.011495847033829477, -0.009461868667141337,
  0.007272918429709115, -0.004453175889561539, 0.0015217846075082748,
];

/**
 * acosh x, within 1.53 ulp; NaN below 1.
 *
 * With t = x − 1: √(2t) (1 + t p(t)) where the result is below 1; beyond that log(x + √((x − 1)(x + 1))), with what the sum
 * loses.
 */
export function acosh(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, sqrt, less, select, polynomial, orderedSum } = lanes;
  const t = sub(x, constant(1));
  const w = sqrt(add(t, t));
  const small = add(w, mul(mul(w, t), polynomial(t, ACOSH)));
  const half = constant(0.5);
  const root = select(less(x, constant(LARGE)), sqrt(mul(t, add(t, constant(2)))), x);
  const large = logarithmOfDouble(lanes, orderedSum(mul(half, x), mul(half, root)));
  const finite = select(less(x, constant(ACOSH_SMALL)), small, large);
  return select(less(x, constant(Infinity)), finite, x);
}
const ACOSH_SMALL = 1.544;
/** (acosh(1 + t)/√(2t) − 1)/t. */
const ACOSH = [
  -0.08333333333333255, 0.018749999999901772, -0.005580357138546887, 0.0018988714327189003,
  -0.0006991287391437621, 0.0002711267237815444, -0.00010904343155403467, 4.490564979097104e-5,
  -1.848019953487644e-5, 7.102426654677795e-6, -2.174359721224777e-6, 3.7150761823392844e-7,
];

/**
 * atanh x, within 1.33 ulp; ±∞ at ±1, NaN beyond.
 *
 * ½ log((1 + a)/(1 − a)) with a = |x| and the quotient 2ᵏ q, 1 ≤ q < 2: ½ k ln 2 + atanh s, where
 * s = (q − 1)/(q + 1) = (1 + a − 2ᵏ (1 − a))/(1 + a + 2ᵏ (1 − a)) is at most ⅓, and a itself for k = 0.
 */
export function atanh(lanes: Float64Lanes, x: Register): Register {
  const { constant, pattern, add, sub, mul, div, and, or, sign, negative, magnitude } = lanes;
  const { less, equal, select, addInt, subInt, shiftLeft, shiftRight, polynomial, orderedSum } = lanes;
  const a = magnitude(x);
  const one = constant(1);
  const above = orderedSum(one, a);
  const below = orderedSum(one, negative(a));
  // Let 2ʲ (1 − a) be in [1, 2). If it exceeds 1 + a, k is j − 1: the mask, which is −1, is added to the exponent.
  const significand = or(and(below.high, pattern(FRACTION)), one);
  const isLess = less(above.high, significand);
  const inverse = subInt(pattern(2046n << 52n), and(below.high, pattern(EXPONENT)));
  const scale = addInt(inverse, shiftLeft(isLess, 52));
  const scaled = mul(below.high, scale);
  const numerator = add(sub(above.high, scaled), sub(above.low, mul(below.low, scale)));
  const s = div(numerator, add(above.high, scaled));
  const z = mul(s, s);
  const k = sub(or(shiftRight(scale, 52), constant(2 ** 52)), constant(2 ** 52 + 1023));
  const rest = add(mul(mul(s, z), polynomial(z, ATANH)), mul(k, constant(LN2_LOW / 2)));
  const inside = add(mul(k, constant(LN2_HIGH / 2)), add(s, rest));
  const outside = select(equal(a, one), constant(Infinity), constant(NaN));
  return or(select(less(a, one), inside, outside), sign(x));
}
const FRACTION = 0x000f_ffff_ffff_ffffn;
const EXPONENT = 0x7ff0_0000_0000_0000n;
/** (atanh s − s)/s³ in s², for s up to ⅓. */
const ATANH = [
  0.33333333333333154, 0.20000000000078014, 0.14285714273993294, 0.1111111198131113, 0.09090872069392211,
  0.07693278045145098, 0.0665050751671938, 0.06052912163591306, 0.04170487179824473, 0.085087167658517,
];

/** asin, acos, atan, atan2. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes, Sum } from "./arithmetic.ts";

/** π and π/2. The exact values are larger by the fraction LACKING. */
const { PI } = Math;
const HALF_PI = PI / 2;
const LACKING = 3.8981718325193755e-17;

/**
 * asin x, within 1.21 ulp; NaN outside of [−1, 1].
 *
 * asin s = s + s³ p(s²) for s up to ½; beyond that π/2 − 2 asin √((1 − |x|)/2).
 */
export function asin(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, or, sign, negative, select, orderedSum } = lanes;
  const { isLarge, s, rest } = arcsine(lanes, x);
  const complement = orderedSum(constant(HALF_PI), negative(add(s, s)));
  const large = add(complement.high, sub(add(complement.low, constant(HALF_PI * LACKING)), add(rest, rest)));
  return or(select(isLarge, large, add(s, rest)), sign(x));
}

/**
 * acos x, within 1.18 ulp; NaN outside of [−1, 1].
 *
 * π/2 − asin x for |x| up to ½, else 2 asin √((1 − |x|)/2), or π less that.
 */
export function acos(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, and, xor, sign, less, select } = lanes;
  const { isLarge, s, rest } = arcsine(lanes, x);
  const isNegative = less(x, constant(0));
  const base = select(isLarge, and(isNegative, constant(PI)), constant(HALF_PI));
  const signs = xor(sign(x), and(isLarge, constant(-0)));
  const once = (a: Register): Register => xor(add(a, and(isLarge, a)), signs);
  return sub(sub(base, once(s)), sub(once(rest), mul(base, constant(LACKING))));
}

/** asin |x| or, where |x| is large, asin √((1 − |x|)/2), as s + rest. */
function arcsine(
  { constant, sub, mul, sqrt, magnitude, less, select, polynomial }: Float64Lanes,
  x: Register,
): { readonly isLarge: Register; readonly s: Register; readonly rest: Register } {
  const a = magnitude(x);
  const half = constant(0.5);
  const isLarge = less(half, a);
  const z = select(isLarge, sub(half, mul(half, a)), mul(a, a));
  const s = select(isLarge, sqrt(z), a);
  return { isLarge, s, rest: mul(mul(s, z), polynomial(z, ASIN)) };
}
/** (asin s − s)/s³ in s², for s up to ½. */
const ASIN = [
  0.16666666666665408, 0.07500000000337162, 0.04464285682819759, 0.03038195914256423, 0.022371757913000074,
  0.017359706867530564, 0.01388521449139525, 0.012169350064983812, 0.006527374898214733, 0.019529910911541805,
  -0.016226838022868038, 0.03191404338189673,
];

/**
 * atan x, within 1.41 ulp.
 *
 * atan t = t + t³ p(t²) for t up to ½; π/4 + atan((|x| − 1)/(|x| + 1)) up to 3; beyond that π/2 − atan(1/|x|).
 */
export function atan(lanes: Float64Lanes, x: Register): Register {
  const { high, low } = arctangent(lanes, lanes.magnitude(x), lanes.constant(1));
  return lanes.or(lanes.add(high, low), lanes.sign(x));
}

/**
 * The angle of the point (x, y) within 1.43 ulp, as C's atan2: the sign of a zero counts, and points at infinity are on the diagonals.
 *
 * {@link atan} of |y|/|x| without that quotient, then π less that where x is negative.
 */
export function atan2(lanes: Float64Lanes, y: Register, x: Register): Register {
  const { constant, pattern, add, sub, mul, or, sign, magnitude, atLeast, less, lessInt, select } = lanes;
  const a = magnitude(y);
  const b = magnitude(x);
  // Scaled, so that three times the greatest is finite. What underflows is negligible.
  const scale = select(less(constant(2 ** 1000), atLeast(a, b)), constant(0.25), constant(1));
  const { high, low } = arctangent(lanes, mul(a, scale), mul(b, scale));
  const isLeft = lessInt(x, pattern(0n));
  const angle = select(isLeft, sub(constant(PI), high), high);
  const angleLow = select(isLeft, sub(constant(PI * LACKING), low), low);
  return or(add(angle, angleLow), sign(y));
}

/** atan(a/b) for a, b ≥ 0, as a number of eighths of a turn and a remainder; 0 for two zeros, π/4 for two infinities. */
function arctangent(lanes: Float64Lanes, a: Register, b: Register): Sum {
  const {
    constant,
    add,
    sub,
    mul,
    div,
    negative,
    and,
    except,
    less,
    lessOrEqual,
    equal,
    select,
    polynomial,
  } = lanes;
  const isMiddle = and(lessOrEqual(mul(constant(0.5), b), a), less(constant(0), a));
  const isFar = less(mul(constant(3), b), a);
  const numerator = select(isFar, negative(b), sub(a, and(isMiddle, b)));
  const denominator = select(isFar, a, add(b, and(isMiddle, a)));
  const t = except(div(numerator, denominator), equal(a, b));
  const z = mul(t, t);
  const eighth = constant(PI / 4);
  const base = add(and(isMiddle, eighth), and(isFar, eighth));
  const rest = add(mul(mul(t, z), polynomial(z, ATAN)), mul(base, constant(LACKING)));
  return { high: base, low: add(t, rest) };
}
/** (atan t − t)/t³ in t², for t up to ½. */
const ATAN = [
  -0.3333333333333298, 0.19999999999902995, -0.14285714276370565, 0.11111110658826445, -0.0909089622192175,
  0.0769207352606713, -0.06663806441945952, 0.058582694565182454, -0.05121870520146145, 0.04186114737649642,
  -0.02742855876711269, 0.010112291662063708,
];

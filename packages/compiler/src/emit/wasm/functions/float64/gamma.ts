/**
 * The logarithm of the gamma function and its derivative. Coefficients were fitted for this file with mpmath: interpolation at Chebyshev
 * nodes, rounded to float64. Both functions are computed at y ≥ 0, which is x, or 1 − x for negative x, and then reflected.
 */
import type { Register } from "../../lanes/straight.ts";
import { type Float64Lanes, helper } from "./arithmetic.ts";
import { log } from "./logarithm.ts";

/** From here on y has an asymptotic series in 1/y². */
const FAR = 4;

/**
 * log |Γ(x)|; ∞ at poles and at ±∞.
 *
 * Below 4 a rational function of y − 1, or of y and less log y below 1, that has the zeros at 1 and 2 as factors; then Stirling's series.
 * For x > 0 at most 4.8 ulp. For x < 0 it passes zero between poles, so that only the absolute error is small.
 */
export function lgamma(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, negative, less, and, select, polynomial } = lanes;
  const { y, isBelow1, t, isNegative } = positive(lanes, x);
  const natural = log(lanes, y);
  const zeros = mul(t, sub(t, constant(1)));
  const quotient = div(polynomial(t, GAMMA_NUMERATOR), polynomial(t, GAMMA_DENOMINATOR));
  // The sum with 0 makes −0 at y = 1 a 0.
  const near = add(mul(zeros, quotient), and(isBelow1, negative(natural)));
  const inverse = div(constant(1), y);
  const series = mul(inverse, polynomial(mul(inverse, inverse), STIRLING));
  const leading = mul(sub(y, constant(0.5)), sub(natural, constant(1)));
  const far = add(leading, add(constant(HALF_LOG_TWO_PI - 0.5), series));
  const usual = select(less(y, constant(FAR)), near, far);
  return lanes.rarely(isNegative, usual, reflectedLgamma, x, usual);
}

/** log |Γ(x)| = −log(|sin πx| / π) − log Γ(1 − x) for negative x. */
const reflectedLgamma = helper("lgamma of negative float64", (lanes, x, usual) => {
  const { constant, sub, mul, negative, magnitude, nearest, less, equal, select, polynomial } = lanes;
  const a = magnitude(x);
  const whole = nearest(a);
  const r = magnitude(sub(a, whole));
  const sine = log(lanes, mul(r, polynomial(mul(r, r), SINE)));
  const value = select(equal(a, whole), constant(Infinity), sub(negative(sine), usual));
  return select(less(x, constant(0)), value, usual);
});

/**
 * ψ(x), the derivative of log Γ; ∓∞ at ±0, NaN at negative integers and −∞.
 *
 * Below 4 a rational function of y − 1, or of y and less 1/y below 1, that has the zero as a factor; then its asymptotic series. For
 * x > 0 at most 4.5 ulp.
 */
export function digamma(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, less, and, select, polynomial } = lanes;
  const { y, isBelow1, t, isNegative } = positive(lanes, x);
  const inverse = div(constant(1), y);
  const fromRoot = sub(sub(t, constant(ROOT)), constant(ROOT_REST));
  const quotient = div(polynomial(t, DIGAMMA_NUMERATOR), polynomial(t, DIGAMMA_DENOMINATOR));
  const near = sub(mul(fromRoot, quotient), and(isBelow1, inverse));
  const square = mul(inverse, inverse);
  const series = add(mul(constant(0.5), inverse), mul(square, polynomial(square, DIGAMMA_SERIES)));
  const usual = select(less(y, constant(FAR)), near, sub(log(lanes, y), series));
  return lanes.rarely(isNegative, usual, reflectedDigamma, x, usual);
}

/** ψ(x) = ψ(1 − x) − π cot πx for negative x. */
const reflectedDigamma = helper("digamma of negative float64", (lanes, x, usual) => {
  const { constant, sub, mul, div, magnitude, nearest, less, equal, select, polynomial } = lanes;
  const whole = nearest(x);
  const r = sub(x, whole);
  const fromHalf = sub(constant(0.5), magnitude(r));
  const sine = mul(r, polynomial(mul(r, r), SINE));
  const cosine = mul(fromHalf, polynomial(mul(fromHalf, fromHalf), SINE));
  const value = sub(usual, div(mul(constant(Math.PI), cosine), sine));
  return select(less(x, constant(0)), select(equal(x, whole), constant(Number.NaN), value), usual);
});

/** x, or 1 − x if it is negative; and what the formulas near 1 take: y or y − 1, at most 3. */
function positive(lanes: Float64Lanes, x: Register) {
  const { constant, sub, less, select, atMost } = lanes;
  const isNegative = less(x, constant(0));
  const y = select(isNegative, sub(constant(1), x), x);
  const isBelow1 = less(y, constant(1));
  const t = atMost(select(isBelow1, y, sub(y, constant(1))), constant(FAR - 1));
  return { y, isBelow1, t, isNegative };
}

const HALF_LOG_TWO_PI = 0.9189385332046727;

/** The positive zero of ψ, less 1, in two parts. */
const ROOT = 0.46163214496836236;
const ROOT_REST = -1.5522348162858677e-17;

/** log Γ(1 + t)/(t (t − 1)) for t from 0 to 3. */
const GAMMA_NUMERATOR = [
  0.5772156649015329, 1.9184491240724417, 2.5482869266894705, 1.7353784145854594, 0.6475379331820537,
  0.1315475077115862, 0.013646965686628166, 0.0006254321099418796, 9.052065947579509e-6, 8.282713446174468e-9,
];
const GAMMA_DENOMINATOR = [
  1, 3.748513119379957, 5.738202953731988, 4.6346276830093025, 2.1337997969050173, 0.5661283333714182,
  0.08367193812940361, 0.006335723831552411, 0.00020761819740754223, 1.979616037398412e-6,
];
/** (log Γ(y) − (y − ½) log y + y − ½ log 2π) y in 1/y², for y from 4 on. */
const STIRLING = [
  0.08333333333333302, -0.00277777777714881, 0.0007936505792475166, -0.0005952098662897389,
  0.0008398890452701349, -0.0018485657084907699, 0.004897400222972809, -0.009270537961723677,
];
/** ψ(1 + t) divided by the distance from its zero, for t from 0 to 3. */
const DIGAMMA_NUMERATOR = [
  1.2503801375034054, 2.041324185785563, 1.2249780686781735, 0.3438317987352743, 0.04692655967133452,
  0.002887502262172827, 6.179555391216231e-5, 1.1134230148142385e-7, -4.5016780424048995e-10,
];
const DIGAMMA_DENOMINATOR = [
  1, 2.316109684987268, 1.9610623145921235, 0.7931031273042459, 0.16454237822148945, 0.017187042167817922,
  0.0008075203871842191, 1.2358054990889584e-5,
];
/** (log y − 1/(2y) − ψ(y)) y² in 1/y², for y from 4 on. */
const DIGAMMA_SERIES = [
  0.08333333333333295, -0.008333333332362195, 0.003968253547733588, -0.004166595597256864,
  0.007569628806402783, -0.020787300608348224, 0.07392821575261915, -0.25668496075487657, 0.5365319953712206,
];
/** sin(πr)/(πr) in r², for r up to ½. */
const SINE = [
  1, -1.6449340668482264, 0.8117424252833393, -0.19075182412149616, 0.02614784780555096,
  -0.0023460808954639607, 0.0001484278414189103, -6.972099660851199e-6, 2.4502943624559793e-7,
];

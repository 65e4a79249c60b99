/** sinh, cosh, tanh. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes } from "./arithmetic.ts";
import { inversePowerOfTwo, naturalPower, ROUND, reduceByLn2 } from "./natural-power.ts";

/**
 * sinh x, within 1.34 ulp.
 *
 * |x| = n ln 2 + r gives sinh |x| = 2ⁿ⁻¹ ((1 − 4⁻ⁿ) cosh r + (1 + 4⁻ⁿ) sinh r): no exponential is divided by, and for n = 0
 * the small part stands alone.
 */
export function sinh(lanes: Float64Lanes, x: Register): Register {
  return lanes.or(combination(lanes, x, "odd"), lanes.sign(x));
}

/** cosh x, within 1.14 ulp, as {@link sinh}: 2ⁿ⁻¹ ((1 + 4⁻ⁿ) cosh r + (1 − 4⁻ⁿ) sinh r). */
export function cosh(lanes: Float64Lanes, x: Register): Register {
  return combination(lanes, x, "even");
}

/** 2ⁿ⁻¹ (even · cosh r + odd · sinh r) with |x| = n ln 2 + r, where the larger factor is 1 + 4⁻ⁿ and the other 1 − 4⁻ⁿ. */
function combination(lanes: Float64Lanes, x: Register, larger: "even" | "odd"): Register {
  const { constant, pattern, add, sub, mul, atMost, magnitude, subInt, shiftLeft, polynomial } = lanes;
  // Both overflow beyond 710.48.
  const bounded = atMost(magnitude(x), constant(710.48));
  const { shifted, high, low } = reduceByLn2(lanes, bounded, BIAS);
  const small = atMost(shifted, constant(ROUND + BIAS + 500));
  const inverse = shiftLeft(subInt(pattern(BigInt(1023 + 2 * BIAS)), shiftLeft(small, 1)), 52);
  const one = constant(1);
  const factors = [add(one, inverse), sub(one, inverse)] as const;
  const [even, odd] = larger === "even" ? factors : [factors[1], factors[0]];

  const r = sub(high, low);
  const z = mul(r, r);
  const evenRest = mul(z, add(constant(0.5), mul(z, polynomial(z, COSH))));
  const oddRest = sub(mul(mul(r, z), polynomial(z, SINH)), low);
  // cosh r is 1 and this rest, sinh r is `high` and that one.
  const sum = lanes.orderedSum(even, mul(odd, high));
  const half = add(sum.high, add(sum.low, add(mul(even, evenRest), mul(odd, oddRest))));
  // Doubled before it is scaled: 2ⁿ⁻² is a float64 for all n, and a subnormal loses nothing.
  return mul(add(half, half), shiftLeft(shifted, 52));
}
/** The bits of n + 1021 are those of the exponent of 2ⁿ⁻², a float64 for all n from 0 to 1025. */
const BIAS = 1021;
/** (cosh r − 1 − z/2)/z² in z = r². */
const COSH = [
  0.041666666666666685, 0.0013888888888873283, 2.480158734920197e-5, 2.755725181987894e-7,
  2.092177005635681e-9,
];
/** (sinh r − r)/(r z). */
const SINH = [
  0.16666666666666677, 0.008333333333321384, 0.0001984126988682503, 2.755724343834296e-6,
  2.5109327015135855e-8,
];

/**
 * tanh x, within 1.67 ulp.
 *
 * With E = e^2|x| = 2ⁿ (1 + growth): 1 − 2/(E + 1) for n ≥ 2, else (E − 1)/(E + 1), where what E + 1 loses is taken off the
 * numerator, in proportion. Both sides of the fractions are divided by 2ⁿ.
 */
export function tanh(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, and, or, sign, magnitude, atMost, less, select, orderedSum } = lanes;
  const bounded = atMost(magnitude(x), constant(22));
  const { shifted, growth } = naturalPower(lanes, add(bounded, bounded), 0, 0, EXPM1);
  const inverse = inversePowerOfTwo(lanes, shifted, 0);
  const one = constant(1);
  const sum = orderedSum(add(one, inverse), growth.high);
  const divisor = orderedSum(sum.high, add(sum.low, growth.low));
  // 1/d is about 3/2 − d/2 for d in [1.2, 2.42].
  const loss = mul(divisor.low, sub(constant(1.5), mul(constant(0.5), divisor.high)));
  const difference = orderedSum(sub(one, inverse), growth.high);
  const lacking = sub(mul(difference.high, loss), add(difference.low, growth.low));
  const isLarge = less(inverse, constant(0.3));
  const complement = select(isLarge, add(inverse, inverse), sub(lacking, difference.high));
  return or(sub(and(isLarge, one), div(complement, divisor.high)), sign(x));
}
/** (eʳ − 1 − r − r²/2)/r³ for |r| ≤ ½ ln 2, good relative to eʳ − 1. */
const EXPM1 = [
  0.16666666666666677, 0.04166666666666669, 0.008333333333321709, 0.0013888888888870363,
  0.00019841269885981664, 2.4801587355703935e-5, 2.7557244317430422e-6, 2.7557245905197225e-7,
  2.510900934741075e-8, 2.0923665331845804e-9,
];

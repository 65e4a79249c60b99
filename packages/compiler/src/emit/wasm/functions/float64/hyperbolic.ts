/** sinh, cosh, tanh. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register, Straight } from "../../lanes/straight.ts";
import { type Float64Lanes, float64Lanes } from "./arithmetic.ts";
import { inversePowerOfTwo } from "./exponential.ts";
import { naturalPower, ROUND, reduceByLn2 } from "./natural-power.ts";

/**
 * sinh x.
 *
 * |x| = n ln 2 + r gives sinh |x| = 2ⁿ⁻¹ ((1 − 4⁻ⁿ) cosh r + (1 + 4⁻ⁿ) sinh r): no exponential is divided by, and for n = 0
 * the small part stands alone.
 */
export function sinh(code: Straight, x: Register): Register {
  const lanes = float64Lanes(code);
  const { or, sign, add, sub, mul, constant } = lanes;
  const { scale, inverse, high, evenRest, oddRest } = parts(lanes, x);
  const even = sub(constant(1), inverse);
  const odd = add(constant(1), inverse);
  const sum = lanes.orderedSum(even, mul(odd, high));
  const half = add(sum.high, add(sum.low, add(mul(even, evenRest), mul(odd, oddRest))));
  return or(mul(add(half, half), scale), sign(x));
}

/** cosh x, as {@link sinh}. */
export function cosh(code: Straight, x: Register): Register {
  const lanes = float64Lanes(code);
  const { add, sub, mul, constant } = lanes;
  const { scale, inverse, high, evenRest, oddRest } = parts(lanes, x);
  const even = add(constant(1), inverse);
  const odd = sub(constant(1), inverse);
  const sum = lanes.orderedSum(even, mul(odd, high));
  const half = add(sum.high, add(sum.low, add(mul(even, evenRest), mul(odd, oddRest))));
  return mul(add(half, half), scale);
}

/** |x| = n ln 2 + r: 2ⁿ⁻² and 4⁻ⁿ; r's larger part, cosh r − 1, and sinh r less that larger part. */
function parts(
  lanes: Float64Lanes,
  x: Register,
): {
  readonly scale: Register;
  readonly inverse: Register;
  readonly high: Register;
  readonly evenRest: Register;
  readonly oddRest: Register;
} {
  const { constant, pattern, add, sub, mul, atMost, magnitude, subInt, shiftLeft, polynomial } = lanes;
  // Beyond 710.48 both overflow.
  const bounded = atMost(magnitude(x), constant(710.48));
  const { shifted, high, low } = reduceByLn2(lanes, bounded, BIAS);
  const small = atMost(shifted, constant(ROUND + BIAS + 500));
  const inverse = shiftLeft(subInt(pattern(BigInt(1023 + 2 * BIAS)), shiftLeft(small, 1)), 52);
  const r = sub(high, low);
  const z = mul(r, r);
  return {
    scale: shiftLeft(shifted, 52),
    inverse,
    high,
    evenRest: mul(z, add(constant(0.5), mul(z, polynomial(z, COSH)))),
    oddRest: sub(mul(mul(r, z), polynomial(z, SINH)), low),
  };
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
 * tanh x.
 *
 * (E − 1)/(E + 1) with E = e^2|x| = 2ⁿ (1 + growth), both divided by 2ⁿ. What E + 1 loses is taken off the numerator, in
 * proportion.
 */
export function tanh(code: Straight, x: Register): Register {
  const lanes = float64Lanes(code);
  const { constant, add, sub, mul, div, or, sign, magnitude, atMost, orderedSum } = lanes;
  const bounded = atMost(magnitude(x), constant(22));
  const { shifted, growth } = naturalPower(lanes, add(bounded, bounded), 0);
  const inverse = inversePowerOfTwo(lanes, shifted, 0);
  const numerator = orderedSum(sub(constant(1), inverse), growth.high);
  const offset = orderedSum(constant(1), inverse);
  const sum = orderedSum(offset.high, growth.high);
  const divisor = orderedSum(sum.high, add(add(sum.low, offset.low), growth.low));
  // 1/d is about 3/2 − d/2 for d in [0.95, 2.42].
  const loss = mul(divisor.low, sub(constant(1.5), mul(constant(0.5), divisor.high)));
  const numeratorLow = sub(add(numerator.low, growth.low), mul(numerator.high, loss));
  return or(div(add(numerator.high, numeratorLow), divisor.high), sign(x));
}

/** Powers of e and 2. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes } from "./arithmetic.ts";
import { inversePowerOfTwo, naturalPower, ROUND, TWO_BIASES, timesPowerOfTwo } from "./natural-power.ts";

/**
 * The least n; for it both factors of the power of 2 are 0. Multiplying by 0 is fast, where a product below the subnormal numbers
 * takes a processor a hundred times as long.
 */
const LEAST = -TWO_BIASES;

/**
 * eˣ, within 0.85 ulp.
 *
 * x = n ln 2 + r with |r| ≤ ½ ln 2, and eʳ = 1 + (r + r²/2 + r³ q(r)).
 */
export function exp(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, atMost, atLeast } = lanes;
  const bounded = atLeast(atMost(x, constant(710)), constant(LEAST * Math.LN2));
  const { shifted, growth } = naturalPower(lanes, bounded, TWO_BIASES);
  return timesPowerOfTwo(lanes, add(constant(1), add(growth.high, growth.low)), shifted);
}

/**
 * 2ˣ, within 0.92 ulp; exact for integers.
 *
 * x = n + r with |r| ≤ ½, which is exact, and 2ʳ = 1 + (r ln 2 + r² q(r)), where what 1 + r ln 2 loses is kept.
 */
export function exp2(lanes: Float64Lanes, x: Register): Register {
  return powerOfTwo(lanes, x, null);
}

/** 2^(x + low), where `low` (null: 0) is much smaller than x. */
export function powerOfTwo(lanes: Float64Lanes, x: Register, low: Register | null): Register {
  const { constant, add, sub, mul, atMost, atLeast, polynomial, orderedSum } = lanes;
  const bounded = atLeast(atMost(x, constant(1026)), constant(LEAST));
  const round = constant(ROUND + TWO_BIASES);
  const shifted = add(bounded, round);
  const high = sub(bounded, sub(shifted, round));
  const ln2 = constant(Math.LN2);
  const line = orderedSum(constant(1), mul(high, ln2));
  // If x is out of range, `low` may be anything.
  const rest = low === null ? null : atLeast(atMost(low, constant(0.5)), constant(-0.5));
  const r = rest === null ? high : add(high, rest);
  const curve = mul(mul(r, r), polynomial(r, EXP2));
  const lineLow = rest === null ? line.low : add(line.low, mul(rest, ln2));
  return timesPowerOfTwo(lanes, add(line.high, add(lineLow, curve)), shifted);
}
const EXP2 = [
  0.24022650695910133, 0.05550410866482169, 0.009618129107593496, 0.0013333558146386825,
  0.00015403530457964402, 1.5252733862422803e-5, 1.321543484181645e-6, 1.0178048045761378e-7,
  7.073860169314033e-9, 4.4572000238502634e-10,
];

/**
 * eˣ − 1, within 0.8 ulp.
 *
 * eˣ − 1 = 2ⁿ ((1 − 2⁻ⁿ) + (eʳ − 1)) with ¾ ≤ eʳ ≤ 3/2, so that the sum is at least ¼ where n is not 0. Its first part is
 * 0 or the larger one, so that its rounding error is known and kept.
 */
export function expm1(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, or, sign, atMost, atLeast, orderedSum, shiftLeft } = lanes;
  const bounded = atLeast(atMost(x, constant(710)), constant(-40));
  // The bits of n + 1022 are those of the exponent of 2ⁿ⁻¹, which is a float64 for all n up to 1024.
  const { shifted, growth } = naturalPower(lanes, bounded, 1022, EXPM1_LEAN, EXPM1);
  const inverse = inversePowerOfTwo(lanes, shifted, 1022);
  const offset = sub(constant(1), inverse);
  const offsetLow = sub(sub(constant(1), offset), inverse);
  const sum = orderedSum(offset, growth.high);
  const half = add(sum.high, add(add(sum.low, offsetLow), growth.low));
  // Half a subnormal would round, so it is doubled first. The result for −0 would be 0.
  return or(mul(add(half, half), shiftLeft(shifted, 52)), sign(x));
}

/** Brings r to [ln ¾, ln 3/2]. */
const EXPM1_LEAN = 0.085;
const EXPM1 = [
  0.16666666666666666, 0.04166666666666763, 0.00833333333333442, 0.0013888888888102507, 0.000198412698412449,
  2.4801589473719198e-5, 2.755730468087575e-6, 2.7554819008955944e-7, 2.5081392320237807e-8,
  2.1918601906297443e-9,
];

/**
 * 1/(1 + e⁻ˣ), within 1.5 ulp.
 *
 * With E = e^−|x|: E/(1 + E) for negative x, else 1/(1 + E). What 1 + E loses is taken off the numerator, in proportion.
 */
export function sigmoid(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, and, negative, magnitude, atLeast, less, select, orderedSum } = lanes;
  const bounded = atLeast(negative(magnitude(x)), constant(LEAST * Math.LN2));
  const { shifted, growth } = naturalPower(lanes, bounded, TWO_BIASES);
  const line = orderedSum(constant(1), growth.high);
  const lineLow = add(line.low, growth.low);
  const power = timesPowerOfTwo(lanes, add(line.high, lineLow), shifted);
  const divisor = orderedSum(constant(1), power);
  // 1/d is about 3/2 − d/2 for d in [1, 2].
  const loss = mul(divisor.low, sub(constant(1.5), mul(constant(0.5), divisor.high)));
  const isNegative = less(x, constant(0));
  const numerator = select(isNegative, line.high, constant(1));
  const numeratorLow = sub(and(isNegative, lineLow), mul(numerator, loss));
  const quotient = div(add(numerator, numeratorLow), divisor.high);
  return select(isNegative, timesPowerOfTwo(lanes, quotient, shifted), quotient);
}

/** The reduction and the scaling that all functions with a power of e share. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes, Sum } from "./arithmetic.ts";

/** ln 2 in two parts. The first has 41 bits, so that its product with an exponent is exact. */
export const LN2_HIGH = 0.693147180559663;
export const LN2_LOW = 2.8235290563031577e-13;

/** Adding and subtracting it rounds to an integer, which is in the low bits of the sum. */
export const ROUND: number = 1.5 * 2 ** 52;

/** Twice the bias of a float64's exponent. Half of n plus this is the exponent field of a float64. */
export const TWO_BIASES = 2046;

/**
 * x = n ln 2 + high − low, where n is the integer nearest to x/ln 2 − lean and the low bits of `shifted` are n + bias.
 * `high` is exact.
 */
export function reduceByLn2(
  { constant, add, sub, mul }: Float64Lanes,
  x: Register,
  bias: number,
  lean = 0,
): { readonly shifted: Register; readonly high: Register; readonly low: Register } {
  const round = constant(ROUND + bias);
  const turns = mul(x, constant(Math.LOG2E));
  const shifted = add(lean === 0 ? turns : sub(turns, constant(lean)), round);
  const n = sub(shifted, round);
  return { shifted, high: sub(x, mul(n, constant(LN2_HIGH))), low: mul(n, constant(LN2_LOW)) };
}

/**
 * eˣ = 2ⁿ (1 + growth), where the low bits of `shifted` are n + bias. `growth.high` is exact and larger than `growth.low`. With a
 * lean (see {@link reduceByLn2}) r has another range, and (eʳ − 1 − r − r²/2)/r³ other coefficients.
 */
export function naturalPower(
  lanes: Float64Lanes,
  x: Register,
  bias: number,
  lean = 0,
  coefficients: readonly number[] = EXP,
): { readonly shifted: Register; readonly growth: Sum } {
  const { shifted, high, low } = reduceByLn2(lanes, x, bias, lean);
  return { shifted, growth: growthOfPower(lanes, high, low, coefficients) };
}

/** e^(high − low) − 1, with `high` as the larger part. */
export function growthOfPower(
  { constant, add, sub, mul, polynomial }: Float64Lanes,
  high: Register,
  low: Register,
  coefficients: readonly number[] = EXP,
): Sum {
  const r = sub(high, low);
  const square = mul(r, r);
  const rest = sub(mul(mul(square, r), polynomial(r, coefficients)), low);
  return { high, low: add(mul(constant(0.5), square), rest) };
}
/** (eʳ − 1 − r − r²/2)/r³ for |r| ≤ ½ ln 2: a minimax polynomial, fitted for this file by Remez's algorithm. */
const EXP = [
  0.16666666666666688, 0.04166666666660271, 0.008333333333313785, 0.0013888888927312724,
  0.00019841269905197516, 2.4801508026761516e-5, 2.7557225830969353e-6, 2.762544904699983e-7,
  2.51151737162105e-8,
];

/**
 * value · 2ⁿ, where the low bits of `shifted` are n + 2046. The power is computed as two factors of about half the exponent,
 * since 2ⁿ need not be a float64 even if the product is. The second multiplication rounds if the product is subnormal.
 */
export function timesPowerOfTwo(lanes: Float64Lanes, value: Register, shifted: Register): Register {
  const { mul, subInt, shiftLeft, shiftRight } = lanes;
  const half = shiftRight(shifted, 1);
  const otherHalf = subInt(shifted, half);
  return mul(mul(value, shiftLeft(half, 52)), shiftLeft(otherHalf, 52));
}

/** 2⁻ⁿ where the low bits of `shifted` are n + bias; at least 2⁻¹⁰⁰⁰. */
export function inversePowerOfTwo(lanes: Float64Lanes, shifted: Register, bias: number): Register {
  const { constant, pattern, atMost, subInt, shiftLeft } = lanes;
  const bounded = atMost(shifted, constant(ROUND + bias + 1000));
  return shiftLeft(subInt(pattern(BigInt(bias + 1023)), bounded), 52);
}

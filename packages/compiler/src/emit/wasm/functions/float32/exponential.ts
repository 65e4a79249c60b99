/**
 * Powers of e and 2. x = n ln 2 + r, or n + r, with a small r, whose power is a polynomial. Its coefficients are minimax,
 * fitted for this file, and rounded to float32 one by one, lowest degree first, the others being fitted again.
 */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";

/** ln 2 in two parts. The first has 9 bits, so that its product with an exponent is exact. */
export const LN2_HIGH = 0.693359375;
export const LN2_LOW = -0.00021219444005469057;

/** Adding and subtracting it rounds to an integer, which is in the low bits of the sum. */
const ROUND = 1.5 * 2 ** 23;

const BIAS = 127;

/**
 * The least n; for it both factors of the power of 2 are 0. Multiplying by 0 is fast, where a product below the subnormal numbers
 * takes a processor a hundred times as long. Masked elements, of −∞ or −10⁹, are such.
 */
const LEAST = -2 * BIAS;

/**
 * eˣ. |r| ≤ ½ ln 2 and eʳ = 1 + (r + r² q(r)).
 *
 * At most 1.03 ulp.
 */
export function exp(lanes: Float32Lanes, x: Register): Register {
  const { constant, atMost, atLeast } = lanes;
  return naturalPower(lanes, atLeast(atMost(x, constant(89)), constant(LEAST * Math.LN2)), 1);
}

/** eˣ/2 for x ≥ 0; it is finite for some x for which eˣ is not. */
export function halfExp(lanes: Float32Lanes, x: Register): Register {
  const { constant, atMost } = lanes;
  return naturalPower(lanes, atMost(x, constant(90)), 0.5);
}

/** eˣ · scale. */
function naturalPower(lanes: Float32Lanes, x: Register, scale: 1 | 0.5): Register {
  const { constant, add, sub, mul, splitPolynomial } = lanes;
  const round = constant(ROUND + 2 * BIAS + Math.log2(scale));
  const shifted = add(mul(x, constant(Math.LOG2E)), round);
  const n = sub(shifted, round);
  const r = sub(sub(x, mul(n, constant(LN2_HIGH))), mul(n, constant(LN2_LOW)));
  const square = mul(r, r);
  const power = add(constant(1), add(r, mul(square, splitPolynomial(r, square, EXP))));
  return timesPowerOfTwo(lanes, power, shifted);
}
const EXP = [
  0.4999999403953552, 0.1666651964187622, 0.04166823998093605, 0.008368827402591705, 0.0013823241461068392,
];

/**
 * 2ˣ; exact for integers. |r| ≤ ½, without a rounding, and 2ʳ = 1 + r p(r).
 *
 * At most 1.08 ulp.
 */
export function exp2(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, atMost, atLeast } = lanes;
  const bounded = atLeast(atMost(x, constant(129)), constant(LEAST));
  const round = constant(ROUND + 2 * BIAS);
  const shifted = add(bounded, round);
  const r = sub(bounded, sub(shifted, round));
  return timesPowerOfTwo(lanes, powerOfFraction(lanes, r), shifted);
}

/** 2ˣ for |x| < 126, NaN for NaN. */
export function moderateExp2(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, shiftLeft } = lanes;
  const round = constant(ROUND + BIAS);
  const shifted = add(x, round);
  const r = sub(x, sub(shifted, round));
  return mul(powerOfFraction(lanes, r), shiftLeft(shifted, 23));
}

/** 2ʳ for |r| ≤ ½. */
function powerOfFraction({ constant, add, mul, polynomial }: Float32Lanes, r: Register): Register {
  return add(constant(1), mul(r, polynomial(r, EXP2)));
}
const EXP2 = [
  0.6931471824645996, 0.24022647738456726, 0.05550359934568405, 0.009618505835533142, 0.0013390806270763278,
  0.00015326471475418657,
];

/**
 * value · 2ⁿ, where the low bits of `shifted` are n plus two biases. The power is computed as two factors of about half the
 * exponent, since 2ⁿ need not be a float32 even if the product is. The second multiplication rounds if the product is subnormal.
 */
function timesPowerOfTwo(lanes: Float32Lanes, value: Register, shifted: Register): Register {
  const { mul, subInt, shiftLeft, shiftRight } = lanes;
  const half = shiftRight(shifted, 1);
  const otherHalf = subInt(shifted, half);
  return mul(mul(value, shiftLeft(half, 23)), shiftLeft(otherHalf, 23));
}

/**
 * eˣ − 1 = 2ⁿ (eʳ − 1) + (2ⁿ − 1) with ¾ ≤ eʳ ≤ 3/2. The sum is at least half its larger part, and n is 0 if the result is small.
 * eʳ − 1 = r + r² q(r).
 *
 * At most 1.42 ulp.
 */
export function expm1(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, atMost, atLeast, magnitude, less, select, shiftLeft, splitPolynomial } =
    lanes;
  const bounded = atLeast(atMost(x, constant(89)), constant(-18));
  // 2ⁿ⁻¹ is a float32 for all n up to 128.
  const round = constant(ROUND + BIAS - 1);
  const shifted = add(sub(mul(bounded, constant(Math.LOG2E)), constant(EXPM1_SHIFT)), round);
  const n = sub(shifted, round);
  const r = sub(sub(bounded, mul(n, constant(LN2_HIGH))), mul(n, constant(LN2_LOW)));
  const square = mul(r, r);
  const p = add(r, mul(square, splitPolynomial(r, square, EXPM1)));
  const halfScale = shiftLeft(shifted, 23);
  const half = add(mul(halfScale, p), sub(halfScale, constant(0.5)));
  // Halves of subnormals would round, and −0 would become 0.
  return select(less(magnitude(x), constant(2 ** -25)), x, add(half, half));
}
/** If x/ln 2 minus this is rounded to n, r is between ln ¾ and ln 3/2. */
const EXPM1_SHIFT = 0.085;
const EXPM1 = [
  0.5000001192092896, 0.16666585206985474, 0.04165971279144287, 0.008358744904398918, 0.0014596969122067094,
];

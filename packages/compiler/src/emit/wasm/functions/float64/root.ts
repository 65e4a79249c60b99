/** Roots other than the square root, which is an instruction. */
import type { Register, Straight } from "../../lanes/straight.ts";
import { float64Lanes } from "./arithmetic.ts";

/**
 * ∛x, within 0.5001 ulp.
 *
 * y ≈ x^(−1/3) by dividing the exponent, then twice y(1 + r/3 + …) with r = 1 − x y³, the series of (1 − r)^(−1/3); then
 * h, the upper 26 bits of t = x y², whose cube is exact in parts, and h + (x − h³)/(3 h t). No division.
 */
export function cbrt(code: Straight, x: Register): Register {
  const lanes = float64Lanes(code);
  const { constant, add, sub, mul, or, sign, magnitude, less, select } = lanes;
  const { shiftLeft, shiftRight, polynomial, halves } = lanes;
  const a = magnitude(x);
  // Smaller ones are scaled, lest parts of them underflow.
  const isSmall = less(a, constant(2 ** -900));
  const scaled = mul(a, select(isSmall, constant(2 ** 300), constant(1)));

  // The upper 32 bits as a number, a third of it off a constant, and that back as the upper 32 bits.
  const upper = sub(or(shiftRight(scaled, 32), constant(2 ** 52)), constant(2 ** 52));
  const estimate = shiftLeft(sub(constant(2 ** 52 + ESTIMATE), mul(upper, constant(1 / 3))), 32);
  const remainder = (y: Register): Register => sub(constant(1), mul(mul(mul(scaled, y), y), y));
  const refined = (y: Register, terms: number): Register => {
    const r = remainder(y);
    return add(y, mul(mul(y, r), polynomial(r, SERIES.slice(0, terms))));
  };
  const inverse = refined(refined(estimate, 4), 2);
  const inverseSquare = mul(inverse, inverse);
  const root = halves(mul(scaled, inverseSquare));
  const square = halves(mul(root.high, root.high));
  const rest = sub(sub(scaled, mul(square.high, root.high)), mul(square.low, root.high));
  const step = mul(mul(rest, constant(1 / 3)), inverseSquare);
  const result = add(root.high, add(step, mul(step, mul(root.low, inverse))));
  const unscaled = mul(result, select(isSmall, constant(2 ** -100), constant(1)));
  return or(select(less(a, constant(Infinity)), unscaled, a), sign(x));
}
/** 4/3 of the upper half of the bits of 1, less what spreads the error evenly. */
const ESTIMATE = 1430257664 - 71000;
/** Coefficients of the series of ((1 − r)^(−1/3) − 1)/r. */
const SERIES = [1 / 3, 2 / 9, 14 / 81, 35 / 243];

/**
 * √(x² + y²) within 1.17 ulp, without overflow or underflow on the way; ∞ wins over NaN, as in C.
 *
 * Both are divided by the power of 2 below the larger one.
 */
export function hypot(code: Straight, x: Register, y: Register): Register {
  const lanes = float64Lanes(code);
  const { constant, pattern, add, mul, and, or, sqrt, magnitude, atMost, atLeast, equal, select, subInt } =
    lanes;
  const a = magnitude(x);
  const b = magnitude(y);
  const larger = atLeast(atMost(atLeast(a, b), constant(2 ** 1022)), constant(2 ** -1022));
  const scale = and(larger, constant(Infinity));
  const inverse = subInt(pattern(2046n << 52n), scale);
  const u = mul(a, inverse);
  const v = mul(b, inverse);
  const length = mul(sqrt(add(mul(u, u), mul(v, v))), scale);
  const infinity = constant(Infinity);
  return select(or(equal(a, infinity), equal(b, infinity)), infinity, length);
}

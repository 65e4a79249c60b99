/** asinh, acosh and atanh. */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { LN2_HIGH, LN2_LOW } from "./exponential.ts";
import { logarithmOfSum, unlessFinite } from "./logarithm.ts";

/** From here on asinh and acosh equal ln 2x in float32. */
const LARGE = 2 ** 20;

/**
 * asinh x = ln(1 + w) with w = |x| + x²/(1 + √(1 + x²)), with the sign of x.
 *
 * At most 1.82 ulp.
 */
export function asinh(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, sqrt, magnitude, less, select, except, and, or, sign } = lanes;
  const absolute = magnitude(x);
  const square = mul(x, x);
  const w = add(absolute, div(square, add(constant(1), sqrt(add(constant(1), square)))));
  const sum = add(constant(1), w);
  const large = less(constant(LARGE), absolute);
  const lost = except(sub(w, sub(sum, constant(1))), large);
  const extra = add(and(large, constant(Math.LN2)), unlessFinite(lanes, absolute));
  return or(logarithmOfSum(lanes, select(large, absolute, sum), lost, extra), sign(x));
}

/**
 * acosh x = ln(1 + w) with t = x − 1 and w = t + √(2t + t²), whose rounding error is kept.
 *
 * At most 1.82 ulp.
 */
export function acosh(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, sqrt, less, select, except, and, or } = lanes;
  const t = sub(x, constant(1));
  const root = sqrt(add(add(t, t), mul(t, t)));
  const w = add(root, t);
  const sum = add(constant(1), w);
  const large = less(constant(LARGE), x);
  const lost = except(add(sub(w, sub(sum, constant(1))), add(sub(root, w), t)), large);
  const extra = add(and(large, constant(Math.LN2)), unlessFinite(lanes, x));
  // A float whose bits are all set is a NaN.
  return logarithmOfSum(lanes, select(large, x, sum), lost, or(extra, less(x, constant(1))));
}

/**
 * atanh x = −n ½ ln 2 + atanh s, since it is half the logarithm of u/v with u = 1 + |x| and v = 1 − |x|. Below ½, n = 0
 * and s = |x|; else v is exact, v = 2ⁿ m with 5/4 ≤ m < 5/2, and s = (u − m)/(u + m) is at most ¼.
 * atanh s = s + s³ p(s²); p is minimax, fitted for this file, its coefficients rounded to float32 one by one.
 *
 * At most 1.24 ulp.
 */
export function atanh(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, magnitude, less, equal, select, except, and, or, sign, polynomial } =
    lanes;
  const absolute = magnitude(x);
  const near = less(absolute, constant(0.5));
  const u = add(constant(1), absolute);
  const v = sub(constant(1), absolute);
  const exponent = lanes.shiftRightSigned(lanes.subInt(v, constant(1.25)), 23);
  const m = lanes.subInt(v, lanes.shiftLeft(exponent, 23));
  const s = select(near, absolute, div(sub(u, m), add(u, m)));
  const n = except(lanes.fromInt(exponent), near);
  const square = mul(s, s);
  const rest = add(mul(mul(s, square), polynomial(square, ATANH)), mul(n, constant(-LN2_LOW / 2)));
  const result = add(add(s, rest), mul(n, constant(-LN2_HIGH / 2)));
  // A float whose bits are all set is a NaN.
  const poles = or(and(equal(absolute, constant(1)), constant(Infinity)), less(constant(1), absolute));
  return or(add(result, poles), sign(x));
}
const ATANH = [
  0.33333301544189453, 0.2000243365764618, 0.14224334061145782, 0.11811121553182602, 0.051814645528793335,
  0.1760782152414322,
];

/** Roots other than the square root, which is an instruction. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes } from "./arithmetic.ts";

/**
 * √(x² + y²) within 1.17 ulp, without overflow or underflow on the way; ∞ wins over NaN, as in C.
 *
 * Both are divided by the power of 2 below the larger one.
 */
export function hypot(lanes: Float64Lanes, x: Register, y: Register): Register {
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

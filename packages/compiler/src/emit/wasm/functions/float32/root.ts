/** cbrt and hypot. */
import type { Register, Straight } from "../../lanes/straight.ts";
import { float32Lanes } from "./arithmetic.ts";
import { doubleLanes } from "./doubles.ts";

/**
 * ∛x with the sign of x, by way of numbers that are neither subnormal nor near the largest.
 *
 * At most 0.97 ulp.
 */
export function cbrt(code: Straight, x: Register): Register {
  const { constant, pattern, mul, magnitude, less, and, or, sign, select, addInt, subInt } =
    float32Lanes(code);
  const absolute = magnitude(x);
  const small = less(absolute, constant(1));
  // Exponents are moved by 24 toward 0, those of the root back by 8.
  const factor = addInt(constant(2 ** -24), and(small, pattern(48 << 23)));
  const inverseRoot = subInt(constant(2 ** 8), and(small, pattern(16 << 23)));
  const root = mul(cubeRoot(code, mul(absolute, factor)), inverseRoot);
  const regular = and(less(constant(0), absolute), less(absolute, constant(Infinity)));
  return select(regular, or(root, sign(x)), x);
}

/**
 * ∛x for x from 2⁻¹²⁵ to 2¹⁰⁴. A third of the bits is an estimate t within 4 %. With e = 1 − t³/x the root is
 * t (1 − e)^−⅓, and the series of that to e³ leaves 2·10⁻⁵; a step of Newton's method with the same 1/x leaves roundings.
 */
function cubeRoot(code: Straight, x: Register): Register {
  const { constant, pattern, add, sub, mul, div, addInt, polynomial } = float32Lanes(code);
  const cube = (t: Register): Register => mul(mul(t, t), t);
  const third = code.op("i16x8.q15mulr_sat_s", x, pattern(Q15_THIRD << 16));
  const estimate = addInt(third, pattern(ESTIMATE_OFFSET));
  const inverse = div(constant(1), x);
  const e = sub(constant(1), mul(cube(estimate), inverse));
  const t = add(estimate, mul(mul(estimate, e), polynomial(e, [1 / 3, 2 / 9, 14 / 81])));
  const residue = mul(sub(x, cube(t)), inverse);
  return add(t, mul(residue, mul(t, constant(1 / 3))));
}
/** ⅓ in units of 2⁻¹⁵: the upper halves of the lanes are multiplied by it, the lower by 0. */
const Q15_THIRD = 10923;
/** Two thirds of the bits of 1, less what makes the largest |e| least: 0.107. */
const ESTIMATE_OFFSET = 0x2a50d000;

/**
 * √(x² + y²), ∞ if either is infinite. In float64 lanes the squares are exact and in range.
 *
 * At most 0.51 ulp.
 */
export function hypot(code: Straight, x: Register, y: Register): Register {
  const { constant, magnitude, equal, or, select } = float32Lanes(code);
  const { widen, narrow, add, mul, sqrt } = doubleLanes(code);
  const a = widen(x);
  const b = widen(y);
  const root = narrow(sqrt(add(mul(a, a), mul(b, b))));
  const infinity = constant(Infinity);
  const infinite = or(equal(magnitude(x), infinity), equal(magnitude(y), infinity));
  return select(infinite, infinity, root);
}

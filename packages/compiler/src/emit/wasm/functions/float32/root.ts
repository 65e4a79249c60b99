/** hypot. */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { doubleLanes } from "./doubles.ts";

/**
 * √(x² + y²), ∞ if either is infinite. In float64 lanes the squares are exact and in range.
 *
 * At most 0.51 ulp.
 */
export function hypot(lanes: Float32Lanes, x: Register, y: Register): Register {
  const { constant, magnitude, equal, or, select } = lanes;
  const { widen, narrow, add, mul, sqrt } = doubleLanes(lanes);
  const a = widen(x);
  const b = widen(y);
  const root = narrow(sqrt(add(mul(a, a), mul(b, b))));
  const infinity = constant(Infinity);
  const infinite = or(equal(magnitude(x), infinity), equal(magnitude(y), infinity));
  return select(infinite, infinity, root);
}

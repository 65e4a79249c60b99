import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { exp2OfDoubles } from "./double-exponential.ts";
import { doubleLanes } from "./doubles.ts";

/**
 * 1 / (1 + e⁻ˣ), in float64 lanes. In float32 the rounding of the sum alone can be a whole ulp of the result. It would also
 * overflow where the result is not yet 0.
 *
 * At most 0.54 ulp.
 */
export function sigmoid(lanes: Float32Lanes, x: Register): Register {
  const { constant: single, atMost, atLeast } = lanes;
  const { constant, widen, narrow, add, mul, div } = doubleLanes(lanes);
  const bounded = widen(atLeast(atMost(x, single(18)), single(-104)));
  const power = exp2OfDoubles(lanes, mul(bounded, constant(-Math.LOG2E)));
  return narrow(div(constant(1), add(constant(1), power)));
}

/**
 * sinh, cosh and tanh. Coefficients are minimax, fitted for this file, and rounded to float32 one by one, lowest degree
 * first, the others being fitted again.
 */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { halfExp, moderateExp2 } from "./exponential.ts";

/**
 * sinh x = x + x³ p(x²) below 1, else h − 1/4h with h = e^|x|/2, with the sign of x.
 *
 * At most 1.62 ulp.
 */
export function sinh(lanes: Float32Lanes, x: Register): Register {
  const { constant, sub, div, magnitude, less, select, or, sign } = lanes;
  const absolute = magnitude(x);
  const half = halfExp(lanes, absolute);
  const far = sub(half, div(constant(0.25), half));
  return or(select(less(absolute, constant(1)), oddSeries(lanes, absolute, SINH), far), sign(x));
}
const SINH = [0.1666671633720398, 0.008330274373292923, 0.0002037284430116415];

/**
 * cosh x = h + 1/4h with h = e^|x|/2.
 *
 * At most 1.46 ulp.
 */
export function cosh(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, div, magnitude } = lanes;
  const half = halfExp(lanes, magnitude(x));
  return add(half, div(constant(0.25), half));
}

/**
 * tanh x = x + x³ p(x²) up to about 0.92, else 1 − 2/(e^2|x| + 1), with the sign of x. The quotient is so small there that its
 * power needs no second part of ln 2. Beyond 0.92 the first formula gives the larger value; the second is bounded below by its
 * value at 0.9. So the result is the minimum of both.
 *
 * At most 1.38 ulp.
 */
export function tanh(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, magnitude, or, sign, atMost, atLeast } = lanes;
  const absolute = magnitude(x);
  // The result is 1 from 9.02 on.
  const bounded = atLeast(atMost(absolute, constant(10)), constant(0.9));
  const power = moderateExp2(lanes, mul(bounded, constant(2 * Math.LOG2E)));
  const far = sub(constant(1), div(constant(2), add(power, constant(1))));
  return or(atMost(oddSeries(lanes, absolute, TANH), far), sign(x));
}
const TANH = [
  -0.3333321213722229, 0.13330359756946564, -0.05372149869799614, 0.02090415358543396, -0.006860057357698679,
  0.0013039394980296493,
];

/** x + x³ p(x²). */
function oddSeries({ add, mul, polynomial }: Float32Lanes, x: Register, p: readonly number[]): Register {
  const square = mul(x, x);
  return add(x, mul(mul(x, square), polynomial(square, p)));
}

/** Remainders of divisions. Exact. */
import type { Register } from "../../lanes/straight.ts";
import { floorDivideOf, remainderOf } from "../division.ts";
import { type Float32Function, type Float32Lanes, helper } from "./arithmetic.ts";
import { type Doubles, doubleLanes } from "./doubles.ts";

/** The remainder of a division toward 0, with the sign of x; JavaScript's x % y. */
export function fmod(lanes: Float32Lanes, x: Register, y: Register): Register {
  const { constant, magnitude, mul, less, or, sign } = lanes;
  const { widen, narrow } = doubleLanes(lanes);
  const dividend = magnitude(x);
  const divisor = magnitude(y);
  const usual = narrow(divisionStep(lanes, widen(dividend), finite(lanes, widen(divisor))));
  const far = less(mul(divisor, constant(2 ** STEP_BITS)), dividend);
  return or(lanes.rarely(far, usual, longDivision, dividend, divisor), sign(x));
}

/** The remainder of a division toward −∞, with the sign of y. */
export const remainder: Float32Function = (lanes, x, y) => remainderOf(lanes, fmod(lanes, x, y), y);

export const floorDivide: Float32Function = (lanes, x, y) => floorDivideOf(lanes, fmod(lanes, x, y), x, y);

/**
 * The bits of a quotient that one step computes. Their product with the divisor, of 24 bits, is exact, and so is the remainder.
 * Rounding never moves the quotient of two numbers of 24 bits up to an integer, from which it differs by at least 2⁻²⁴.
 */
const STEP_BITS = 28;

/** x − ⌊x/y⌋ y, for x ≥ 0 and y > 0; exact if the quotient is below 2²⁸. */
function divisionStep(lanes: Float32Lanes, x: Doubles, y: Doubles): Doubles {
  const { sub, mul, div, trunc } = doubleLanes(lanes);
  return sub(x, mul(trunc(div(x, y)), y));
}

/** Replaces an infinite divisor by a finite one that exceeds any float32. */
function finite(lanes: Float32Lanes, divisor: Doubles): Doubles {
  const { constant, atMost } = doubleLanes(lanes);
  return atMost(divisor, constant(2 ** 200));
}

const longDivision = helper("float32 remainder by long division", (lanes, dividend, divisor) => {
  const { constant, widen, narrow, mul } = doubleLanes(lanes);
  const unit = finite(lanes, widen(divisor));
  let rest = widen(dividend);
  // The largest quotient is 2¹²⁸/2⁻¹⁴⁹.
  for (let place = 9 * STEP_BITS; place >= 0; place -= STEP_BITS) {
    rest = divisionStep(lanes, rest, mul(unit, constant(2 ** place)));
  }
  return narrow(rest);
});

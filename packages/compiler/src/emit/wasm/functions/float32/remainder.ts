/** What a division leaves. Exact. */
import type { Helper, Register, Straight } from "../../lanes/straight.ts";
import { float32Lanes } from "./arithmetic.ts";
import { type Doubles, doubleLanes } from "./doubles.ts";

/** The remainder of division toward 0, with the sign of x; JavaScript's x % y. */
export function fmod(code: Straight, x: Register, y: Register): Register {
  const { constant, magnitude, mul, less, or, sign } = float32Lanes(code);
  const { widen, narrow } = doubleLanes(code);
  const dividend = magnitude(x);
  const divisor = magnitude(y);
  const usual = narrow(divisionStep(code, widen(dividend), finite(code, widen(divisor))));
  const far = less(mul(divisor, constant(2 ** STEP_BITS)), dividend);
  return or(code.rarely(far, usual, longDivision, dividend, divisor), sign(x));
}

/** The remainder of division toward −∞, with the sign of y: {@link fmod}, and y added where the signs differ. */
export function remainder(code: Straight, x: Register, y: Register): Register {
  const { constant, sub, unequal, and, xor, shiftRightSigned } = float32Lanes(code);
  const modulus = fmod(code, x, y);
  const opposite = and(unequal(modulus, constant(0)), shiftRightSigned(xor(modulus, y), 31));
  // −y is subtracted, since −0 plus 0 would be 0.
  return sub(modulus, and(opposite, xor(y, constant(-0))));
}

/**
 * The bits of a quotient that one step finds. Its product with the divisor, of 24 bits, is exact, and so is what remains.
 * Rounding does not bring the quotient of two numbers of 24 bits up to an integer, since it is at least 2⁻²⁴ below.
 */
const STEP_BITS = 28;

/** x − ⌊x/y⌋ y, for x ≥ 0 and y > 0, exactly where the quotient is below 2²⁸. */
function divisionStep(code: Straight, x: Doubles, y: Doubles): Doubles {
  const { sub, mul, div, trunc } = doubleLanes(code);
  return sub(x, mul(trunc(div(x, y)), y));
}

/** An infinite divisor made finite, but larger than any float32. */
function finite(code: Straight, divisor: Doubles): Doubles {
  const { constant, atMost } = doubleLanes(code);
  return atMost(divisor, constant(2 ** 200));
}

const longDivision: Helper = {
  name: "float32 remainder by long division",
  build: (code, dividend, divisor) => {
    const { constant, widen, narrow, mul } = doubleLanes(code);
    const unit = finite(code, widen(divisor!));
    let rest = widen(dividend!);
    // The largest quotient is 2¹²⁸/2⁻¹⁴⁹.
    for (let place = 9 * STEP_BITS; place >= 0; place -= STEP_BITS) {
      rest = divisionStep(code, rest, mul(unit, constant(2 ** place)));
    }
    return narrow(rest);
  },
};

/**
 * Remainder and quotient of a division toward −∞, given the remainder of a division toward 0. ../../intrinsics/float.ts is the
 * same for numbers.
 */
import type { Register } from "../lanes/straight.ts";
import type { FloatLanes } from "./lanes.ts";

type Lanes = Omit<FloatLanes<never>, "pattern">;

/** A mask of where the modulus is not 0 and its sign is not that of y. */
const differ = ({ constant, and, xor, unequal, lessInt }: Lanes, modulus: Register, y: Register): Register =>
  and(unequal(modulus, constant(0)), lessInt(xor(modulus, y), constant(0)));

/** The remainder with the sign of y: y is added where the signs differ. That is written as subtracting −y, since −0 + 0 would be 0. */
export const remainderOf = (lanes: Lanes, modulus: Register, y: Register): Register =>
  lanes.sub(modulus, lanes.and(differ(lanes, modulus, y), lanes.negative(y)));

/** ⌊x/y⌋, computed from the modulus: a rounded x/y may have reached an integer. x/y for y = 0. */
export function floorDivideOf(lanes: Lanes, modulus: Register, x: Register, y: Register): Register {
  const { constant, add, sub, div, and, sign, floor, less, equal, select } = lanes;
  const one = constant(1);
  const zero = constant(0);
  const ratio = div(x, y);
  const quotient = sub(div(sub(x, modulus), y), and(differ(lanes, modulus, y), one));
  const floored = floor(quotient);
  const nearest = add(floored, and(less(constant(0.5), sub(quotient, floored)), one));
  const signed = select(equal(quotient, zero), sign(ratio), nearest);
  return select(equal(y, zero), ratio, signed);
}

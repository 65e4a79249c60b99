/** What division toward −∞ gives, and leaves, from what division toward 0 leaves. As in ../../intrinsics/float.ts. */
import type { Register } from "../lanes/straight.ts";
import type { FloatLanes } from "./lanes.ts";

type Lanes = Omit<FloatLanes<never>, "pattern">;

/** A mask of where a modulus is not 0, and its sign not that of y. */
const differ = ({ constant, and, xor, unequal, lessInt }: Lanes, modulus: Register, y: Register): Register =>
  and(unequal(modulus, constant(0)), lessInt(xor(modulus, y), constant(0)));

/** The remainder with the sign of y, which is added where the signs differ. −y is subtracted, since −0 plus 0 would be 0. */
export const remainderOf = (lanes: Lanes, modulus: Register, y: Register): Register =>
  lanes.sub(modulus, lanes.and(differ(lanes, modulus, y), lanes.negative(y)));

/** ⌊x/y⌋, so that a quotient rounded up to an integer does not count; x/y for y = 0. */
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

import type { Float32Lanes } from "./arithmetic.ts";
import { type Doubles, doubleLanes } from "./doubles.ts";

/**
 * 2ˣ in float64 lanes for |x| ≤ 1000, off by less than 2·10⁻⁹ relative, which is 0.03 ulp of a float32.
 *
 * x = n + r with |r| ≤ ½, without a rounding. Coefficients are minimax, fitted for this file.
 */
export function exp2OfDoubles(lanes: Float32Lanes, x: Doubles): Doubles {
  const { constant, add, sub, addInt, shiftLeft, polynomial } = doubleLanes(lanes);
  const round = constant(1.5 * 2 ** 52);
  const shifted = add(x, round);
  const r = sub(x, sub(shifted, round));
  // The low 12 bits of `shifted` are n, which goes to the exponent. Those of a NaN that once was a float32 are 0.
  return addInt(polynomial(r, EXP2), shiftLeft(shifted, 52));
}
const EXP2 = [
  1.000000000593189, 0.6931472056431024, 0.2402264668949818, 0.05550328905734881, 0.009618508651910992,
  0.0013399888533789286, 0.00015340860887804215,
];

/** erf and erfc. Coefficients are minimax, fitted for this file. */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { exp2OfDoubles } from "./double-exponential.ts";
import { doubleLanes } from "./doubles.ts";

/**
 * erf x = x + x p(x²) below 1.1, else 1 − q(|x| − 1)⁻⁴, with the sign of x. The fourth root of 1/erfc is smooth enough for a
 * polynomial, so that no exponential is needed; a polynomial about 1 rather than 0 rounds less. Outside its interval each formula
 * gives the larger value, so the result is the minimum of both.
 *
 * At most 1.48 ulp.
 */
export function erf(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, mul, div, magnitude, or, sign, atMost, polynomial } = lanes;
  const absolute = magnitude(x);
  const near = add(absolute, mul(absolute, polynomial(mul(x, x), ERF)));
  // The result is 1 from 3.93 on; 4 is far enough for it to be rounded to 1.
  const root = polynomial(sub(atMost(absolute, constant(4)), constant(1)), INVERSE_ERFC_ROOT);
  const square = mul(root, root);
  const far = sub(constant(1), div(constant(1), mul(square, square)));
  return or(atMost(near, far), sign(x));
}
const ERF = [
  0.12837916612625122, -0.37612611055374146, 0.11283363401889801, -0.026843471452593803, 0.005167632829397917,
  -0.000782388320658356, 0.00007233414362417534,
];
const INVERSE_ERFC_ROOT = [
  1.587890863418579, 1.0473722219467163, 0.6825295686721802, 0.301315575838089, 0.16328929364681244,
  -0.016189556568861008, 0.07816299051046371, -0.030786793678998947, 0.0101851811632514,
];

/**
 * erfc |x| = exp(−x²) d p(d) with d = 1/(|x| + 3), in float64 lanes, since rounding x² alone could cost a hundred ulp. For
 * negative x it is subtracted from 2.
 *
 * At most 0.77 ulp.
 */
export function erfc(lanes: Float32Lanes, x: Register): Register {
  const single = lanes;
  const { constant, widen, narrow, add, mul, div, polynomial } = doubleLanes(lanes);
  // The result is 0 from 10.06 on.
  const absolute = widen(single.atMost(single.magnitude(x), single.constant(10.2)));
  const d = div(constant(1), add(absolute, constant(3)));
  const gauss = exp2OfDoubles(lanes, mul(mul(absolute, constant(-Math.LOG2E)), absolute));
  const result = narrow(mul(mul(gauss, d), polynomial(d, SCALED_ERFC)));
  const twoIfNegative = single.and(single.shiftRightSigned(x, 31), single.constant(2));
  return single.add(twoIfNegative, single.xor(result, single.sign(x)));
}
/** exp(x²) erfc(x)/d, off by less than 2.4·10⁻⁹ relative. */
const SCALED_ERFC = [
  0.5641093413505418, 1.698050814095861, 4.631613090733563, 15.51985452713162, -0.09130848829237513,
  292.0966833066807, -957.566720977265, 3498.8979903555764, -5730.470950623795, 3279.4016224854636,
];

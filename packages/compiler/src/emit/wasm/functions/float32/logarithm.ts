/**
 * Logarithms. x = 2ⁿ (1 + f) with √½ ≤ 1 + f < √2, so that f is exact, and n is 0 near 1, where the logarithm is small.
 * Coefficients are minimax, fitted for this file, and rounded to float32 one by one, lowest degree first, the others being fitted
 * again. Arguments that are not positive, finite and normal go to functions of the module.
 */

import type { Register } from "../../lanes/straight.ts";
import { type Float32Function, type Float32Lanes, helper } from "./arithmetic.ts";
import { LN2_HIGH, LN2_LOW } from "./exponential.ts";

/** log₁₀ 2 in two parts. The first has 12 bits, so that its product with an exponent is exact. */
const LOG10_2_HIGH = 0.301025390625;
const LOG10_2_LOW = 4.605038981195214e-6;

const SQRT_HALF_BITS = 0x3f3504f3;
const MANTISSA_BITS = 0x7fffff;
const SMALLEST_NORMAL = 2 ** -126;

/**
 * ln x = n ln 2 + (f + f² (−½ + f p(f))).
 *
 * At most 0.96 ulp.
 */
export const log: Float32Function = logarithm("log", logarithmOf);

/** ln(2ⁿ (1 + f)). */
export function logarithmOf(lanes: Float32Lanes, n: Register, f: Register): Register {
  const { constant, add, mul } = lanes;
  return add(add(f, naturalRest(lanes, n, f)), mul(n, constant(LN2_HIGH)));
}

/**
 * log₂ x = n + (f + f p(f)); exact for powers of 2. The first coefficient is 1/ln 2 − 1, so that most of the product needs no
 * rounding.
 *
 * At most 1.41 ulp.
 */
export const log2: Float32Function = logarithm("log2", ({ add, mul, polynomial }, n, f) =>
  add(add(f, mul(f, polynomial(f, LOG2))), n),
);
const LOG2 = [
  0.4426950514316559, -0.7213475108146667, 0.4808965027332306, -0.3606857359409332, 0.28864023089408875,
  -0.23988130688667297, 0.20353923738002777, -0.18818649649620056, 0.19133953750133514, -0.12244020402431488,
];

/**
 * log₁₀ x = n log₁₀ 2 + (f/2 + f p(f)), where the first coefficient is 1/ln 10 − ½.
 *
 * At most 1.33 ulp.
 */
export const log10: Float32Function = logarithm("log10", ({ constant, add, mul, polynomial }, n, f) => {
  const rest = add(mul(f, polynomial(f, LOG10)), mul(n, constant(LOG10_2_LOW)));
  return add(add(mul(f, constant(0.5)), rest), mul(n, constant(LOG10_2_HIGH)));
});
const LOG10 = [
  -0.06570551544427872, -0.21714724600315094, 0.14476457238197327, -0.10857652127742767, 0.08687100559473038,
  -0.07221337407827377, 0.06161097437143326, -0.05696506425738335, 0.0556170828640461, -0.03371468186378479,
];

/** A logarithm, from one of 2ⁿ (1 + f). */
function logarithm(
  name: string,
  assemble: (lanes: Float32Lanes, n: Register, f: Register) => Register,
): Float32Function {
  const subnormal = helper(`float32 ${name} of a subnormal number`, (lanes, x, otherwise) => {
    const { constant, sub, mul, select } = lanes;
    const { n, f } = splitNormal(lanes, mul(x, constant(2 ** 23)));
    return select(isSubnormal(lanes, x), assemble(lanes, sub(n, constant(23)), f), otherwise);
  });
  const unusual = helper(`float32 ${name} of an unusual number`, (lanes, x, usual) => {
    const result = withPoles(lanes, x, usual);
    return lanes.rarely(isSubnormal(lanes, x), result, subnormal, x, result);
  });
  return (lanes, x) => {
    const { n, f } = splitNormal(lanes, x);
    const usual = assemble(lanes, n, f);
    return lanes.rarely(isUnusual(lanes, x), usual, unusual, x, usual);
  };
}

/**
 * ln(1 + x), as the logarithm of the rounded sum plus what the rounding lost.
 *
 * At most 1.03 ulp.
 */
export function log1p(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, sign, or } = lanes;
  const sum = add(constant(1), x);
  const lost = sub(x, sub(sum, constant(1)));
  const usual = logarithmOfSum(lanes, sum, lost, null);
  const result = lanes.rarely(isUnusual(lanes, sum), usual, log1pOfUnusual, sum, usual);
  // The result has the sign of x, even if x is −0.
  return or(result, sign(x));
}

const log1pOfUnusual = helper("float32 log1p of an unusual number", (lanes, sum, usual) =>
  withPoles(lanes, sum, usual),
);

/**
 * ln(sum + lost) + extra (null: 0). `sum` is positive, finite and normal. `lost` is small beside it and is added last, since sum
 * + lost may need more bits than a float32 has.
 */
export function logarithmOfSum(
  lanes: Float32Lanes,
  sum: Register,
  lost: Register,
  extra: Register | null,
): Register {
  const { constant, pattern, add, sub, mul, subInt, maxInt, shiftLeft, shiftRightSigned, fromInt } = lanes;
  const exponent = shiftRightSigned(subInt(sum, pattern(SQRT_HALF_BITS)), 23);
  const scale = shiftLeft(exponent, 23);
  const high = sub(subInt(sum, scale), constant(1));
  // Times 2⁻ⁿ, or 0 if that is no normal float32.
  const low = mul(lost, maxInt(subInt(constant(1), scale), pattern(0)));
  const n = fromInt(exponent);
  const rest = naturalRest(lanes, n, add(high, low));
  const most = mul(n, constant(LN2_HIGH));
  return add(add(high, add(low, rest)), extra === null ? most : add(most, extra));
}

/** n and f of a positive, finite and normal x. */
export function splitNormal(lanes: Float32Lanes, x: Register): { n: Register; f: Register } {
  const { constant, pattern, sub, and, addInt, subInt, shiftRightSigned, fromInt } = lanes;
  const offset = subInt(x, pattern(SQRT_HALF_BITS));
  const m = addInt(and(offset, pattern(MANTISSA_BITS)), pattern(SQRT_HALF_BITS));
  return { n: fromInt(shiftRightSigned(offset, 23)), f: sub(m, constant(1)) };
}

/** ln(2ⁿ (1 + f)) without its two largest terms, which are f and n times the first part of ln 2. */
function naturalRest(lanes: Float32Lanes, n: Register, f: Register): Register {
  const { constant, add, mul, splitPolynomial } = lanes;
  const square = mul(f, f);
  const p = add(constant(-0.5), mul(f, splitPolynomial(f, square, LOG)));
  return add(mul(square, p), mul(n, constant(LN2_LOW)));
}
const LOG = [
  0.33333301544189453, -0.25000807642936707, 0.20002855360507965, -0.16624893248081207, 0.14174741506576538,
  -0.13122577965259552, 0.12903808057308197, -0.07886642217636108,
];

/** False for positive, finite and normal numbers only. Their bits are a range, which the addition moves to the least integers. */
function isUnusual({ pattern, addInt, lessInt }: Float32Lanes, x: Register): Register {
  return lessInt(pattern(0xfeffffff), addInt(x, pattern(0x7f800000)));
}

function isSubnormal({ constant, less, and }: Float32Lanes, x: Register): Register {
  return and(less(constant(0), x), less(x, constant(SMALLEST_NORMAL)));
}

/** The logarithm of x: −∞ for 0, NaN for negative numbers, x for ∞ and NaN, else `usual`. */
function withPoles(lanes: Float32Lanes, x: Register, usual: Register): Register {
  const { constant, less, equal, and, or, select } = lanes;
  const zero = and(equal(x, constant(0)), constant(-Infinity));
  // A float whose bits are all set is a NaN.
  const pole = or(or(zero, less(x, constant(0))), unlessFinite(lanes, x));
  return select(and(less(constant(0), x), less(x, constant(Infinity))), usual, pole);
}

/** x if it is ∞ or NaN, else 0; for x > −∞. */
export function unlessFinite({ constant, less, except }: Float32Lanes, x: Register): Register {
  return except(x, less(x, constant(Infinity)));
}

import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { exp2OfDoubles } from "./double-exponential.ts";
import { type Doubles, doubleLanes } from "./doubles.ts";
import { unlessFinite } from "./logarithm.ts";

const LARGEST = 3.4028234663852886e38;

/**
 * x^y = 2^(y log₂ |x|), in float64 lanes. As in C, it is 1 for y = 0, for x = 1, and for x = −1 and an infinite y, and
 * NaN for a negative finite x and a y that is no integer.
 *
 * At most 0.54 ulp.
 */
export function pow(lanes: Float32Lanes, x: Register, y: Register): Register {
  const { constant, magnitude, atMost, atLeast, equal, and, or, select } = lanes;
  const {
    constant: wide,
    widen,
    narrow,
    add,
    mul,
    atMost: wideAtMost,
    atLeast: wideAtLeast,
  } = doubleLanes(lanes);
  const absolute = magnitude(x);
  const atZero = and(equal(x, constant(0)), constant(-Infinity));
  const poles = or(atZero, unlessFinite(lanes, absolute));
  const logarithm = add(log2OfDoubles(lanes, widen(absolute)), widen(poles));
  // A finite exponent, so that its product with log₂ 1 is 0. It is even, as an infinite one counts.
  const exponent = atLeast(atMost(y, constant(LARGEST)), constant(-LARGEST));
  const product = mul(widen(exponent), logarithm);
  const power = narrow(exp2OfDoubles(lanes, wideAtLeast(wideAtMost(product, wide(200)), wide(-200))));
  const one = or(equal(x, constant(1)), equal(y, constant(0)));
  return select(one, constant(1), withSign(lanes, power, x, exponent));
}

/** Turns the power of |x| into that of x. */
function withSign(lanes: Float32Lanes, power: Register, x: Register, exponent: Register): Register {
  const { constant, mul, nearest, unequal, less, and, or, xor, except, sign } = lanes;
  const half = mul(exponent, constant(0.5));
  const fractional = unequal(nearest(exponent), exponent);
  const odd = except(unequal(nearest(half), half), fractional);
  const negative = and(less(x, constant(0)), less(constant(-Infinity), x));
  // A float whose bits are all set is a NaN.
  return or(xor(power, and(odd, sign(x))), and(negative, fractional));
}

/**
 * log₂ of positive finite float64, off by less than 5·10⁻¹² relative; for others the result is finite but undefined.
 *
 * x = 2ⁿ m with √½ ≤ m < √2, and log₂ m is odd in s = (m − 1)/(m + 1). Coefficients are minimax, fitted for this file.
 */
function log2OfDoubles(lanes: Float32Lanes, x: Doubles): Doubles {
  const { constant, pattern, add, sub, mul, div, addInt, subInt, and, or, shiftRight, polynomial } =
    doubleLanes(lanes);
  const biased = subInt(x, pattern(SQRT_HALF_BITS - (EXPONENT_BIAS << 52n)));
  const m = addInt(and(biased, pattern((1n << 52n) - 1n)), pattern(SQRT_HALF_BITS));
  // The integer is added to the low bits of 2⁵².
  const exponent = or(shiftRight(biased, 52), constant(2 ** 52));
  const n = sub(exponent, constant(2 ** 52 + Number(EXPONENT_BIAS)));
  const s = div(sub(m, constant(1)), add(m, constant(1)));
  return add(n, mul(s, polynomial(mul(s, s), LOG2)));
}
const SQRT_HALF_BITS = 0x3fe6a09e667f3bcdn;
/** Added to exponents of float64 to make them positive. */
const EXPONENT_BIAS = 1024n;
const LOG2 = [
  2.8853900817899123, 0.9617966734584634, 0.5770835680414361, 0.4116735542282905, 0.3407169483256022,
];

/** x to the power y. Coefficients here are a minimax polynomial, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes, Sum } from "./arithmetic.ts";
import { powerOfTwo } from "./exponential.ts";
import { significand } from "./logarithm.ts";

/**
 * xʸ within 1.01 ulp, as C's pow has it: 1 for y = 0 and for x = 1 even beside NaN, and for x = −1 at y = ±∞; NaN for negative x unless y is an
 * integer.
 *
 * 2^(y log₂ |x|), where the logarithm has about 68 bits and its product with y as many (the scheme is that of FreeBSD's e_pow.c).
 */
export function pow(lanes: Float64Lanes, x: Register, y: Register): Register {
  const { constant, add, mul, and, or, xor, except, sign, nearest, magnitude, halves } = lanes;
  const { atMost, atLeast, less, equal, unequal, select } = lanes;
  const zero = constant(0);
  const infinity = constant(Infinity);
  const a = magnitude(x);
  // Beyond this every power of a float64 other than ±1 is 0 or ∞.
  const exponent = atLeast(atMost(y, constant(2 ** 66)), constant(-(2 ** 66)));
  const log = binaryLogarithm(lanes, a);
  const upper = halves(exponent);
  const low = add(mul(upper.low, log.high), mul(exponent, log.low));
  const usual = powerOfTwo(lanes, mul(upper.high, log.high), low);

  const half = mul(exponent, constant(0.5));
  const isInteger = equal(nearest(exponent), exponent);
  const isOdd = and(isInteger, unequal(nearest(half), half));
  const isInfinite = equal(a, infinity);
  const atPole = and(xor(less(y, zero), isInfinite), infinity);
  const positive = select(or(equal(a, zero), isInfinite), atPole, usual);
  const signed = or(positive, and(sign(x), isOdd));
  const isRoot = except(and(less(x, zero), less(a, infinity)), isInteger);
  const isUndefined = or(isRoot, or(unequal(x, x), unequal(y, y)));
  const one = constant(1);
  return select(or(equal(y, zero), equal(x, one)), one, or(signed, isUndefined));
}

/**
 * log₂ x for finite x > 0, of which `high` has 26 bits.
 *
 * x = 2ᵏ (1 + f), s = f/(2 + f), z = s²: log₂(1 + f) = 2/(3 ln 2) s (3 + z + z² r(z)), each factor with an upper half of 26 bits,
 * so that the products of those are exact.
 */
function binaryLogarithm(lanes: Float64Lanes, x: Register): Sum {
  const { constant, add, sub, mul, div, halves, orderedSum, polynomial } = lanes;
  const { k, f } = significand(lanes, x);
  const denominator = orderedSum(constant(2), f);
  const inverse = div(constant(1), denominator.high);
  const divisor = halves(denominator.high);
  const quotient = halves(mul(f, inverse)).high;
  const remainder = sub(
    sub(f, mul(quotient, divisor.high)),
    mul(quotient, add(divisor.low, denominator.low)),
  );
  const quotientLow = mul(remainder, inverse);
  const s = add(quotient, quotientLow);
  const z = mul(s, s);
  const square = mul(quotient, quotient);
  const squareRest = add(mul(mul(z, z), polynomial(z, LOG)), mul(quotientLow, add(s, quotient)));
  const three = constant(3);
  const factor = halves(add(add(three, square), squareRest)).high;
  const factorLow = sub(squareRest, sub(sub(factor, three), square));
  const product = mul(quotient, factor);
  const productLow = add(mul(quotientLow, factor), mul(factorLow, s));
  const upper = halves(add(product, productLow)).high;
  const upperLow = sub(productLow, sub(upper, product));
  const scaled = mul(upper, constant(SCALE.high));
  const scaledLow = add(mul(upper, constant(SCALE.low)), mul(upperLow, constant(SCALE.high + SCALE.low)));
  const high = halves(add(add(scaled, scaledLow), k)).high;
  return { high, low: sub(scaledLow, sub(sub(high, k), scaled)) };
}
/** 2/(3 ln 2) in two parts; the first has 26 bits. */
const SCALE = { high: 0.9617966860532761, low: 7.872699542894897e-9 };
/** (3 atanh(s)/s − 3 − z)/z². */
const LOG = [
  0.5999999999999996, 0.4285714285716887, 0.33333333326002934, 0.2727272834333239, 0.23076832682990317,
  0.20004578212639143, 0.17510137901548256, 0.18001037023587857,
];

/**
 * Logarithms. The coefficients are a minimax polynomial, fitted for this file by Remez's algorithm. Arguments that are not
 * positive, finite and normal go to functions of the module.
 */

import type { Register } from "../../lanes/straight.ts";
import { type Float64Function, type Float64Lanes, helper, type Sum } from "./arithmetic.ts";
import { LN2_HIGH, LN2_LOW } from "./natural-power.ts";

/**
 * log x, within 0.79 ulp.
 *
 * x = 2ᵏ m with √½ ≤ m < √2, and log m as in {@link logarithm}.
 */
export const log: Float64Function = ofPositive("log", (lanes, k, f) => {
  const { constant, add, sub, mul } = lanes;
  const { square, rest } = logarithm(lanes, f);
  const low = add(rest, mul(k, constant(LN2_LOW)));
  return add(mul(k, constant(LN2_HIGH)), sub(f, sub(square, low)));
});

/**
 * log₂ x, within 0.78 ulp; exact for powers of 2.
 *
 * As {@link log}, where log m is a sum of two, as is 1/ln 2, so that their product is exact but for its lesser parts.
 */
export const log2: Float64Function = ofPositive("log2", (lanes, k, f) => {
  const { add, orderedSum } = lanes;
  const product = inBase(lanes, f, INVERSE_LN2);
  const sum = orderedSum(k, product.high);
  return add(sum.high, add(sum.low, product.low));
});

/** log₁₀ x, within 0.67 ulp, as {@link log2}. */
export const log10: Float64Function = ofPositive("log10", (lanes, k, f) => {
  const { constant, add, mul, orderedSum } = lanes;
  const product = inBase(lanes, f, INVERSE_LN10);
  const sum = orderedSum(mul(k, constant(LOG10_2.high)), product.high);
  const low = add(product.low, mul(k, constant(LOG10_2.low)));
  return add(sum.high, add(sum.low, low));
});

/** In two parts. The first has few bits, so that a product with it is exact. */
const INVERSE_LN2 = { high: 1.4426950514316559, low: -1.0542692476429138e-8 };
const INVERSE_LN10 = { high: 0.4342944845557213, low: -2.6524694553078553e-9 };
const LOG10_2 = { high: 0.3010299956640665, low: -8.532344317057107e-14 };

/**
 * log(1 + x), within 0.81 ulp.
 *
 * log of u = 1 + x as rounded, and what u lacks over u. Where u is close to 1 its significand less 1 is x itself.
 */
export function log1p(lanes: Float64Lanes, x: Register): Register {
  const { constant, div, sign, or, equal, select, except, exactSum } = lanes;
  const u = exactSum(constant(1), x);
  const { k, f } = normalSignificand(lanes, u.high);
  const isNearOne = equal(k, constant(0));
  const lacking = except(div(u.low, u.high), isNearOne);
  const usual = assembled(lanes, k, select(isNearOne, x, f), lacking);
  const result = lanes.rarely(isUnusual(lanes, u.high), usual, log1pOfUnusual, u.high, usual);
  return or(result, sign(x));
}

const log1pOfUnusual = helper("log1p of unusual float64", (lanes, u, usual) => withPoles(lanes, usual, u));

/** log(2u) where u is a sum and a normal number, and not close to 1. */
export function logarithmOfDouble(lanes: Float64Lanes, u: Sum): Register {
  const { constant, add, div } = lanes;
  const { k, f } = normalSignificand(lanes, u.high);
  return assembled(lanes, add(k, constant(1)), f, div(u.low, u.high));
}

/** k ln 2 + log(1 + f) + lacking. */
function assembled(lanes: Float64Lanes, k: Register, f: Register, lacking: Register): Register {
  const { constant, add, sub, mul } = lanes;
  const { square, rest } = logarithm(lanes, f);
  const low = add(rest, add(mul(k, constant(LN2_LOW)), lacking));
  return add(mul(k, constant(LN2_HIGH)), sub(f, sub(square, low)));
}

/** A logarithm, from one of 2ᵏ (1 + f). */
function ofPositive(
  name: string,
  assemble: (lanes: Float64Lanes, k: Register, f: Register) => Register,
): Float64Function {
  const subnormal = helper(`${name} of subnormal float64`, (lanes, x, otherwise) => {
    const { constant, sub, mul, select } = lanes;
    const { k, f } = normalSignificand(lanes, mul(x, constant(2 ** 54)));
    return select(isSubnormal(lanes, x), assemble(lanes, sub(k, constant(54)), f), otherwise);
  });
  const unusual = helper(`${name} of unusual float64`, (lanes, x, usual) => {
    const result = withPoles(lanes, usual, x);
    return lanes.rarely(isSubnormal(lanes, x), result, subnormal, x, result);
  });
  return (lanes, x) => {
    const { k, f } = normalSignificand(lanes, x);
    const usual = assemble(lanes, k, f);
    return lanes.rarely(isUnusual(lanes, x), usual, unusual, x, usual);
  };
}

/** x = 2ᵏ (1 + f) with √½ ≤ 1 + f < √2, for positive x. */
export function significand(
  lanes: Float64Lanes,
  x: Register,
): { readonly k: Register; readonly f: Register } {
  const { constant, mul, sub, and, less, select } = lanes;
  const subnormal = less(x, constant(2 ** -1022));
  const normal = select(subnormal, mul(x, constant(2 ** 54)), x);
  const { k, f } = normalSignificand(lanes, normal);
  return { k: sub(k, and(subnormal, constant(54))), f };
}

/** {@link significand} of a normal x. */
function normalSignificand(
  { constant, pattern, addInt, shiftRight, or, sub, and }: Float64Lanes,
  x: Register,
): { readonly k: Register; readonly f: Register } {
  // The exponent field becomes 1023 + k. An integer below 2⁵², put under the exponent of 2⁵², is 2⁵² plus that integer.
  const biased = addInt(x, pattern(ONE - ROOT_HALF));
  const k = sub(or(shiftRight(biased, 52), constant(2 ** 52)), constant(2 ** 52 + 1023));
  const m = addInt(and(biased, pattern(0xf_ffff_ffff_ffffn)), pattern(ROOT_HALF));
  return { k, f: sub(m, constant(1)) };
}
/** The bits of 1 and √½. */
const ONE = 0x3ff0_0000_0000_0000n;
const ROOT_HALF = 0x3fe6_a09e_667f_3bcdn;

/**
 * log(1 + f) = f − square + rest, where square = f²/2 and s = f/(2 + f):
 * log(1 + f) = 2s + s³ p(s²) and 2s = f − f s = f − f²/2 + s f²/2, which is how FreeBSD's e_log.c has it.
 */
function logarithm(
  { constant, add, mul, div, polynomial }: Float64Lanes,
  f: Register,
): { readonly square: Register; readonly rest: Register } {
  const s = div(f, add(constant(2), f));
  const z = mul(s, s);
  const square = mul(mul(constant(0.5), f), f);
  return { square, rest: mul(s, add(square, mul(z, polynomial(z, LOG)))) };
}
const LOG = [
  0.6666666666666735, 0.3999999999940934, 0.285714287436916, 0.22222198428136697, 0.18183572417797983,
  0.15313830007343873, 0.1479828632301455,
];

/** log(1 + f) times a constant in two parts; the upper part of the result is exact. */
function inBase(lanes: Float64Lanes, f: Register, base: { high: number; low: number }): Sum {
  const { constant, add, sub, mul, halves } = lanes;
  const { square, rest } = logarithm(lanes, f);
  const { high } = halves(sub(f, square));
  const low = add(sub(sub(f, high), square), rest);
  return {
    high: mul(high, constant(base.high)),
    low: add(mul(add(low, high), constant(base.low)), mul(low, constant(base.high))),
  };
}

/** False for positive, finite and normal numbers only. Their bits are a range, which the addition moves to the least integers. */
function isUnusual({ pattern, addInt, lessInt }: Float64Lanes, x: Register): Register {
  return lessInt(pattern(0xffdf_ffff_ffff_ffffn), addInt(x, pattern(0x7ff0_0000_0000_0000n)));
}

function isSubnormal({ constant, less, and }: Float64Lanes, x: Register): Register {
  return and(less(constant(0), x), less(x, constant(2 ** -1022)));
}

/** The logarithm of 0 is −∞, of negative numbers NaN, of ∞ and NaN themselves. */
function withPoles(lanes: Float64Lanes, result: Register, x: Register): Register {
  const { constant, and, or, less, equal, select } = lanes;
  const zero = constant(0);
  const isUsual = and(less(zero, x), less(x, constant(Infinity)));
  const pole = or(or(x, less(x, zero)), and(equal(x, zero), constant(-Infinity)));
  return select(isUsual, result, pole);
}

/** Remainders of divisions, and quotients rounded down. Exact, as in ../../../intrinsics/float.ts. */
import type { Register } from "../../lanes/straight.ts";
import { floorDivideOf, remainderOf } from "../division.ts";
import { type Float64Function, type Float64Lanes, helper } from "./arithmetic.ts";

/** Quotients of at most so many bits, times the upper or lower half of a divisor, are exact. */
const QUOTIENT_BITS = 24;
/** Bits of a step; one less, since the exponents of two numbers determine the length of their quotient only up to one bit. */
const STEP = QUOTIENT_BITS - 1;
/** Steps of one call of {@link shorten}. The first may take off few bits. */
const STEPS = 4;
/** Below this, the next multiple of another number is finite. */
const LARGE = 2 ** 1000;
/** Calls that reduce the largest number to the size of the smallest one. */
const CALLS = Math.ceil((1024 + 1074) / (STEP * (STEPS - 1)));

/**
 * C's fmod, which is JavaScript's %: x minus a whole multiple of y, with the sign of x.
 *
 * The remainder to the nearest multiple is exact for quotients of 24 bits. Longer quotients are computed 23 bits at a time, as in
 * long division.
 */
export function fmod(lanes: Float64Lanes, x: Register, y: Register): Register {
  const { constant, div, and, or, sign, magnitude, atLeast, less } = lanes;
  const a = magnitude(x);
  const b = magnitude(y);
  const isUsual = and(less(div(a, b), constant(2 ** QUOTIENT_BITS)), less(atLeast(a, b), constant(LARGE)));
  const usual = positive(lanes, reduced(lanes, a, b), b);
  const isFar = lanes.code.op("v128.not", isUsual);
  return or(lanes.rarely(isFar, usual, far, a, b), sign(x));
}

/** The remainder of a division toward −∞, with the sign of y. */
export const remainder: Float64Function = (lanes, x, y) => remainderOf(lanes, fmod(lanes, x, y), y);

export const floorDivide: Float64Function = (lanes, x, y) => floorDivideOf(lanes, fmod(lanes, x, y), x, y);

const far = helper("fmod of far float64", (lanes, a, b) => {
  const { constant, magnitude, and, or, less, equal, unequal, select } = lanes;
  let r = a;
  for (let i = 0; i < CALLS; i++) r = lanes.rarely(less(b, magnitude(r)), r, shorten, r, b);
  const infinity = constant(Infinity);
  const inRange = positive(lanes, reduced(lanes, r, b), b);
  const isUndefined = or(
    or(unequal(b, b), equal(b, constant(0))),
    lanes.code.op("v128.not", less(a, infinity)),
  );
  const result = select(and(equal(b, infinity), less(a, infinity)), a, inRange);
  return or(result, isUndefined);
});

/** r minus multiples of b. The result is at least 69 bits shorter, or at most half of b. */
const shorten = helper("fmod steps of float64", (lanes, r, b) => {
  const { constant, mul, magnitude, less, lessOrEqual, select } = lanes;
  const isLarge = less(constant(LARGE), magnitude(r));
  const scale = select(isLarge, constant(2 ** -STEP), constant(1));
  const end = mul(b, scale);
  let rest = mul(r, scale);
  let divisor = mul(topDivisor(lanes, r, b), scale);
  for (let i = 0; i < STEPS; i++) {
    rest = select(lessOrEqual(end, divisor), reduced(lanes, rest, divisor), rest);
    divisor = mul(divisor, constant(2 ** -STEP));
  }
  return select(isLarge, mul(rest, constant(2 ** STEP)), rest);
});

/** b · 2^(23 j) ≤ |r| < b · 2^(23 j + 24); b itself if r is smaller. */
function topDivisor(lanes: Float64Lanes, r: Register, b: Register): Register {
  const { constant, add, sub, mul, floor, atLeast, magnitude, shiftLeft } = lanes;
  const difference = sub(exponent(lanes, magnitude(r)), exponent(lanes, b));
  const steps = floor(mul(sub(difference, constant(0.5)), constant(1 / STEP)));
  // 2^(23 j) may need three factors to be in range: 2^(8 j) twice, and 2^(7 j).
  const power = (bits: number): Register =>
    shiftLeft(add(mul(atLeast(steps, constant(0)), constant(bits)), constant(2 ** 52 + 1023)), 52);
  return mul(mul(mul(b, power(8)), power(8)), power(STEP - 16));
}

/** floor(log₂ a) for a > 0. */
function exponent(lanes: Float64Lanes, a: Register): Register {
  const { constant, sub, mul, and, or, less, select, shiftRight } = lanes;
  const isSubnormal = less(a, constant(2 ** -1022));
  const normal = select(isSubnormal, mul(a, constant(2 ** 54)), a);
  const biased = sub(or(shiftRight(normal, 52), constant(2 ** 52)), constant(2 ** 52 + 1023));
  return sub(biased, and(isSubnormal, constant(54)));
}

/** a minus the nearest multiple of b, for |a| < 2²⁴ b. */
function reduced({ sub, mul, div, nearest, halves }: Float64Lanes, a: Register, b: Register): Register {
  const quotient = nearest(div(a, b));
  const { high, low } = halves(b);
  return sub(sub(a, mul(quotient, high)), mul(quotient, low));
}

/** Turns a remainder from −b/2 to b/2 into one from 0 to b. */
function positive({ constant, add, and, less }: Float64Lanes, r: Register, b: Register): Register {
  return add(r, and(less(r, constant(0)), b));
}

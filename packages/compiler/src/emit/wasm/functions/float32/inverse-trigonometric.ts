/**
 * asin, acos, atan and atan2. Coefficients are minimax, fitted for this file, and rounded to float32 one by one, lowest
 * degree first, the others being fitted again.
 */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";

/** π/2 in two parts. */
const QUARTER_TURN = 1.5707963705062866;
const QUARTER_TURN_LOW = -4.371138828673793e-8;

/** The bits in which 1 and −2 differ; −1 and 2 differ in the same. */
const ONE_TO_MINUS_TWO = 0xff800000;

/**
 * asin x = s + s³ p(s²) with s = |x| up to ½, and beyond that π/2 − 2 (s + s³ p(s²)) with s² = (1 − |x|)/2; with the sign of x.
 * It is subtracted first from ½ and then from π/2 − ½, since π/2 − 2s may round at 1 where the result is less.
 *
 * At most 1.37 ulp.
 */
export function asin(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, sqrt, magnitude, less, and, except, xor, sign } = lanes;
  const absolute = magnitude(x);
  const square = squareOfSine(lanes, absolute);
  const far = less(constant(0.5), absolute);
  const root = sqrt(square);
  // s or −2s.
  const multiple = sub(except(absolute, far), and(far, add(root, root)));
  const small = add(and(far, constant(QUARTER_TURN_LOW)), arcSineRest(lanes, multiple, square));
  const most = add(and(far, constant(0.5)), multiple);
  return xor(add(and(far, constant(QUARTER_TURN - 0.5)), add(most, small)), sign(x));
}

/**
 * acos x = π/2 − asin x up to ½, and beyond that 2 (s + s³ p(s²)) with s² = (1 − |x|)/2, or π minus it where x < 0.
 *
 * At most 1.16 ulp.
 */
export function acos(lanes: Float32Lanes, x: Register): Register {
  const { constant, pattern, add, mul, sqrt, magnitude, less, and, or, except, xor, sign } = lanes;
  const absolute = magnitude(x);
  const square = squareOfSine(lanes, absolute);
  // If the square is |x|² and is not subnormal, its root is exactly |x|.
  const s = sqrt(square);
  const far = less(constant(0.5), absolute);
  const factor = xor(xor(and(far, pattern(ONE_TO_MINUS_TWO)), constant(-1)), sign(x));
  const twoIfNegative = and(lanes.shiftRightSigned(x, 31), constant(2));
  const quarters = or(except(constant(1), far), and(far, twoIfNegative));
  const multiple = mul(s, factor);
  const most = add(mul(quarters, constant(QUARTER_TURN)), multiple);
  const small = add(mul(quarters, constant(QUARTER_TURN_LOW)), arcSineRest(lanes, multiple, square));
  return add(most, small);
}

/** The minimum of |x|² and (1 − |x|)/2: |x|² up to ½, the other beyond. */
function squareOfSine({ constant, sub, mul, atMost }: Float32Lanes, absolute: Register): Register {
  return atMost(mul(absolute, absolute), mul(sub(constant(1), absolute), constant(0.5)));
}

/** m (asin s − s) for 0 ≤ s ≤ ½, given ms and s². */
function arcSineRest({ mul, polynomial }: Float32Lanes, multiple: Register, square: Register): Register {
  return mul(mul(multiple, square), polynomial(square, ARC_SINE));
}
const ARC_SINE = [
  0.16666752099990845, 0.07495332509279251, 0.04546485096216202, 0.024209696799516678, 0.04211249202489853,
];

/**
 * atan x = t + t³ p(t²) with t = |x| up to 1, and beyond that π/2 minus it with t = 1/|x|; with the sign of x.
 *
 * At most 1.46 ulp.
 */
export function atan(lanes: Float32Lanes, x: Register): Register {
  const { constant, add, sub, div, atMost, magnitude, less, and, xor, sign } = lanes;
  const absolute = magnitude(x);
  const t = atMost(absolute, div(constant(1), absolute));
  const far = less(constant(1), absolute);
  const p = add(t, sub(arcTangentRest(lanes, t), and(far, constant(QUARTER_TURN_LOW))));
  const signed = xor(p, and(far, constant(-0)));
  return xor(add(and(far, constant(QUARTER_TURN)), signed), sign(x));
}

/**
 * The angle of the point (x, y). t is the smaller of |x| and |y| divided by the larger, and atan t is added to or subtracted from
 * 0, 1 or 2 quarters of a turn.
 *
 * At most 1.75 ulp.
 */
export function atan2(lanes: Float32Lanes, y: Register, x: Register): Register {
  const { constant, add, mul, div, atLeast, magnitude, less, equal, select, and, or, except, xor, sign } =
    lanes;
  const width = magnitude(x);
  const height = magnitude(y);
  const steep = less(width, height);
  const shorter = select(steep, width, height);
  const longer = atLeast(select(steep, height, width), constant(2 ** -149));
  // 1 for ∞/∞. 0/0 gives 0, since the divisor is made nonzero. NaN is not equal to anything.
  const t = select(equal(shorter, longer), constant(1), div(shorter, longer));
  const p = add(t, arcTangentRest(lanes, t));
  const signed = xor(xor(p, and(steep, constant(-0))), sign(x));
  const twoIfNegative = and(lanes.shiftRightSigned(x, 31), constant(2));
  const quarters = or(and(steep, constant(1)), except(twoIfNegative, steep));
  const small = add(signed, mul(quarters, constant(QUARTER_TURN_LOW)));
  return xor(add(mul(quarters, constant(QUARTER_TURN)), small), sign(y));
}

/** atan t − t for 0 ≤ t ≤ 1. */
function arcTangentRest({ mul, polynomial }: Float32Lanes, t: Register): Register {
  const square = mul(t, t);
  return mul(mul(t, square), polynomial(square, ARC_TANGENT));
}
const ARC_TANGENT = [
  -0.33333152532577515, 0.19993767142295837, -0.14211003482341766, 0.1066572293639183, -0.07551359385251999,
  0.0431981235742569, -0.016357025131583214, 0.002917331410571933,
];

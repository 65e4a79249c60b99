/** sin, cos, tan. Coefficients here are minimax polynomials, fitted for this file by Remez's algorithm. */
import type { Register } from "../../lanes/straight.ts";
import { type Float64Lanes, helper, type Sum } from "./arithmetic.ts";
import { angle, HUGE, quarterTurns } from "./huge-angle.ts";
import { ROUND } from "./natural-power.ts";

/**
 * sin x, within 1.66 ulp.
 *
 * |x| = n π + r with |r| ≤ π/2, so that sin |x| = (−1)ⁿ sin r, and sin r = r + r³ p(r²): one polynomial, no choice of two.
 */
export function sin(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, xor, sign, magnitude, shiftLeft } = lanes;
  const a = magnitude(x);
  // Floats of this size are multiples of 2: adding it rounds to an even number of quarter turns.
  const round = constant(2 * ROUND);
  const shifted = add(mul(a, constant(TURNS)), round);
  const r = withoutTurns(lanes, a, sub(shifted, round));
  const usual = xor(sine(lanes, r.high), shiftLeft(shifted, 63));
  const result = lanes.rarely(isHuge(lanes, a), usual, sinHuge, a, usual);
  return xor(result, sign(x));
}

const sinHuge = helper("sin of huge float64", (lanes, a, usual) => hugeSine(lanes, a, usual, 2n ** 30n));

/**
 * cos x, within 1.68 ulp.
 *
 * |x| = (n + ½) π − r with |r| ≤ π/2, so that cos |x| = (−1)ⁿ sin r.
 */
export function cos(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, xor, negative, magnitude, shiftLeft } = lanes;
  const a = magnitude(x);
  const one = constant(1);
  const round = constant(2 * ROUND);
  const shifted = add(sub(mul(a, constant(TURNS)), one), round);
  const r = withoutTurns(lanes, a, add(sub(shifted, round), one));
  const usual = xor(sine(lanes, negative(r.high)), shiftLeft(shifted, 63));
  return lanes.rarely(isHuge(lanes, a), usual, cosHuge, a, usual);
}

const cosHuge = helper("cos of huge float64", (lanes, a, usual) => hugeSine(lanes, a, usual, 2n ** 31n));

/** Quarter turns in a radian. */
const TURNS = 0.6366197723675814;

/** π/2 in three parts. The first two have 36 bits, so that their products with integers of 17 bits are exact. */
const HALF_PI = [1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23] as const;

/** a − n π/2, for a below 2¹⁷. If the result is close to 0, each part is subtracted exactly. */
function withoutTurns(
  { constant, sub, mul, orderedSum, negative }: Float64Lanes,
  a: Register,
  n: Register,
): Sum {
  const first = sub(a, mul(n, constant(HALF_PI[0])));
  const part = mul(n, constant(HALF_PI[1]));
  const second = orderedSum(first, negative(part));
  return orderedSum(second.high, sub(second.low, mul(n, constant(HALF_PI[2]))));
}

const isHuge = ({ constant, lessOrEqual }: Float64Lanes, a: Register): Register =>
  lessOrEqual(constant(HUGE), a);

/** sin r for |r| ≤ π/2: r − r³/6 with its rounding error, plus the other terms. At most 1 in magnitude. */
function sine(lanes: Float64Lanes, r: Register): Register {
  const { constant, add, mul, atMost, atLeast, polynomial, orderedSum } = lanes;
  const z = mul(r, r);
  const cube = mul(r, z);
  const { high, low } = orderedSum(r, mul(cube, constant(SINE[0])));
  const sum = add(high, add(low, mul(mul(cube, z), polynomial(z, SINE.slice(1)))));
  return atLeast(atMost(sum, constant(1)), constant(-1));
}
const SINE = [
  -0.16666666666666666, 0.008333333333333207, -0.00019841269841212476, 2.7557319211568364e-6,
  -2.5052106904249287e-8, 1.6058940989535397e-10, -7.643018923684962e-13, 2.721413520159104e-15,
] as const;

/** The sine of `a`, plus `ahead` 2⁻³⁰ quarter turns, minus one quarter turn; for huge a. ∞ gives NaN. */
function hugeSine(lanes: Float64Lanes, a: Register, usual: Register, ahead: bigint): Register {
  const { pattern, add, sub, and, xor, select, addInt, shiftLeft } = lanes;
  const [first, ...rest] = quarterTurns(lanes, a);
  const turned = addInt(first, pattern(ahead));
  const r = angle(lanes, [and(turned, pattern(2n ** 31n - 1n)), ...rest], 2 ** 30);
  const signed = xor(sine(lanes, r.high), shiftLeft(and(turned, pattern(2n ** 31n)), 32));
  return select(isHuge(lanes, a), add(signed, sub(a, a)), usual);
}

/**
 * tan x, within 1.68 ulp.
 *
 * |x| = n π/2 + r with |r| ≤ π/4: sin r over cos r for even n, −cos r over sin r for odd n. What r lacks counts here, since
 * three roundings meet.
 */
export function tan(lanes: Float64Lanes, x: Register): Register {
  const { constant, add, sub, mul, xor, sign, magnitude } = lanes;
  const a = magnitude(x);
  const round = constant(ROUND);
  const shifted = add(mul(a, constant(TURNS)), round);
  const usual = tangent(lanes, withoutTurns(lanes, a, sub(shifted, round)), shifted);
  return xor(lanes.rarely(isHuge(lanes, a), usual, tanHuge, a, usual), sign(x));
}

const tanHuge = helper("tan of huge float64", (lanes, a, usual) => {
  const { pattern, add, sub, and, select, addInt, shiftRight } = lanes;
  const [first, ...rest] = quarterTurns(lanes, a);
  const turned = addInt(first, pattern(2n ** 29n));
  const r = angle(lanes, [and(turned, pattern(2n ** 30n - 1n)), ...rest], 2 ** 29);
  return select(isHuge(lanes, a), add(tangent(lanes, r, shiftRight(turned, 30)), sub(a, a)), usual);
});

/** tan(r + n π/2) for |r| ≤ π/4, where the lowest bit of `turns` is that of n. */
function tangent(lanes: Float64Lanes, { high: r, low }: Sum, turns: Register): Register {
  const { constant, pattern, add, sub, mul, div, xor, select, lessInt, shiftLeft, polynomial, orderedSum } =
    lanes;
  const z = mul(r, r);
  const half = mul(constant(0.5), z);
  const parabola = sub(constant(1), half);
  const parabolaLow = sub(sub(sub(constant(1), parabola), half), mul(r, low));
  const cosine = orderedSum(parabola, add(parabolaLow, mul(mul(z, z), polynomial(z, SHORT_COSINE))));
  // The rounding error of the cosine is subtracted from the sine in proportion: times tan r, which is about 1.2 r.
  const loss = mul(cosine.low, mul(constant(1.2), r));
  const sine = add(r, add(sub(low, loss), mul(mul(r, z), polynomial(z, SHORT_SINE))));
  const oddSign = shiftLeft(turns, 63);
  const isOdd = lessInt(oddSign, pattern(0n));
  return xor(div(select(isOdd, cosine.high, sine), select(isOdd, sine, cosine.high)), oddSign);
}
/** (sin r − r)/(r z) and (cos r − 1 + z/2)/z² in z = r², for |r| ≤ π/4. */
const SHORT_SINE = [
  -0.16666666666666632, 0.008333333333322486, -0.0001984126982985322, 2.755731370493875e-6,
  -2.5050759855786596e-8, 1.589688367335037e-10,
];
const SHORT_COSINE = [
  0.0416666666666666, -0.001388888888887447, 2.4801587289666983e-5, -2.755731439931159e-7,
  2.0875729003687655e-9, -1.1359917986134068e-11,
];

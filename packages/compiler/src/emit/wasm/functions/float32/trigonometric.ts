/**
 * sin, cos and tan. Multiples of π or π/2 are subtracted in parts. All parts but the last are so short that their products with
 * the number of multiples are exact. sin and cos take three parts in float32 lanes; tan, and angles for which that is not
 * accurate enough, two parts in float64 lanes. {@link HUGE_ANGLE Huge} arguments go to a function of the module.
 */
import type { Helper, Register } from "../../lanes/straight.ts";
import { type Float32Lanes, helper } from "./arithmetic.ts";
import { type Doubles, doubleLanes } from "./doubles.ts";
import { fractionOfTurn, HUGE_ANGLE, scaleSigned } from "./huge-angle.ts";

/** π in two parts for float64 lanes. */
const PI_HIGH = 3.141592651605606;
/** Positive: −0 minus 0 times this must stay −0. */
const PI_LOW = 1.984187159361081e-9;

/** Adding and subtracting it rounds to an integer, which is in the low bits of the sum. */
const ROUND = 1.5 * 2 ** 52;

/**
 * sin x = (−1)ⁿ sin(|x| − nπ) with the sign of x. On [−π/2, π/2] it is r + r³ p(r²): a single polynomial, where reducing to
 * quarters of a turn would take two and a selection. The coefficients are minimax, then searched in float32 for the least largest
 * error.
 *
 * At most 1.93 ulp: the error of the polynomial plus that of rounding r, for every float32 r in that interval.
 */
export function sin(lanes: Float32Lanes, x: Register): Register {
  const { magnitude, sign, xor } = lanes;
  return xor(sine(lanes, reduceToHalfTurn(lanes, magnitude(x), "sin")), sign(x));
}

/**
 * cos x = (−1)ⁿ sin(|x| − (n − ½)π).
 *
 * At most 1.97 ulp: as for sin, but below 0.57 the first difference may round as well.
 */
export function cos(lanes: Float32Lanes, x: Register): Register {
  return sine(lanes, reduceToHalfTurn(lanes, lanes.magnitude(x), "cos"));
}

/** sin r for |r| ≤ π/2. */
export function sine({ add, mul, polynomial }: Float32Lanes, r: Register): Register {
  const square = mul(r, r);
  return add(r, mul(mul(r, square), polynomial(square, SINE)));
}
const SINE = [-0.1666666120290756, 0.008333076722919941, -0.00019809766672551632, 2.6060279196826741e-6];

/**
 * An angle between −π/2 and π/2 whose sine is the sine or cosine of `absolute`.
 *
 * The products of the first two parts of π with n are exact, and so are the differences. The third product is off by at most n
 * 2⁻⁴³, which matters only for a small result. Those are reduced in float64 lanes, and so are all angles from 10⁵ on, where the
 * products would round.
 */
function reduceToHalfTurn(lanes: Float32Lanes, absolute: Register, name: "sin" | "cos"): Register {
  const { constant, add, sub, mul, magnitude, less, xor, shiftLeft } = lanes;
  const halfTurns = mul(absolute, constant(1 / Math.PI));
  const round = constant(SHORT_ROUND);
  const shift = constant(0.5);
  const shifted = add(name === "sin" ? halfTurns : add(halfTurns, shift), round);
  const whole = sub(shifted, round);
  const n = name === "sin" ? whole : sub(whole, shift);
  const r = SHORT_PI.reduce<Register>((rest, part) => sub(rest, mul(n, constant(part))), absolute);
  const inexact = less(magnitude(r), mul(n, constant(INEXACT)));
  const usual = xor(r, shiftLeft(shifted, 31));
  return lanes.rarely(inexact, usual, inexactHalfTurn[name], absolute, inexact, usual);
}
/** Parts of 8, 7 and 24 bits. */
const SHORT_PI = [201 / 64, 127 / 2 ** 17, -1.279515686292143e-6];
const SHORT_ROUND = 1.5 * 2 ** 23;
/** Results below this times n may be off by more than 0.03 ulp. From n = 31416 on it exceeds π/2. */
const INEXACT = 5e-5;

const inexactHalfTurn = { sin: inexactHalfTurns("sin"), cos: inexactHalfTurns("cos") };

function inexactHalfTurns(name: "sin" | "cos"): Helper {
  return helper(`float32 ${name}: reduce an angle close to a multiple`, (lanes, absolute, inexact, usual) => {
    const { select } = lanes;
    return select(inexact, reduceExactly(lanes, absolute, name), usual);
  });
}

/** {@link reduceToHalfTurn} in float64 lanes. */
function reduceExactly(lanes: Float32Lanes, absolute: Register, name: "sin" | "cos"): Register {
  const { constant, less, xor, shiftLeft } = lanes;
  const { constant: wideConstant, widen, narrow, lowBits, add, sub, mul } = doubleLanes(lanes);
  const wide = widen(absolute);
  const halfTurns = mul(wide, wideConstant(1 / Math.PI));
  const round = wideConstant(ROUND);
  const shift = wideConstant(0.5);
  const shifted = add(name === "sin" ? halfTurns : add(halfTurns, shift), round);
  const n = sub(shifted, round);
  const r = narrow(takeAway(lanes, wide, name === "sin" ? n : sub(n, shift), PI_HIGH, PI_LOW));
  const usual = xor(r, shiftLeft(lowBits(shifted), 31));
  return lanes.rarely(less(constant(HUGE_ANGLE), absolute), usual, hugeToHalfTurn[name], absolute, usual);
}

/** x − n (high + low). */
function takeAway(lanes: Float32Lanes, x: Doubles, n: Doubles, high: number, low: number): Doubles {
  const { constant, sub, mul } = doubleLanes(lanes);
  return sub(sub(x, mul(n, constant(high))), mul(n, constant(low)));
}

const hugeToHalfTurn = { sin: hugeHalfTurns("sin", 0n), cos: hugeHalfTurns("cos", 1n << 62n) };

/** `offset` is in units of 2⁻⁶⁴ turns. */
function hugeHalfTurns(name: string, offset: bigint): Helper {
  return helper(`float32 ${name}: reduce a huge angle`, (lanes, absolute, usual) => {
    const { pattern, addInt, and, xor, shiftLeft, narrow } = doubleLanes(lanes);
    const fraction = addInt(fractionOfTurn(lanes, absolute), pattern(offset));
    const odd = and(addInt(fraction, pattern(1n << 62n)), pattern(1n << 63n));
    const r = xor(scaleSigned(lanes, shiftLeft(fraction, 1), Math.PI * 2 ** -64), odd);
    return whereHuge(lanes, absolute, narrow(r), usual);
  });
}

/** `huge` where the angle is huge, NaN where it is infinite, else `usual`. */
function whereHuge(lanes: Float32Lanes, absolute: Register, huge: Register, usual: Register): Register {
  const { constant, less, equal, or, select } = lanes;
  const real = or(huge, equal(absolute, constant(Infinity)));
  return select(less(constant(HUGE_ANGLE), absolute), real, usual);
}

/**
 * tan x is t = tan(x − n π/2) for even n, and −1/t for odd n. t is a quotient of polynomials in float64 lanes, since r must not
 * be rounded where tan is steep.
 *
 * At most 1.75 ulp.
 */
export function tan(lanes: Float32Lanes, x: Register): Register {
  const { constant: single, magnitude, less } = lanes;
  const { constant, widen, add, sub, mul } = doubleLanes(lanes);
  const wide = widen(x);
  const round = constant(ROUND);
  const shifted = add(mul(wide, constant(2 / Math.PI)), round);
  const r = takeAway(lanes, wide, sub(shifted, round), PI_HIGH / 2, PI_LOW / 2);
  const usual = tangent(lanes, r, shifted);
  return lanes.rarely(less(single(HUGE_ANGLE), magnitude(x)), usual, hugeTan, x, usual);
}

const hugeTan = helper("float32 tan of a huge angle", (lanes, x, usual) => {
  const { magnitude, sign, xor } = lanes;
  const { pattern, addInt, shiftLeft, shiftRight } = doubleLanes(lanes);
  const absolute = magnitude(x);
  const fraction = fractionOfTurn(lanes, absolute);
  const quadrant = shiftRight(addInt(fraction, pattern(1n << 61n)), 62);
  const r = scaleSigned(lanes, shiftLeft(fraction, 2), (Math.PI / 2) * 2 ** -64);
  return whereHuge(lanes, absolute, xor(tangent(lanes, r, quadrant), sign(x)), usual);
});

/**
 * tan(r + n π/2) for |r| ≤ π/4; only the lowest bit of n is used. The quotient is minimax, fitted for this file, and off by less
 * than 1.5·10⁻⁸ relative.
 */
function tangent(lanes: Float32Lanes, r: Doubles, n: Doubles): Register {
  const { constant: single, div: divide, select, shiftLeft, shiftRightSigned } = lanes;
  const { constant, add, mul, div, narrow, lowBits } = doubleLanes(lanes);
  const square = mul(r, r);
  const numerator = mul(r, add(constant(102.91372012616196), mul(square, constant(-9.859322441833486))));
  const denominator = add(
    constant(102.91372158441105),
    mul(square, add(constant(-44.163965455504325), square)),
  );
  const t = narrow(div(numerator, denominator));
  const odd = shiftRightSigned(shiftLeft(lowBits(n), 31), 31);
  return select(odd, divide(single(-1), t), t);
}

/** Where each float32 lane function is tried, what it should give there, and how far off it may be. */
import { erf, erfc, erfinv, ndtri } from "../../../packages/compiler/src/emit/intrinsics/erf.ts";
import {
  floorDivideFloat32,
  hypot,
  pow,
  remainder,
} from "../../../packages/compiler/src/emit/intrinsics/float.ts";
import { digamma, lgamma } from "../../../packages/compiler/src/emit/intrinsics/gamma.ts";
import type { FloatName } from "../../../packages/compiler/src/emit/wasm/functions/lanes.ts";

/** Draws a float32, given 32 random bits. */
export type Draw = (bits: number) => number;

export interface Case {
  /** In ulp. */
  readonly bound: number;
  /** In float64, which is exact enough to judge float32. */
  readonly exact: (x: number, y: number) => number;
  /** The operands' distributions, which take turns. */
  readonly draws: readonly (readonly Draw[])[];
}

const view = new DataView(new ArrayBuffer(4));

function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getInt32(0);
}

function fromBits(bits: number): number {
  view.setInt32(0, bits);
  return view.getFloat32(0);
}

/** Between two numbers above 0, all float32 alike, so that each exponent has its share. */
const positive = (low: number, high: number): Draw => {
  const first = bitsOf(low);
  const count = bitsOf(high) - first + 1;
  return (bits) => fromBits(first + ((bits >>> 1) % count));
};

/** The same, of either sign. */
const either = (low: number, high: number): Draw => {
  const draw = positive(low, high);
  return (bits) => (bits & 1 ? -draw(bits) : draw(bits));
};

/** Any bits at all: zeros, subnormals, infinities and NaNs too. */
const anything: Draw = fromBits;

/** Integers and their halves. */
const halves: Draw = (bits) => (bits >> 22) / 2;

const unary = (bound: number, exact: (x: number) => number, ...draws: Draw[]): Case => ({
  bound,
  exact,
  draws: [anything, ...draws].map((draw) => [draw]),
});

const binary = (
  bound: number,
  exact: (x: number, y: number) => number,
  ...draws: (readonly [Draw, Draw])[]
): Case => ({ bound, exact, draws: [[anything, anything], ...draws] });

/** Multiples of π/2, as near as float32 comes to them. */
const quarterTurns: Draw = (bits) => (bits >> 14) * (Math.PI / 2);

const angles = [
  either(2 ** -20, 2 ** 24),
  either(1, 32),
  either(2 ** 22, 2 ** 127),
  either(2 ** 12, 2 ** 18),
  quarterTurns,
] as const;
const pairs = [
  [either(2 ** -10, 2 ** 10), either(2 ** -10, 2 ** 10)],
  [either(0.5, 2), either(0.125, 8)],
] as const;
const divisions = [
  ...pairs,
  [either(1, 2 ** 60), either(2 ** -60, 1)],
  [halves, halves],
  [either(2 ** 100, 2 ** 127), either(2 ** -149, 2 ** -126)],
] as const;

export const cases: Readonly<Record<FloatName, Case>> = {
  exp: unary(1.03, Math.exp, either(2 ** -26, 105), either(0.25, 4)),
  exp2: unary(1.08, (x) => 2 ** x, either(2 ** -26, 151), either(0.25, 4)),
  expm1: unary(1.42, Math.expm1, either(2 ** -26, 90), either(0.25, 32)),
  log: unary(0.96, Math.log, positive(0.5, 2), positive(2 ** -149, 2 ** -120), positive(2 ** -10, 2 ** 10)),
  log2: unary(1.41, Math.log2, positive(0.5, 2), positive(2 ** -149, 2 ** -120), positive(2 ** -10, 2 ** 10)),
  log10: unary(
    1.33,
    Math.log10,
    positive(0.5, 2),
    positive(2 ** -149, 2 ** -120),
    positive(2 ** -10, 2 ** 10),
  ),
  log1p: unary(1.03, Math.log1p, either(2 ** -26, 1), either(0.2, 0.7), positive(1, 2 ** 30)),
  sigmoid: unary(0.54, (x) => 1 / (1 + Math.exp(-x)), either(2 ** -26, 105), either(0.25, 20)),
  sin: unary(1.93, Math.sin, ...angles),
  cos: unary(1.97, Math.cos, ...angles),
  tan: unary(1.75, Math.tan, ...angles),
  asin: unary(1.37, Math.asin, either(2 ** -20, 1), either(0.45, 0.7)),
  acos: unary(1.16, Math.acos, either(2 ** -20, 1), either(0.45, 1)),
  atan: unary(1.46, Math.atan, either(2 ** -20, 2 ** 26), either(0.25, 4)),
  atan2: binary(1.75, Math.atan2, ...pairs, [either(2 ** -149, 2 ** -120), either(2 ** -149, 2 ** -120)]),
  sinh: unary(1.62, Math.sinh, either(2 ** -20, 90), either(0.5, 4)),
  cosh: unary(1.46, Math.cosh, either(2 ** -20, 90), either(0.5, 8)),
  tanh: unary(1.38, Math.tanh, either(2 ** -20, 10), either(0.5, 4)),
  asinh: unary(1.82, Math.asinh, either(2 ** -20, 2 ** 64), either(0.0625, 4)),
  acosh: unary(1.82, Math.acosh, positive(1, 2), positive(1, 1.125), positive(1, 2 ** 64)),
  atanh: unary(1.24, Math.atanh, either(2 ** -20, 1), either(0.25, 1)),
  erf: unary(1.54, erf, either(2 ** -20, 4.5), either(0.9, 2)),
  erfc: unary(0.77, erfc, either(2 ** -26, 10.5), either(0.25, 4)),
  erfinv: unary(0.51, erfinv, either(2 ** -20, 1), either(0.9, 1)),
  ndtri: unary(0.51, ndtri, positive(2 ** -149, 1), positive(0.25, 1)),
  lgamma: unary(0.51, lgamma, positive(2 ** -20, 2 ** 20), positive(0.5, 4), either(2 ** -10, 32)),
  digamma: unary(0.51, digamma, positive(2 ** -20, 2 ** 20), positive(0.5, 4), either(2 ** -10, 32)),
  pow: binary(
    0.54,
    pow,
    ...pairs,
    [positive(0.5, 2), either(1, 2 ** 8)],
    [positive(2 ** -149, 2 ** 127), either(2 ** -10, 4)],
    [either(0.25, 8), halves],
  ),
  hypot: binary(0.51, hypot, ...pairs, [either(2 ** -149, 2 ** -120), either(2 ** -149, 2 ** -120)]),
  fmod: binary(0, (x, y) => x % y, ...divisions),
  remainder: binary(0, (x, y) => Math.fround(remainder(x, y)), ...divisions),
  floorDivide: binary(0, floorDivideFloat32, ...divisions),
};

/** The values at which laws break. */
export const special: readonly number[] = [
  0,
  1,
  0.5,
  1.5,
  2,
  2.5,
  3,
  4,
  5,
  10,
  100,
  127,
  128,
  129,
  148.5,
  149,
  150,
  255,
  1000,
  // Subnormal, and next to it.
  2 ** -149,
  2 ** -148,
  2 ** -126 - 2 ** -149,
  2 ** -126,
  2 ** -100,
  2 ** -24,
  2 ** -12,
  // Next to 1 and ½.
  1 - 2 ** -24,
  1 + 2 ** -23,
  0.5 - 2 ** -25,
  0.5 + 2 ** -24,
  // Next to π/2, π and a multiple that is closest to a float32.
  1.5707963705062866,
  3.1415927410125732,
  16367173 * 2 ** 72,
  // Where results overflow, or are 0.
  88.72283172607422,
  88.72283935546875,
  89.41598510742188,
  89.4159927368164,
  103.27893,
  103.97208,
  10.05,
  10.06,
  // Where integers, and their parity, stop.
  8388607.5,
  8388609,
  16777215,
  16777216,
  33554430,
  2 ** 31,
  2 ** 63,
  2 ** 127,
  3.4028234663852886e38,
  Infinity,
]
  .map(Math.fround)
  .flatMap((value) => [value, -value])
  .concat(NaN);

/**
 * How far `actual` is from `exact`, in units of the distance between float32s about `exact`. Infinite where one of them is
 * NaN, or where signs differ. Infinity counts as 2¹²⁸.
 */
export function ulps(actual: number, exact: number): number {
  if (Number.isNaN(actual) || Number.isNaN(exact)) return Object.is(actual, exact) ? 0 : Infinity;
  if (isNegative(actual) !== isNegative(exact)) return Infinity;
  const a = Math.min(Math.abs(actual), 2 ** 128);
  const e = Math.min(Math.abs(exact), 2 ** 128);
  return a === e ? 0 : Math.abs(a - e) / spacing(e);
}

const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0);

const wide = new DataView(new ArrayBuffer(8));

/** The distance between float32s about a number ≥ 0 that is no NaN. */
function spacing(value: number): number {
  wide.setFloat64(0, value);
  const exponent = (wide.getUint16(0) >> 4) - 1023;
  return 2 ** (Math.min(Math.max(exponent, -126), 127) - 23);
}

/** A generator of 32 random bits (Steele and Vigna's 32-bit counterpart of splitmix). */
export function randomBits(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = state ^ (state >>> 16);
    bits = Math.imul(bits, 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return bits ^ (bits >>> 15);
  };
}

/** Where each float64 lane function is tried, what it should give there, and how far off it may be. */
import { intrinsics } from "../../../packages/compiler/src/emit/intrinsics/index.ts";
import { jsPointwise, jsRuntime } from "../../../packages/compiler/src/emit/js/pointwise.ts";
import type { FloatName } from "../../../packages/compiler/src/emit/wasm/functions/lanes.ts";
import * as exact from "./precise.ts";
import { type Precise, precise, ulpsBetween } from "./precise.ts";

/** Draws a float64, given numbers in [0, 1). */
type Draw = (random: () => number) => number;

export interface Case {
  /** In ulp; 0 for what must equal JavaScript's. */
  readonly bound: number;
  readonly exact: ((...args: Precise[]) => Precise) | null;
  /** The operands' distributions, which take turns. */
  readonly draws: readonly (readonly Draw[])[];
  /** The magnitude of a term that the result is a difference of: errors are counted in its last place, if that is larger. */
  readonly scale?: (x: number) => number;
}

const uniform =
  (low: number, high: number): Draw =>
  (random) =>
    low + (high - low) * random();

/** All binades from 2^low to 2^high alike, from the subnormal ones on. */
const positive =
  (low: number, high: number): Draw =>
  (random) => {
    const exponent = low + Math.floor((high - low) * random());
    const half = exponent >> 1; // 2^exponent may be out of range where the product is not
    return (1 + random()) * 2 ** half * 2 ** (exponent - half);
  };

/** The same, of either sign. */
const either = (low: number, high: number): Draw => {
  const draw = positive(low, high);
  return (random) => (random() < 0.5 ? -draw(random) : draw(random));
};

const plus =
  (center: number, draw: Draw): Draw =>
  (random) =>
    center + draw(random);

/** Any bits at all: zeros, subnormals, infinities and NaNs too. */
const anything: Draw = (random) => {
  view.setUint32(0, random() * 2 ** 32);
  view.setUint32(4, random() * 2 ** 32);
  return view.getFloat64(0);
};
const view = new DataView(new ArrayBuffer(8));

const integer =
  (low: number, high: number): Draw =>
  (random) =>
    Math.floor(uniform(low, high)(random));

const unary = (bound: number, value: (x: Precise) => Precise, ...draws: Draw[]): Case => ({
  bound,
  exact: value as Case["exact"],
  draws: draws.map((draw) => [draw]),
});

type Pair = readonly [Draw, Draw];

const binary = (
  bound: number,
  value: ((x: Precise, y: Precise) => Precise) | null,
  ...draws: readonly Pair[]
): Case => ({ bound, exact: value as Case["exact"], draws });

const all: Pair = [either(-1074, 1024), either(-1074, 1024)];
const around: Pair = [either(-10, 10), either(-10, 10)];
/** 1 less a little, and more. */
const below1 = plus(1, (random) => -positive(-53, -1)(random));
const above1 = plus(1, positive(-52, -1));
const next1 = plus(1, either(-52, -2));
/** The float64 next to some quarter turns. */
const quarterTurns: Draw = (random) => Math.floor(2 ** (20 * random())) * (Math.PI / 2);

const angles = [
  uniform(-4, 4),
  uniform(-140_000, 140_000),
  either(-1074, 20),
  either(16, 1024),
  quarterTurns,
];
const logarithms = [positive(-1074, 1024), uniform(0.4, 3), next1, uniform(0, 10)];
const divisions: readonly Pair[] = [
  all,
  around,
  [integer(-1000, 1000), integer(-20, 20)],
  [either(0, 60), integer(-100, 100)],
  [either(1020, 1024), either(980, 1024)],
  [either(1000, 1024), either(-1074, -1000)],
];

export const cases: Readonly<Record<FloatName, Case>> = {
  exp: unary(0.9, exact.exp, uniform(-746, 710), uniform(-1, 1), either(-60, 4), uniform(-746, -708)),
  exp2: unary(0.95, exact.exp2, uniform(-1076, 1024), uniform(-1, 1), either(-60, 4), uniform(-1075, -1020)),
  expm1: unary(0.85, exact.expm1, uniform(-40, 710), uniform(-3, 3), either(-1074, 4), uniform(0.1, 0.5)),
  log: unary(0.85, exact.log, ...logarithms),
  log2: unary(0.85, exact.log2, ...logarithms),
  log10: unary(0.75, exact.log10, ...logarithms),
  log1p: unary(0.85, exact.log1p, positive(-1074, 1024), uniform(-0.5, 1), either(-80, -1), uniform(-1, 10)),
  sigmoid: unary(1.55, exact.sigmoid, uniform(-746, 40), uniform(-6, 6), either(-60, 6), uniform(-746, -708)),
  sin: unary(1.75, exact.sin, ...angles),
  cos: unary(1.75, exact.cos, ...angles),
  tan: unary(1.75, exact.tan, ...angles),
  asin: unary(1.25, exact.asin, uniform(-1, 1), uniform(0.45, 0.55), either(-1074, 0), below1),
  acos: unary(1.25, exact.acos, uniform(-1, 1), uniform(0.45, 0.55), either(-60, 0), below1),
  atan: unary(1.45, exact.atan, uniform(-4, 4), uniform(0.4, 0.6), either(-1074, 1024), uniform(2.5, 3.5)),
  atan2: binary(
    1.45,
    exact.atan2,
    all,
    around,
    [uniform(-1, 1), uniform(-1, 1)],
    [uniform(0.4, 3.5), uniform(-1, 1)],
  ),
  sinh: unary(1.4, exact.sinh, uniform(-710.5, 710.5), uniform(-3, 3), either(-1074, 6), uniform(0.3, 0.4)),
  cosh: unary(1.2, exact.cosh, uniform(-710.5, 710.5), uniform(-3, 3), either(-60, 6)),
  tanh: unary(1.7, exact.tanh, uniform(-20, 20), uniform(-2, 2), either(-1074, 4), uniform(0.02, 0.6)),
  asinh: unary(1.6, exact.asinh, uniform(-4, 4), either(-1074, 1024), uniform(0.5, 0.6), either(-4, 30)),
  acosh: unary(
    1.6,
    exact.acosh,
    uniform(1, 4),
    positive(0, 1024),
    uniform(1.5, 1.6),
    above1,
    positive(0, 30),
  ),
  atanh: unary(1.4, exact.atanh, uniform(-1, 1), either(-1074, 0), uniform(0.3, 0.4), below1),
  erf: unary(1.35, exact.erf, uniform(-6, 6), uniform(0.8, 1.5), either(-1074, 2)),
  erfc: unary(1.65, exact.erfc, uniform(-6, 27.3), uniform(0.6, 2), either(-60, 4), uniform(26.5, 27.3)),
  erfinv: unary(
    5,
    exact.erfinv,
    uniform(-1, 1),
    either(-1074, 0),
    plus(1, (random) => -positive(-53, -1)(random)),
  ),
  ndtri: unary(6.5, exact.ndtri, uniform(0, 1), uniform(0.4, 0.6), positive(-1074, 0), below1),
  lgamma: {
    ...unary(
      5.5,
      exact.lgamma,
      uniform(0, 8),
      positive(-1074, 20),
      next1,
      plus(2, either(-50, -2)),
      uniform(-20, 0),
    ),
    scale: (x) => (x < 0 ? intrinsics.lgamma(1 - x) : 0),
  },
  digamma: {
    ...unary(
      5,
      exact.digamma,
      uniform(0, 8),
      positive(-1000, 100),
      plus(1.4616, either(-50, -2)),
      uniform(-20, 0),
    ),
    scale: (x) => (x < 0 ? Math.abs(Math.PI / Math.tan(Math.PI * (x - Math.trunc(x)))) : 0),
  },
  pow: binary(
    1.1,
    exact.pow,
    [positive(-1074, 1024), uniform(-2, 2)],
    [uniform(0, 10), uniform(-100, 100)],
    [next1, either(-10, 60)],
    [uniform(0.5, 2), uniform(-1000, 1000)],
    [uniform(-20, 20), integer(-30, 30)],
  ),
  hypot: binary(1.2, exact.hypot, all, around, [uniform(-1, 1), uniform(-1, 1)]),
  fmod: binary(0, null, [anything, anything], ...divisions),
  remainder: binary(0, null, [anything, anything], ...divisions),
  floorDivide: binary(0, null, [anything, anything], ...divisions),
};

/** Some operands of a function, drawn from its distributions in turn. */
export function operandsOf(name: FloatName, points: number, random: () => number): Float64Array[] {
  const { draws } = cases[name];
  const operands = draws[0]!.map(() => new Float64Array(points));
  for (let i = 0; i < points; i++) {
    const turn = draws[i % draws.length]!;
    operands.forEach((operand, o) => {
      operand[i] = turn[o]!(random);
    });
  }
  return operands;
}

/** The values at which laws break. */
export const special: readonly number[] = [
  0,
  1,
  0.5,
  1.5,
  2,
  2.5,
  3,
  1 / 3,
  10,
  // Subnormal, and next to it.
  2 ** -1074,
  2 ** -1073,
  2 ** -1022 - 2 ** -1074,
  2 ** -1022,
  1e-300,
  // Next to 1, and where 1 + x is 1.
  1 - 2 ** -53,
  1 + 2 ** -52,
  2 ** -27,
  2 ** -53,
  2 ** -54,
  // Where a function passes from one formula to another.
  0.524,
  0.7,
  0.84,
  1.544,
  // Quarter turns; the float64 closest to some of them; where they are counted in integers.
  Math.PI / 4,
  Math.PI / 2,
  Math.PI,
  6381956970095103 * 2 ** 797,
  2 ** 17,
  // Where results overflow, or are 0 or 1.
  22,
  26.5,
  27.3,
  37.5,
  709.78,
  709.79,
  710.47,
  710.48,
  745.1,
  745.2,
  1023,
  1024,
  1074,
  1075,
  1076,
  // Where integers, and their parity, stop.
  2 ** 31,
  2 ** 52 + 0.5,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 66,
  1e22,
  1e100,
  2 ** 500,
  2 ** 512,
  2 ** 1000,
  2 ** 1023,
  1.7976931348623157e308,
  Infinity,
]
  .flatMap((value) => [value, -value])
  .concat(NaN);

/** What the JS emitter computes. */
const javascript = (name: FloatName): ((...args: number[]) => number) => {
  const text = jsPointwise[name](["x", "y"], "float64", "float64");
  const names = Object.keys(jsRuntime);
  const make = new Function(...names, `return (x, y) => ${text};`);
  return make(...names.map((runtimeName) => jsRuntime[runtimeName as keyof typeof jsRuntime]));
};
const oracles = new Map<FloatName, (...args: number[]) => number>();

/**
 * How far `actual` is from what it should be, in ulp. Infinite where it must be what JavaScript says, and is not: for the
 * exact functions, and for zeros, infinities and NaNs, as operands and as results.
 */
export function errorOf(name: FloatName, args: readonly number[], actual: number): number {
  const { exact, scale } = cases[name];
  let oracle = oracles.get(name);
  if (oracle === undefined) {
    oracle = javascript(name);
    oracles.set(name, oracle);
  }
  const wanted = oracle(...args);
  const isUsual = args.every((x) => Number.isFinite(x) && x !== 0) && Number.isFinite(wanted);
  if (exact === null || !isUsual) return Object.is(actual, wanted) ? 0 : Infinity;
  const value = exact(...args.map(precise));
  if (actual === 0 && Object.is(actual, -0) !== value.mantissa < 0n) return Infinity;
  const error = ulpsBetween(actual, value);
  if (scale === undefined || error === 0) return error;
  return error * Math.min(1, Math.abs(wanted / scale(args[0]!)));
}

/** A generator of numbers in [0, 1) of 53 bits (Steele and Vigna's 32-bit counterpart of splitmix, twice). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let bits = state ^ (state >>> 16);
    bits = Math.imul(bits, 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (bits ^ (bits >>> 15)) >>> 0;
  };
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
}

/**
 * Measures the errors of the float32 functions in lanes against float64, and prints the table of docs/accuracy.md.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/accuracy/float32.ts [--points N] [--every] [name …]
 *
 * N points at random, 10⁷ unless told; with --every also all magnitudes from 2⁻⁴ to 2⁵, where there is one operand.
 */

import { float32Functions } from "../../packages/compiler/src/emit/wasm/functions/float32/index.ts";
import type { FloatName } from "../../packages/compiler/src/emit/wasm/functions/lanes.ts";
import { commandLine } from "../../scripts/command-line.ts";
import { cases, randomBits, special, ulps } from "../../tests/compiler/wasm/float32-points.ts";
import { runLanes } from "../../tests/compiler/wasm/lane-harness.ts";

/** Each function's method in a phrase. */
const methods: Readonly<Record<FloatName, string>> = {
  exp: "x = n ln 2 + r, degree 6",
  exp2: "x = n + r, degree 6",
  expm1: "x = n ln 2 + r with ¾ ≤ eʳ ≤ 3/2, degree 6",
  log: "x = 2ⁿ (1 + f), degree 10",
  log2: "x = 2ⁿ (1 + f), degree 10, leading terms apart",
  log10: "x = 2ⁿ (1 + f), degree 10, leading terms apart",
  log1p: "as log, with what 1 + x loses",
  sigmoid: "float64 lanes",
  sin: "x − nπ, in float64 lanes where that is small; degree 9",
  cos: "x − (n − ½)π, in float64 lanes where that is small; degree 9",
  tan: "x − nπ/2 and a quotient in float64 lanes",
  asin: "degree 11, beyond ½ of √((1 − |x|)/2)",
  acos: "degree 11, beyond ½ of √((1 − |x|)/2)",
  atan: "degree 17, beyond 1 of 1/|x|",
  atan2: "degree 17 of the lesser coordinate by the greater",
  sinh: "degree 7 below 1, else from eˣ/2",
  cosh: "from eˣ/2",
  tanh: "degree 13, from 0.92 on 1 − 2/(e²ˣ + 1)",
  asinh: "logarithm of 1 + |x| + x²/(1 + √(1 + x²))",
  acosh: "logarithm of x + √(x² − 1), in t = x − 1",
  atanh: "degree 13 of |x| below ½, else after 1 − |x| = 2ⁿ m",
  erf: "degree 15, from 1.1 on 1 less a −4th power",
  erfc: "exp(−x²) and degree 10 in 1/(|x| + 3), in float64 lanes",
  erfinv: "in float64 lanes",
  ndtri: "in float64 lanes",
  lgamma: "in float64 lanes",
  digamma: "in float64 lanes",
  pow: "2^(y log₂ |x|) in float64 lanes",
  hypot: "float64 lanes",
  fmod: "float64 lanes, long division for huge quotients",
  remainder: "fmod, and y where the signs differ",
  floorDivide: "from the remainder",
};

const { values: options, positionals } = commandLine(import.meta.url, {
  options: { points: { type: "string", default: "10000000" }, every: { type: "boolean", default: false } },
  allowPositionals: true,
});
const points = Number(options.points);
const names = (Object.keys(float32Functions) as FloatName[]).filter(
  (name) => positionals.length === 0 || positionals.includes(name),
);

/** Points in one call. */
const CHUNK = 2 ** 18;

interface Worst {
  readonly error: number;
  readonly at: readonly number[];
}

/** The worst of some points, which is `worst` unless one of them is worse. */
function worstOf(name: FloatName, operands: readonly Float32Array[], worst: Worst): Worst {
  const { exact } = cases[name];
  const [x, y = x] = operands as readonly [Float32Array, Float32Array?];
  const actual = runLanes("f32x4", operands.length, float32Functions[name], operands);
  let { error, at } = worst;
  for (let i = 0; i < actual.length; i++) {
    const found = ulps(actual[i]!, exact(x[i]!, y[i]!));
    if (found > error) {
      error = found;
      at = operands.map((operand) => operand[i]!);
    }
  }
  return { error, at };
}

function measure(name: FloatName): Worst {
  const { draws } = cases[name];
  const pairs = [special.flatMap((x) => special.map(() => x)), special.flatMap(() => special)];
  const specials = pairs.slice(0, draws[0]!.length).map((values) => Float32Array.from(values));
  const worst = worstOfDraws(name, worstOf(name, specials, { error: 0, at: [] }));
  return options.every && specials.length === 1 ? worstOfAll(name, worst) : worst;
}

function worstOfDraws(name: FloatName, before: Worst): Worst {
  const { draws } = cases[name];
  let worst = before;
  const bits = randomBits(points);
  for (let done = 0; done < points; done += CHUNK) {
    const operands = draws[0]!.map(() => new Float32Array(Math.min(CHUNK, points - done)));
    operands[0]!.forEach((_, i) => {
      const turn = draws[i % draws.length]!;
      operands.forEach((operand, o) => {
        operand[i] = turn[o]!(bits());
      });
    });
    worst = worstOf(name, operands, worst);
  }
  return worst;
}

/** Over every float32 of a magnitude from 2⁻⁴ to 2⁵. */
function worstOfAll(name: FloatName, before: Worst): Worst {
  const [first, last] = new Int32Array(Float32Array.of(2 ** -4, 2 ** 5).buffer) as unknown as [
    number,
    number,
  ];
  let worst = before;
  for (let start = first; start <= last; start += CHUNK) {
    const magnitudes = new Float32Array(Math.min(CHUNK, last - start + 1));
    new Int32Array(magnitudes.buffer).forEach((_, i, bits) => {
      bits[i] = start + i;
    });
    worst = worstOf(name, [magnitudes], worst);
    worst = worstOf(name, [magnitudes.map((magnitude) => -magnitude)], worst);
  }
  return worst;
}

const rows: string[] = [];
for (const name of names) {
  const { error, at } = measure(name);
  const where = error === 0 ? "exact" : at.map((value) => Number(value.toPrecision(6))).join(", ");
  const method = methods[name].replaceAll("|", "\\|");
  rows.push(`| \`${name}\` | ${method} | ${error === 0 ? 0 : error.toFixed(3)} | ${where} |`);
  console.error(`${name}: ${error} ulp at ${at.join(", ")}`);
}
console.log("| function | method | largest error, ulp | at |\n|---|---|--:|---|");
console.log(rows.join("\n"));

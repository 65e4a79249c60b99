/**
 * Measures the errors of the float64 functions in lanes against multi-precision arithmetic, and prints the table of
 * docs/accuracy.md.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/accuracy/float64.ts [--points N] [name …]
 */

import { float64Functions } from "../../packages/compiler/src/emit/wasm/functions/float64/index.ts";
import type { FloatName } from "../../packages/compiler/src/emit/wasm/functions/lanes.ts";
import { commandLine } from "../../scripts/command-line.ts";
import { errorOf, operandsOf, randomNumbers, special } from "../../tests/compiler/wasm/float64-points.ts";
import { runLanes } from "../../tests/compiler/wasm/lane-harness.ts";

/** Each function's method in a phrase. */
const methods: Readonly<Record<FloatName, string>> = {
  exp: "x = n ln 2 + r, degree 11",
  exp2: "x = n + r, degree 11",
  expm1: "x = n ln 2 + r with ¾ ≤ eʳ ≤ 3/2, degree 12",
  log: "x = 2ᵏ (1 + f), degree 15 in f/(2 + f)",
  log2: "as log, times 1/ln 2 in two parts",
  log10: "as log, times 1/ln 10 in two parts",
  log1p: "as log, with what 1 + x loses",
  sigmoid: "E/(1 + E) and 1/(1 + E) with E = e^−|x|",
  sin: "x − nπ, degree 17; Payne and Hanek from 2¹⁷",
  cos: "(n + ½)π − x, degree 17; Payne and Hanek from 2¹⁷",
  tan: "x − nπ/2, sine of degree 13 over cosine of degree 14; Payne and Hanek from 2¹⁷",
  asin: "degree 25, beyond ½ of √((1 − |x|)/2)",
  acos: "degree 25, beyond ½ of √((1 − |x|)/2)",
  atan: "degree 25 of x, (|x| − 1)/(|x| + 1) or 1/x",
  atan2: "as atan, of y/x without that quotient",
  sinh: "|x| = n ln 2 + r, cosh r and sinh r of degrees 12 and 11",
  cosh: "|x| = n ln 2 + r, cosh r and sinh r of degrees 12 and 11",
  tanh: "(E − 1)/(E + 1) or 1 − 2/(E + 1) with E = e^2|x|, degree 12",
  asinh: "degree 25 below ½, else logarithm of |x| + √(x² + 1)",
  acosh: "√(x − 1) times degree 12 below 1, else logarithm of x + √(x² − 1)",
  atanh: "(1 + |x|)/(1 − |x|) = 2ᵏ q, degree 21 in (q − 1)/(q + 1)",
  erf: "degree 21 below 0.84, else 1 − e^(−x²) times degree 12",
  erfc: "degree 21 below 0.7, else e^(−x²)/(|x| + ½) times degree 21",
  erfinv: "x times degree 9 over 8 in −log(1 − x²), near ±1 in √(−log(1 − |x|))",
  ndtri: "as erfinv of 2p − 1, with what 2p − 1 loses",
  lgamma: "degree 11 over 9 below 4, else Stirling's series of degree 7 in 1/x²",
  digamma: "degree 9 over 7 below 4, else a series of degree 8 in 1/x²",
  pow: "2^(y log₂ |x|), the logarithm in two parts",
  hypot: "scaled by a power of 2",
  fmod: "long division in steps of 23 bits",
  remainder: "fmod, and y where the signs differ",
  floorDivide: "from the remainder",
};

const { values: options, positionals } = commandLine(import.meta.url, {
  options: { points: { type: "string", default: "100000" } },
  allowPositionals: true,
});
const points = Number(options.points);
const names = (Object.keys(float64Functions) as FloatName[]).filter(
  (name) => positionals.length === 0 || positionals.includes(name),
);

/** Points in one call. */
const CHUNK = 2 ** 16;

interface Worst {
  readonly error: number;
  readonly at: readonly number[];
}

/** The worst of some points, which is `worst` unless one of them is worse. */
function worstOf(name: FloatName, operands: readonly Float64Array[], worst: Worst): Worst {
  const actual = runLanes("f64x2", operands.length, float64Functions[name], operands);
  let { error, at } = worst;
  for (let i = 0; i < actual.length; i++) {
    const args = operands.map((operand) => operand[i]!);
    const found = errorOf(name, args, actual[i]!);
    if (found > error) {
      error = found;
      at = args;
    }
  }
  return { error, at };
}

function measure(name: FloatName): Worst {
  const random = randomNumbers(points);
  const arity = operandsOf(name, 1, random).length;
  const specials = [special.flatMap((x) => special.map(() => x)), special.flatMap(() => special)];
  let worst = worstOf(
    name,
    specials.slice(0, arity).map((values) => Float64Array.from(values)),
    { error: 0, at: [] },
  );
  for (let done = 0; done < points; done += CHUNK) {
    worst = worstOf(name, operandsOf(name, Math.min(CHUNK, points - done), random), worst);
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

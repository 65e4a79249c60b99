/** The float64 functions in lanes: at special values, at random ones of all exponents, and where angles are hardest. */
import { describe, expect, it } from "vitest";
import { float64Functions } from "../../../packages/compiler/src/emit/wasm/functions/float64/index.ts";
import type { FloatName } from "../../../packages/compiler/src/emit/wasm/functions/lanes.ts";
import { cases, errorOf, operandsOf, randomNumbers, special } from "./float64-points.ts";
import { runLanes } from "./lane-harness.ts";
import { piTimesPowerOfTwo } from "./precise.ts";

const POINTS = 5000;
const EXACT_POINTS = 100_000;

/** The points that are further off than the bound. */
function faults(name: FloatName, operands: readonly Float64Array[]): string[] {
  const { bound } = cases[name];
  const actual = runLanes("f64x2", operands.length, float64Functions[name], operands);
  const found: string[] = [];
  actual.forEach((value, i) => {
    const args = operands.map((operand) => operand[i]!);
    const error = errorOf(name, args, value);
    if (!(error <= bound)) found.push(`${name}(${args}) is ${value}: ${error} ulp`);
  });
  return found.slice(0, 5);
}

const names = Object.keys(float64Functions) as FloatName[];

describe.each(names)("%s of float64 lanes", (name) => {
  const { bound, draws } = cases[name];
  const arity = draws[0]!.length;

  it("is right at special values", () => {
    const first = special.flatMap((x) => (arity === 1 ? x : special.map(() => x)));
    const second = special.flatMap(() => special);
    const operands = [first, second].slice(0, arity).map((values) => Float64Array.from(values));
    expect(faults(name, operands)).toEqual([]);
  });

  it(bound === 0 ? "is exact" : `is off by at most ${bound} ulp`, () => {
    const operands = operandsOf(name, bound === 0 ? EXACT_POINTS : POINTS, randomNumbers(1));
    expect(faults(name, operands)).toEqual([]);
  });

  it("does not depend on what stands in the other lane", () => {
    const operands = operandsOf(name, POINTS, randomNumbers(2));
    const shifted = operands.map((operand) => Float64Array.of(1, ...operand));
    const result = runLanes("f64x2", arity, float64Functions[name], operands);
    const shiftedResult = runLanes("f64x2", arity, float64Functions[name], shifted);
    expect(shiftedResult.subarray(1)).toEqual(result);
  });
});

describe.each(["sin", "cos", "tan"] as const)("%s of float64 lanes", (name) => {
  it(`is off by at most ${cases[name].bound} ulp next to quarter turns`, () => {
    expect(faults(name, [Float64Array.from(hardAngles())])).toEqual([]);
  });
});

/** Floats that are closest to multiples of π/2: numerators of the best approximations of π/2 ÷ 2ᵉ, times 2ᵉ. */
function* hardAngles(): Generator<number> {
  for (let e = -52; e <= 971; e += 3) {
    // Of 2ᵉ ÷ π/2, reduced modulo 1, as a fraction of two integers; Euclid's algorithm gives the approximations.
    let [a, b] = [2n ** BigInt(e + 1200), piTimesPowerOfTwo(1199)];
    let [p, q] = [0n, 1n];
    a %= b;
    while (a !== 0n) {
      const quotient = b / a;
      [a, b] = [b % a, a];
      [p, q] = [q, p + quotient * q];
      if (q >= 2n ** 53n) break;
      yield Number(q) * 2 ** e;
    }
  }
}

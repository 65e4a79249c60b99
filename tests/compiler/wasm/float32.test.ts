/** The float32 functions in lanes: at special values, and at random ones of all exponents against float64. */
import { describe, expect, it } from "vitest";
import { float32Functions } from "../../../packages/compiler/src/emit/wasm/functions/float32/index.ts";
import type { FloatName } from "../../../packages/compiler/src/emit/wasm/functions/lanes.ts";
import { cases, randomBits, special, ulps } from "./float32-points.ts";
import { runLanes } from "./lane-harness.ts";

const POINTS = 200_000;

/** The points that are further off than the bound. */
function faults(name: FloatName, operands: readonly Float32Array[]): string[] {
  const { bound, exact } = cases[name];
  const actual = runLanes("f32x4", operands.length, float32Functions[name], operands);
  const found: string[] = [];
  actual.forEach((value, i) => {
    const args = operands.map((operand) => operand[i]!);
    const wanted = exact(args[0]!, args[1]!);
    const error = ulps(value, wanted);
    if (!(error <= bound)) found.push(`${name}(${args}) is ${value}, not ${wanted}: ${error} ulp`);
  });
  return found.slice(0, 5);
}

/** Points from the function's distributions in turn. */
function operandsOf(name: FloatName, points: number, seed: number): Float32Array[] {
  const { draws } = cases[name];
  const bits = randomBits(seed);
  const operands = draws[0]!.map(() => new Float32Array(points));
  for (let i = 0; i < points; i++) {
    const turn = draws[i % draws.length]!;
    operands.forEach((operand, o) => {
      operand[i] = turn[o]!(bits());
    });
  }
  return operands;
}

const names = Object.keys(float32Functions) as FloatName[];

describe.each(names)("%s of float32 lanes", (name) => {
  const { bound, draws } = cases[name];
  const arity = draws[0]!.length;

  it("is right at special values", () => {
    const first = special.flatMap((x) => (arity === 1 ? x : special.map(() => x)));
    const second = special.flatMap(() => special);
    const operands = [first, second].slice(0, arity).map((values) => Float32Array.from(values));
    expect(faults(name, operands)).toEqual([]);
  });

  it(bound === 0 ? "is exact" : `is off by at most ${bound} ulp`, () => {
    expect(faults(name, operandsOf(name, POINTS, 1))).toEqual([]);
  });

  it("does not depend on what stands in other lanes", () => {
    const operands = operandsOf(name, POINTS / 10, 2);
    const result = runLanes("f32x4", arity, float32Functions[name], operands);
    const order = [...result.keys()].sort((i, j) => operands[0]![i]! - operands[0]![j]! || i - j);
    const sorted = operands.map((operand) => Float32Array.from(order, (i) => operand[i]!));
    const sortedResult = runLanes("f32x4", arity, float32Functions[name], sorted);
    expect(sortedResult).toEqual(Float32Array.from(order, (i) => result[i]!));
  });
});

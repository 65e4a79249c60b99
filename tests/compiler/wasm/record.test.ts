import { describe, expect, test } from "vitest";
import { float32Functions } from "../../../packages/compiler/src/emit/wasm/functions/float32/index.ts";
import { float64Functions } from "../../../packages/compiler/src/emit/wasm/functions/float64/index.ts";
import { StraightCode } from "../../../packages/compiler/src/emit/wasm/lanes/code.ts";
import type { LaneFunction } from "../../../packages/compiler/src/emit/wasm/lanes/lane-function.ts";
import { recorded } from "../../../packages/compiler/src/emit/wasm/lanes/record.ts";
import type { Register } from "../../../packages/compiler/src/emit/wasm/lanes/straight.ts";

/** What was appended, each register by what it is rather than by its number. */
function listing(code: StraightCode, inputs: readonly Register[], result: Register): string[] {
  const names = new Map<Register, string>(inputs.map((input, k) => [input, `input ${k}`]));
  for (const [register, words] of code.constants) names.set(register, `constant ${words}`);
  for (const [register, { type, value }] of code.scalars)
    names.set(register, `${type} ${Object.is(value, -0) ? "-0" : value}`);
  const nameOf = (register: Register): string => names.get(register)!;
  const lines = code.instructions.map((instruction, k): string => {
    const args = instruction.args.map(nameOf);
    const line =
      instruction.kind === "operation"
        ? [instruction.op, instruction.immediate, ...args]
        : instruction.kind === "rarely"
          ? [instruction.helper.name, nameOf(instruction.mask), nameOf(instruction.usual), ...args]
          : [instruction.callee.name, ...args];
    if (instruction.result !== null) names.set(instruction.result, `result ${k}`);
    return line.join(", ");
  });
  return [...lines, nameOf(result)];
}

const binary = new Set(["atan2", "pow", "hypot", "fmod", "remainder", "floorDivide"]);
const cases = Object.entries({ float32: float32Functions, float64: float64Functions }).flatMap(
  ([dtype, functions]) =>
    Object.entries(functions).map(([name, build]): [string, number, LaneFunction] => [
      `${dtype} ${name}`,
      binary.has(name) ? 2 : 1,
      build,
    ]),
);

describe("recorded lane functions", () => {
  test.each(cases)("%s appends what it would append itself", (_, arity, build) => {
    const listings = (run: LaneFunction): string[] => {
      const code = new StraightCode();
      const inputs = Array.from({ length: 2 * arity }, () => code.input("v128"));
      const first = run(code, ...inputs.slice(0, arity));
      // Of the other registers, and of the same ones once more: they add nothing.
      const second = run(code, ...inputs.slice(arity));
      expect(run(code, ...inputs.slice(0, arity))).toBe(first);
      return [...listing(code, inputs, first), ...listing(code, inputs, second)];
    };
    const direct = listings(build);
    const repeat = recorded(build);
    expect(listings(repeat)).toEqual(direct);
    expect(listings(repeat)).toEqual(direct);
  });

  test("operands may be one register", () => {
    const square: LaneFunction = (code, x, y) =>
      code.op("f32x4.add", code.op("f32x4.mul", x!, y!), code.op("f32x4.mul", y!, y!));
    const code = new StraightCode();
    const x = code.input("v128");
    recorded(square)(code, x, x);
    expect(code.instructions).toHaveLength(2);
  });

  test("the function is called once", () => {
    let calls = 0;
    const run = recorded((code, x) => {
      calls++;
      return code.op("f32x4.sqrt", x!);
    });
    for (let k = 0; k < 3; k++) {
      const code = new StraightCode();
      run(code, code.input("v128"));
    }
    expect(calls).toBe(1);
  });
});

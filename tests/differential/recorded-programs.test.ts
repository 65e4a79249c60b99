/** Programs of ops of all kinds, recorded as users record them: fused they give what they give op by op, and the first run what later ones give. */
import { clearCaches, manualSeed } from "fuseau";
import { describe, expect, it } from "vitest";
import { type FirstProgram, chainOn as fiveOpsOn } from "../../benchmarks/first-call/programs.ts";

const count = Math.ceil(Number(process.env.FUSEAU_RUNS ?? 400) / 20);
const first = Number(process.env.FUSEAU_SEED ?? 1) * 1_000;
const shapes = [[100, 100], [3_000], [33, 5, 20]] as const;

type Options = Parameters<ReturnType<FirstProgram["record"]>["compute"]>[0];

function elements({ record }: FirstProgram, options: Options): ArrayLike<number | bigint> | string {
  manualSeed(1);
  try {
    const result = record().compute(options);
    const array = result.toTypedArray();
    result.dispose();
    return array;
  } catch (error) {
    return (error as Error).message.split(";")[0] as string;
  }
}

describe.each(shapes.map((shape) => ({ shape })))("five ops on $shape", ({ shape }) => {
  it.each(Array.from({ length: count }, (_, k) => first + k))("seed %d", (seed) => {
    const program = fiveOpsOn(shape)(seed);
    clearCaches();
    const begun = elements(program, {});
    expect(elements(program, {}), `${program.name}, the second time`).toEqual(begun);
    for (const emitter of ["wasm", "js"] as const)
      expect(elements(program, { emitter }), `${program.name}, ${emitter}`).toEqual(
        elements(program, { emitter, fusion: "none" }),
      );
  });
});

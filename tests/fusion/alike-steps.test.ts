/** Loops that record the same step again and again: what each step stores is found after a few schedules, not after one for each step. */
import { type AnyTensor, clearCaches, minimum, randn, trace } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const costs = randn([64, 60, 40]).compute();
/** The cheapest paths through the columns: each step goes on from the same row or the one before. */
function cheapest(steps: number): AnyTensor {
  let paths: AnyTensor = costs.select(2, 0);
  for (let k = 1; k <= steps; k++) {
    const shifted = paths.slice([], [null, -1]).pad([1, 0]);
    paths = costs.select(2, k).add(minimum(paths as never, shifted as never) as AnyTensor);
  }
  return paths;
}
function schedulesOf(make: () => AnyTensor): number {
  clearCaches();
  let count = 0;
  trace(
    () => make().compute(),
    (event) => {
      if (event.kind === "pass" && event.name === "schedule") count++;
    },
  );
  return count;
}

describe("a recorded loop", () => {
  it("of 32 steps is scheduled as often as one of 8", () => {
    expect(schedulesOf(() => cheapest(32))).toBe(schedulesOf(() => cheapest(8)));
  });

  it("has the bits of its steps one by one", () => {
    const [fused, plain] = (["on", "none"] as const).map((fusion) =>
      cheapest(32).compute({ fusion, emitter: "wasm" }).toTypedArray(),
    );
    expect(fused).toEqual(plain);
  });
});

/** What runs op by op is compiled as a whole once that has cost enough time. */
import type { Program } from "@fuseau/compiler";
import { clearCaches } from "fuseau";
import { afterEach, expect, it } from "vitest";
import { FirstRuns } from "../../packages/runtime/src/execute/op-by-op/first-runs.ts";
import { Recurring } from "../../packages/runtime/src/execute/sizes/recurring.ts";

// What was begun keeps others from beginning.
afterEach(() => clearCaches());

/** How many runs it takes until a program of 1,000 nodes is compiled, if each takes so many milliseconds. */
function runsOf(milliseconds: number): number {
  const purpose = { asked: undefined, fusion: "on", limits: undefined, donated: [] } as const;
  const lists = {
    order: [],
    given: [],
    scalars: [],
    outputs: [],
    donated: [],
    wanted: [],
    lifted: [],
    numbers: [],
  };
  const extraction = { ...lists, hash: 0, recorded: 0 };
  const runs = new FirstRuns(purpose, 1_000);
  for (let run = 1; run <= 10_000; run++) {
    let begins = false;
    runs.noteRun(milliseconds, 20, 2 ** 28);
    runs.comesAgain(extraction, function* () {
      begins = true;
      yield;
      return {} as Program;
    });
    if (begins) return run;
  }
  return Number.POSITIVE_INFINITY;
}

it("runs that take little lose little, whatever was expected of them", () => {
  expect(runsOf(1_000)).toBe(1);
  expect(runsOf(1)).toBeGreaterThan(30);
  // Where the clock stands still.
  expect(runsOf(0)).toBeGreaterThan(1_000);
  expect(runsOf(0)).toBeLessThan(10_000);
});

it("sizes of long recordings have to come more often", () => {
  const times = (nodes?: number): number => {
    const recurring = new Recurring();
    for (let k = 0; ; k++) if (recurring.comesAgain([3, 4], nodes)) return k;
  };
  expect(times()).toBe(8);
  expect(times(10)).toBe(8);
  expect(times(640)).toBe(80);
});

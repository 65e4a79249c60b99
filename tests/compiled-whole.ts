/** For files that test what is fused: programs are compiled as a whole when they first run, and do not run op by op. */
import { afterAll, beforeAll } from "vitest";
import { firstRuns } from "../packages/runtime/src/execute/op-by-op/first-runs.ts";

export function compileWhole(): void {
  beforeAll(() => {
    firstRuns.areOpByOp = false;
  });
  afterAll(() => {
    firstRuns.areOpByOp = true;
  });
}

/** For files that test which parts recordings have: they are looked for at once, and not when running op by op has lost enough. */
export function lookForParts(): void {
  beforeAll(() => {
    firstRuns.areTried = false;
  });
  afterAll(() => {
    firstRuns.areTried = true;
  });
}

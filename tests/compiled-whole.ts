/** For files that test what is fused: programs are compiled as a whole when they first run, and not put together of pieces. */
import { afterAll, beforeAll } from "vitest";
import { firstRuns } from "../packages/runtime/src/execute/pieces.ts";

export function compileWhole(): void {
  beforeAll(() => {
    firstRuns.inPieces = false;
  });
  afterAll(() => {
    firstRuns.inPieces = true;
  });
}

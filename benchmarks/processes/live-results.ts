/**
 * Ten thousand results of a million float32, each dropped at once, in a process of their own: what the memory comes to when
 * the loop never yields (no finalizer can run) and when it does. A kernel is stood in for by writing the block.
 */
import { linearMemory } from "../../packages/runtime/src/memory/linear.ts";
import { Workspace } from "../../packages/runtime/src/memory/workspace.ts";
import { stats } from "../measure/runtime.ts";
import { send } from "./send.ts";

export interface LiveResults {
  readonly results: number;
  /** Microseconds for each result, and what the stand-in takes of them. */
  readonly time: number;
  readonly kernel: number;
  /** Bytes of the largest resident set seen, and of the largest in the first quarter. */
  readonly peak: number;
  readonly earlyPeak: number;
  /** Of all results, those that were moved to the heap because the budget was spent. */
  readonly movedOut: number;
  /** Blocks that finalizers gave back. */
  readonly reclaimed: number;
}

const RESULTS = 10_000;
const CELLS = 1_000_000;
const BYTES = 4 * CELLS;

const yields = process.argv[2] === "yielding";

let kernel = 0;

/** What a compute does, but for the arithmetic; false unless the result reads as it was written. */
function compute(value: number): boolean {
  using workspace = new Workspace();
  const block = workspace.take(BYTES);
  const start = performance.now();
  linearMemory()!.elements("float32", block.pointer, CELLS).fill(value);
  kernel += performance.now() - start;
  const storage = workspace.settle(block, "float32", CELLS);
  return value % 100 !== 0 || storage.copy()[CELLS - 1] === value;
}

const nextTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let peak = 0;
let earlyPeak = 0;
const start = performance.now();
for (let k = 0; k < RESULTS; k++) {
  if (!compute(k)) throw new Error(`result ${k} was overwritten`);
  if (yields) await nextTask();
  if (k % 16 !== 0) continue;
  peak = Math.max(peak, process.memoryUsage.rss());
  if (k < RESULTS / 4) earlyPeak = peak;
}
const time = performance.now() - start;
const { linear } = stats();
const result: LiveResults = {
  results: RESULTS,
  time: (1_000 * time) / RESULTS,
  kernel: (1_000 * kernel) / RESULTS,
  peak,
  earlyPeak,
  movedOut: linear.movedOut / RESULTS,
  reclaimed: linear.reclaimed,
};
send(result);

/** Work on several threads in slices so small that every head and tail is met. */
import { setThreads, zeros } from "fuseau";
import { grain, readyThreads } from "../packages/runtime/src/execute/linear-pool.ts";

const FEW_ELEMENTS = 16;
const PATIENCE = 10_000;

/** Starts workers and waits until they are ready. From here on slices are small; whether a program is shared out, `share` says. */
export async function startThreads(threads: number): Promise<void> {
  grain.slice = FEW_ELEMENTS;
  grain.started = 0;
  share(true);
  setThreads(threads);
  const end = Date.now() + PATIENCE;
  while (readyThreads() < threads && Date.now() < end) {
    zeros([64]).add(1).compute({ emitter: "wasm" });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether programs run on all threads, however small they are, or on one, however large. */
export function share(always: boolean): void {
  grain.threaded = always ? 0 : Infinity;
}

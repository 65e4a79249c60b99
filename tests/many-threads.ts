/** Work on several threads in slices so small that every head and tail is met. */
import { ready, setOptions, setThreads } from "fuseau";
import { grain } from "../packages/runtime/src/backends/linear-pool.ts";

const FEW_ELEMENTS = 16;

/** Starts workers and waits until they are ready. From here on slices are small; whether a program is shared out, `share` says. */
export async function startThreads(threads: number): Promise<void> {
  setOptions({ slice: FEW_ELEMENTS });
  share(true);
  setThreads(threads);
  const started = await ready();
  if (started < threads) throw new Error(`${started} of ${threads} threads came up`);
}

/** Whether programs run on all threads, however small they are, or on one, however large. */
export function share(always: boolean): void {
  grain.threaded = always ? 0 : Infinity;
}

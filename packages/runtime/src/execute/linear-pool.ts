/** The thread pool of this process, made when a large program first runs. */
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import type { SharedKernel } from "../threads/crew.ts";
import { Pool } from "../threads/pool.ts";
import { getThreads, refuseThreads, threadHost, watchThreads } from "../threads/thread-count.ts";

/** Additions of elements from which a program is worth waking workers for: about a tenth of a millisecond. */
const THREADED_WORK = 400_000;

let pool: Pool | undefined;
let released: (() => void)[] = [];

/** The pool; without workers until a large program has asked for them. */
export function threadPool(): Pool {
  if (pool === undefined) {
    const { memory } = linearMemory() as LinearMemory;
    pool = new Pool({
      memory,
      host: threadHost(),
      threads: getThreads(),
      onReleased: () => {
        const waiting = released;
        released = [];
        for (const free of waiting) free();
      },
      onRefused: refuseThreads,
    });
    watchThreads((threads) => pool?.resize(threads));
  }
  return pool;
}

/** How many threads a program is to be run on. Starts them in the background when they would have been of use. */
export function threadsFor(work: number): number {
  if (work < THREADED_WORK || getThreads() === 1) return 1;
  const { readyThreads } = threadPool();
  if (readyThreads < getThreads()) void threadPool().prepare();
  return readyThreads;
}

/** Lets workers drop a kernel that is no longer cached. */
export const forgetKernel = (kernel: SharedKernel): void => pool?.forget(kernel);

/** Calls back once no lost worker can write any more. */
export function whenReleased(free: () => void): void {
  if (threadPool().quarantined) released.push(free);
  else free();
}

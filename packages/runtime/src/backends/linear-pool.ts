/** The thread pool of this process. It is made when a large program first runs. */
import { type LinearMemory, linearMemory } from "../memory/linear.ts";
import { watchOptions } from "../options.ts";
import { keepAlive } from "../threads/host.ts";
import { runAlone, type Step } from "../threads/step.ts";
import { getThreads, refuseThreads, threadHost, watchThreads } from "../threads/thread-count.ts";
import { type Failure, WorkerPool } from "../threads/worker-pool.ts";
import type { SharedKernel } from "../threads/workers.ts";

/**
 * The work of a slice. Slices are small, because threads share work by slices, and because a running call never switches to optimised code.
 */
const SLICE = 32_768;
/** Programs of fewer slices run on one thread: to wake workers takes about a tenth of a millisecond. */
const WORTH_SLICES = 12;
/** So much must have been computed on one thread before others are started, which takes milliseconds. */
const STARTED = 50_000_000;

/** How work is divided, in additions of elements. */
export const grain: { slice: number; threaded: number | null } = {
  slice: SLICE,
  /** The least work of a program that runs on several threads, whatever its slices are. Tests set it. */
  threaded: null,
};

watchOptions(({ slice = SLICE }) => {
  grain.slice = slice;
});

let pool: WorkerPool | undefined;
let released: (() => void)[] = [];

/** Runs steps in order, and none after one that fails. Until there is a pool they run on the main thread alone. */
export function runOnThreads(steps: readonly Step[]): Failure | null {
  if (pool !== undefined) return pool.run(steps);
  for (const step of steps) {
    const frame = runAlone(step);
    if (frame !== null) return { step, frame };
  }
  return null;
}

/** The pool. It has no workers until a large program has asked for them. */
export function workerPool(): WorkerPool {
  if (pool === undefined) {
    const { memory } = linearMemory() as LinearMemory;
    pool = new WorkerPool({
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

/** The work of large programs that ran on one thread although there might have been more. */
let alone = 0;

/** True for a program that is too small to profit from another thread. */
export const isForOneThread = (work: number): boolean =>
  work < (grain.threaded ?? WORTH_SLICES * grain.slice);

/** The number of threads that a program is to run on. Other threads are started in the background once they would have been of use. */
export function threadsFor(work: number): number {
  if (isForOneThread(work) || getThreads() === 1) return 1;
  if (pool === undefined) {
    alone += work;
    if (alone < STARTED) return 1;
  }
  const { readyThreads } = workerPool();
  if (readyThreads < getThreads()) void workerPool().prepare();
  return readyThreads;
}

/** The number of threads once all are ready or have failed. Until then the process stays alive. */
export async function ready(): Promise<number> {
  if (getThreads() === 1 || linearMemory() === null) return 1;
  const release = keepAlive();
  try {
    return await workerPool().prepare();
  } finally {
    release();
  }
}

/** Lets workers drop a kernel that is no longer cached. */
export const forgetKernel = (kernel: SharedKernel): void => pool?.forget(kernel);

/** Calls `free` once no lost worker can write any more. */
export function whenReleased(free: () => void): void {
  if (pool?.quarantined) released.push(free);
  else free();
}

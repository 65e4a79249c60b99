/**
 * Runs programs on several threads. A program is a list of steps, a step is a phase of a kernel, cut into slices of
 * consecutive work items. All threads claim slices until none is left, and meet before the next step: the main thread opens it when every
 * slice of the last is done. Between two steps workers spin, so that a whole program costs one wake-up.
 *
 * Which thread runs which slice is decided by chance. Results are the same by the contract of kernels: slices of a step write
 * disjoint cells, and read none that another slice of the step writes.
 */

import type { Host } from "./host.ts";
import { runAlone, runShared, type Step, sliceCount } from "./step.ts";
import { type SharedKernel, Workers } from "./workers.ts";

/** A kernel gave a status other than 0 for a slice. Of several such slices it is the first, however many threads there are. */
export interface Failure {
  readonly step: Step;
  /** The frame that the slice ran with. */
  readonly frame: number;
}

export interface WorkerPoolOptions {
  /** The `WebAssembly.Memory` of all kernels. Without a shared buffer there is one thread. */
  readonly memory: { readonly buffer: ArrayBufferLike };
  readonly host: Host;
  /** At most so many threads, the main thread included. */
  readonly threads: number;
  /** Milliseconds for which a thread spins before it sleeps, at most. Default 0.05. */
  readonly spin?: number;
  /**
   * Milliseconds that a worker may take for a slice when all others are done, in addition to a hundred times what a slice took the
   * main thread. Default 5,000.
   */
  readonly timeLimit?: number;
  /** `quarantined` has become false. */
  readonly onReleased?: () => void;
  /** The host has refused to start a worker; none will be tried again. */
  readonly onRefused?: () => void;
}

const SPIN = 0.05;
const TIME_LIMIT = 5_000;

export class WorkerPool {
  readonly #workers: Workers | null;
  readonly #timeLimit: number;
  #threads: number;

  constructor(options: WorkerPoolOptions) {
    const { memory, host, threads, spin = SPIN, timeLimit = TIME_LIMIT } = options;
    const { onReleased = () => {}, onRefused = () => {} } = options;
    this.#threads = threads;
    this.#timeLimit = timeLimit;
    const shared = host.startWorker !== null && memory.buffer instanceof SharedArrayBuffer;
    this.#workers = shared
      ? new Workers(host.startWorker, { host, memory, spin, onReleased, onRefused })
      : null;
  }

  /** Starts the workers that are missing, in the background. Gives the number of threads once all are ready or will never be. */
  async prepare(): Promise<number> {
    if (this.#threads > 1) await this.#workers?.grow(this.#threads - 1);
    return this.readyThreads;
  }

  /** How many threads would run a program now, the main thread included. */
  get readyThreads(): number {
    return 1 + this.#ready().length;
  }

  /** Changes how many threads there may be. Workers above it are stopped; missing ones wait for `prepare`. */
  resize(threads: number): void {
    this.#threads = threads;
    this.#workers?.shrink(threads - 1);
  }

  /** Lets workers drop a kernel that will not run again. */
  forget(kernel: SharedKernel): void {
    this.#workers?.forget(kernel);
  }

  /**
   * Whether a worker that fell silent may still write to what programs have used that ran since it was started. No such cell may
   * be written by anyone else before this is false again, which needs a turn of the event loop.
   */
  get quarantined(): boolean {
    return this.#workers?.quarantined ?? false;
  }

  /**
   * Runs steps in their order, and none after one that fails.
   * @throws ThreadError when a worker was lost in a step that is not repeatable, and whatever a kernel throws.
   */
  run(steps: readonly Step[]): Failure | null {
    for (const step of steps) {
      const ready = step.sequential || step.frames.length < 2 || sliceCount(step) < 2 ? [] : this.#ready();
      const frame =
        this.#workers === null || ready.length === 0
          ? runAlone(step)
          : runShared(step, this.#workers, ready, this.#timeLimit);
      if (frame !== null) return { step, frame };
    }
    return null;
  }

  #ready(): readonly number[] {
    return this.#workers?.ready(this.#threads - 1) ?? [];
  }
}

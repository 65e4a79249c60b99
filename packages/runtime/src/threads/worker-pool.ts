/**
 * Runs programs on several threads. A program is a list of steps. A step is a phase of a kernel, divided into slices of consecutive work
 * items. All threads claim slices until none is left, and meet before the next step: the main thread opens it when every slice of the last
 * one is done. Between two steps workers spin, so that a whole program costs one wake-up.
 * Which thread runs which slice is left to chance. Results do not depend on it, by the contract of kernels: slices of a step write disjoint
 * cells, and read none that another slice of the step writes.
 */

import type { Host } from "./host.ts";
import { runAlone, runShared, type Step, sliceCount } from "./step.ts";
import { type SharedKernel, Workers } from "./workers.ts";

/**
 * Thrown when a kernel returned a status other than 0 for a slice. If several slices failed it is for the first, whatever the number of
 * threads.
 */
export interface Failure {
  readonly step: Step;
  /** The frame that the slice ran with. */
  readonly frame: number;
}

export interface WorkerPoolOptions {
  /** The `WebAssembly.Memory` of all kernels. If its buffer is not shared, there is one thread. */
  readonly memory: { readonly buffer: ArrayBufferLike };
  readonly host: Host;
  /** The most threads, the main thread included. */
  readonly threads: number;
  /** The most milliseconds that a thread spins before it sleeps. Default 0.05. */
  readonly spin?: number;
  /**
   * Milliseconds that a worker may take for a slice after all other slices are done, in addition to a hundred times what a slice took the
   * main thread. Default 5,000.
   */
  readonly timeLimit?: number;
  /** Called when `quarantined` has become false. */
  readonly onReleased?: () => void;
  /** Called when the host has refused to start a worker. None will be tried again. */
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

  /** Starts missing workers in the background. Resolves with the number of threads once all are ready or have failed. */
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
   * True while a worker that fell silent may still write to cells of programs that ran since it was started. Nobody else may write to such
   * a cell before this is false again, which takes a turn of the event loop.
   */
  get quarantined(): boolean {
    return this.#workers?.quarantined ?? false;
  }

  /**
   * Runs steps in order, and none after one that fails.
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

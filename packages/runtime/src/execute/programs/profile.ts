/** Collects the times of a program's kernels in profiled runs. Profiling is a watch without a listener. */
import type { Program } from "@fuseau/compiler";
import { watchOptions } from "../../options.ts";
import { listen } from "../../watch/watching.ts";

/** Times of one kernel, in milliseconds. */
export interface Timing {
  readonly runs: number;
  readonly total: number;
  readonly least: number;
}

const timings = new WeakMap<Program, Timing[]>();

/** By kernel; kernels of programs that were never watched have none. */
export const timingsOf = (program: Program): readonly Timing[] => timings.get(program) ?? [];

export function noteTime(program: Program, kernel: number, ms: number): void {
  const known = timings.get(program) ?? [];
  const { runs, total, least } = known[kernel] ?? { runs: 0, total: 0, least: Number.POSITIVE_INFINITY };
  known[kernel] = { runs: runs + 1, total: total + ms, least: Math.min(least, ms) };
  timings.set(program, known);
}

/** Times the kernels that run in the meantime. */
export function profiled<T>(work: () => T): T {
  const stop = listen(() => {});
  try {
    return work();
  } finally {
    stop();
  }
}

let stop: (() => void) | null = null;
watchOptions(({ profile = false }) => {
  if (profile === (stop !== null)) return;
  stop?.();
  stop = profile ? listen(() => {}) : null;
});

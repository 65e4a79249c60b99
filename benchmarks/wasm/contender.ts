/** Who carries a computation out. */
import { median } from "../measure/statistics.ts";

/** fuseau and C on so many threads; unfused is fuseau op by op on one, js is fuseau with `emitter: "js"`; the others are jitted, in WebAssembly. */
export const contenderNames = [
  "fuseau 1",
  "fuseau 2",
  "unfused",
  "js",
  "jax-js",
  "tfjs",
  "C 1",
  "C 2",
] as const;
export type ContenderName = (typeof contenderNames)[number];

export interface Contender {
  readonly name: ContenderName;
  /** The elements of the result, for the check before anything is timed. */
  readonly result: () => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** The median time of a call in milliseconds, from calls that take so many milliseconds together. */
  readonly time: (milliseconds: number) => Promise<number>;
  /** Gives the inputs back. */
  readonly dispose: () => void;
}

/** What the clock measures well, in milliseconds: shorter calls are timed several at once. */
const SHORTEST = 0.2;

/** {@link Contender.time} of calls in this process, from inputs in memory to a result in memory. */
export async function timeCalls(run: () => void | Promise<void>, milliseconds: number): Promise<number> {
  const timed = async (calls: number): Promise<number> => {
    const start = performance.now();
    for (let k = 0; k < calls; k++) {
      const pending = run();
      if (pending !== undefined) await pending;
    }
    return (performance.now() - start) / calls;
  };
  // The first call brings the inputs back into the caches, and the kernel to workers that are new.
  const first = await timed(1);
  const calls = Math.max(1, Math.ceil(SHORTEST / first));
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  do times.push(await timed(calls));
  while (performance.now() < end);
  return median(times);
}

/**
 * Programs that were assembled op by op for their first run. Most never come again, so nothing of them is kept but a hash. One that comes
 * again soon is in a loop that has settled: it is compiled as a whole. One that comes seldom is kept as it is until its runs have lost a
 * part of the time that compiling takes: many loops come to such programs a few times, and no more.
 */
import { type KernelCall, type Program, timeInClosures } from "@fuseau/compiler";
import type { Kernel } from "../backends/backend.ts";
import { LruCache } from "../cache/lru.ts";
import type { Extraction } from "./extract.ts";
import { isSamePurpose, type Purpose } from "./families.ts";
import { computationCount } from "./keep.ts";
import { type MadeKernel, runsAgain } from "./kernels.ts";

interface Mark {
  readonly purpose: Purpose;
  /** How many nodes were recorded. */
  readonly length: number;
  /** When it was assembled, in computations. */
  readonly since: number;
  /** True once it has come again. */
  isTaken: boolean;
}

const marks = new LruCache<number, Mark>();
marks.setLimits(65_536, 2 ** 22);
const BYTES = 64;

export const clearAssembled = (): void => marks.clear();

export function noteAssembled({ hash, order }: Extraction, purpose: Purpose): void {
  marks.add(hash, { purpose, length: order.length, since: computationCount(), isTaken: false }, BYTES);
}

/** A program that comes again after so many computations comes seldom. */
const SELDOM = 16;

const isSeldom = (since: number): boolean => computationCount() - since > SELDOM;

/**
 * Whether the program was assembled the last time that it was asked for, and not kept, and whether it comes seldom. If it is another one of
 * the same hash, that one is meant.
 */
export function takeAssembled({ hash, order }: Extraction, purpose: Purpose): "new" | "seldom" | "often" {
  const mark = marks.find(
    hash,
    (known) => !known.isTaken && known.length === order.length && isSamePurpose(known.purpose, purpose),
  );
  if (mark === undefined) return "new";
  mark.isTaken = true;
  return isSeldom(mark.since) ? "seldom" : "often";
}

/**
 * Estimates in nanoseconds: to compile a node; to find a node of a program that is not predicted; to call a kernel; to store a byte between
 * kernels and read it again.
 */
const [NODE, FIND, CALL, BYTE] = [150_000, 300, 2_000, 0.5];
/** An assembled program is compiled as a whole when its runs have lost this part of what that takes. */
const SHARE = 1 / 8;

/** An assembled program that is kept. It has come again after a while. */
export class Assembled {
  readonly #made: readonly MadeKernel[];
  /** The kernels that began as closures, with the nanoseconds of a run. */
  readonly #closures: readonly {
    readonly made: MadeKernel;
    readonly call: KernelCall;
    readonly time: number;
  }[];
  readonly #loss: number;
  #left: number;
  #since: number | null = null;

  constructor({ calls, graph, memory }: Program, made: readonly MadeKernel[]) {
    this.#made = made;
    this.#closures = made.flatMap((one, k) => {
      const call = calls[k] as KernelCall;
      return one.begins ? [{ made: one, call, time: timeInClosures(call.loop, call.sizes) }] : [];
    });
    const nodes = graph.nodes.length;
    this.#loss = nodes * FIND + calls.length * CALL + memory.intermediate * BYTE;
    this.#left = nodes * NODE * SHARE;
  }

  /** The kernels for one run more; null if the program is to be compiled as a whole. */
  again(): readonly Kernel[] | null {
    if (this.#since !== null && !isSeldom(this.#since)) return null;
    this.#since = computationCount();
    this.#left -= this.#loss;
    for (const { made, time } of this.#closures) if (made.begins) this.#left -= time;
    if (this.#left < 0) return null;
    for (const { made, call, time } of this.#closures) runsAgain(made, call, time);
    return this.#made.map(({ kernel }) => kernel);
  }
}

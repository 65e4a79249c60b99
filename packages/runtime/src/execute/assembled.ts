/**
 * Programs that were assembled op by op for their first run. Most never come again, so nothing of them is kept but a hash. One that comes
 * again is kept as it is until its runs have lost a part of the time that compiling the whole takes: many loops come to a program a few
 * times, and no more, and a long one takes a second to compile. Then it is compiled in steps, some with each run. A short one that comes
 * again soon is compiled at once.
 */
import { type KernelCall, type Program, type Steps, timeInClosures } from "@fuseau/compiler";
import type { Kernel } from "../backends/backend.ts";
import { LruCache } from "../cache/lru.ts";
import type { Extraction } from "./extract.ts";
import { isSamePurpose, type Purpose } from "./families.ts";
import { computationCount } from "./keep.ts";
import { type MadeKernel, runsAgain } from "./kernels.ts";
import { Sliced } from "./slices.ts";

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

/** The most nodes, recorded or simplified, of a short program. It is compiled as a whole if it comes again within so many computations. */
export const SHORT = 50;
const SOON = 16;

const isSettled = (since: number, nodes: number): boolean =>
  nodes <= SHORT && computationCount() - since <= SOON;

/**
 * Whether the program was assembled the last time that it was asked for, and not kept; and whether it is compiled as a whole now. If it is
 * another one of the same hash, that one is meant.
 */
export function takeAssembled({ hash, order }: Extraction, purpose: Purpose): "new" | "again" | "settled" {
  const mark = marks.find(
    hash,
    (known) => !known.isTaken && known.length === order.length && isSamePurpose(known.purpose, purpose),
  );
  if (mark === undefined) return "new";
  mark.isTaken = true;
  return isSettled(mark.since, order.length) ? "settled" : "again";
}

/** Estimates in nanoseconds: to compile a node; to call a kernel; to store a byte between kernels and read it again. */
const [NODE, CALL, BYTE] = [600_000, 2_000, 0.5];
/** An assembled program is compiled as a whole when its runs have lost this part of what that takes. */
const SHARE = 1 / 8;
/** Nanoseconds that a call counts as at least: a clock may stand still for a millisecond, and longer where it is kept from pages. */
const LEAST = 1_000;

/** Milliseconds for which the whole is compiled beside a run, at least: it may take as long as the run, which takes twice as long then. */
const SLICE = 16;

/** An assembled program that is kept. It has come again. */
export class Assembled {
  readonly #made: readonly MadeKernel[];
  /** The kernels that began as closures, with the nanoseconds of a run. */
  readonly #closures: readonly {
    readonly made: MadeKernel;
    readonly call: KernelCall;
    readonly time: number;
  }[];
  readonly #nodes: number;
  readonly #loss: number;
  readonly #calls: number;
  #left: number;
  /** Milliseconds of the last run. */
  #took = 0;
  #since: number | null = null;
  /** Null until the whole is being compiled. */
  #compiling: Sliced<Program> | null = null;
  /** Null until it is. */
  whole: Program | null = null;

  constructor({ calls, graph, memory }: Program, made: readonly MadeKernel[]) {
    this.#made = made;
    this.#closures = made.flatMap((one, k) => {
      const call = calls[k] as KernelCall;
      return one.begins ? [{ made: one, call, time: timeInClosures(call.loop, call.sizes) }] : [];
    });
    this.#nodes = graph.nodes.length;
    this.#calls = calls.length;
    this.#loss = calls.length * CALL + memory.intermediate * BYTE;
    this.#left = this.#nodes * NODE * SHARE;
  }

  /**
   * The kernels for one run more; null if the program is compiled as a whole by now, or is to be at once. `inSteps` compiles it.
   * @throws what a step throws.
   */
  again(inSteps: () => Steps<Program>): readonly Kernel[] | null {
    if (this.whole !== null || (this.#since !== null && isSettled(this.#since, this.#nodes))) return null;
    this.#since = computationCount();
    if (this.#left < 0) {
      if (this.#nodes <= SHORT) return null;
      this.#compiling ??= new Sliced(inSteps);
      const whole = this.#compiling.goOn(Math.max(SLICE, this.#took));
      if (whole !== null) {
        this.whole = whole.result;
        return null;
      }
    }
    for (const { made, call, time } of this.#closures) runsAgain(made, call, time);
    return this.#made.map(({ kernel }) => kernel);
  }

  /** To be told how many milliseconds each run takes. It has lost no more than that. */
  noteRun(milliseconds: number): void {
    this.#took = milliseconds;
    let lost = this.#loss;
    for (const { made, time } of this.#closures) if (made.begins) lost += time;
    this.#left -= Math.min(lost, Math.max(1e6 * milliseconds, LEAST * this.#calls));
  }
}

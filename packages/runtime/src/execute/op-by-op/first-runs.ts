/**
 * Remembers programs that have only run op by op (op-by-op.ts). Most never come again, so little of them is kept. One that comes again goes on
 * so until its runs have lost a part of the time that compiling the whole takes: many loops come to a program a few times, and no more, and a
 * long one takes a second to compile. Then it is compiled in steps, some with each run. A short one that comes again soon is compiled at once.
 * Where the host is idle between two runs, both are compiled then, from the second run on.
 */
import type { Program, Steps } from "@fuseau/compiler";
import { LruCache } from "../../cache/lru.ts";
import { type Extraction, matches, type Recorded, record } from "../extract/extract.ts";
import { computationCount } from "../extract/keep.ts";
import { NODE_COMPILED, SHORT } from "../programs/costs.ts";
import { isSamePurpose, type Purpose } from "../programs/purpose.ts";
import { awaitIdle, Sliced, wasIdleSince } from "../programs/slices.ts";

/** Both are true but in tests: of whole programs, which are compiled when they first run, and of the parts that recordings have. */
export const firstRuns: { areOpByOp: boolean; areTried: boolean } = { areOpByOp: true, areTried: true };

/** A short program is compiled as a whole if it comes again within so many computations. */
const SOON = 16;

/** Nanoseconds, estimated, that an op and an element lose that are computed by themselves. */
const [OP, ELEMENT] = [8_000, 4];
/** A program is compiled as a whole when its runs have lost this part of what that takes. */
const SHARE = 1 / 4;
/** Nanoseconds that an op counts as at least: a clock may stand still for a millisecond, and longer where it is kept from pages. */
const LEAST = 1_000;

/** Milliseconds for which the whole is compiled beside a run, at least: it may take as long as the run, which takes twice as long then. */
const SLICE = 16;

/** A program that was run op by op. */
export class FirstRuns {
  readonly purpose: Purpose;
  /** How many nodes were recorded. */
  readonly nodes: number;
  /** The last run, in computations. */
  #since = computationCount();
  /** Nanoseconds that it may still lose. */
  #left: number;
  /** Milliseconds of the last run. */
  #took = 0;
  /** What is compiled, and its program; null until then. Another recording may have the same hash. */
  #whole: { readonly recorded: Recorded; readonly program: Sliced<Program> } | null = null;

  constructor(purpose: Purpose, nodes: number) {
    this.purpose = purpose;
    this.nodes = nodes;
    this.#left = nodes * NODE_COMPILED * SHARE;
  }

  /**
   * To be called when it comes again: the whole if it is compiled by now, "now" if it is to be compiled at once, null if it runs op by op once
   * more. `inSteps` compiles it.
   */
  comesAgain(
    extraction: Extraction,
    inSteps: (recorded: Recorded) => Steps<Program>,
  ): Program | "now" | null {
    const since = this.#since;
    this.#since = computationCount();
    if (this.#whole === null && !wasIdleSince(since)) {
      const isShort = this.nodes <= SHORT;
      if (isShort && this.#since - since <= SOON) return "now";
      if (this.#left >= 0) return null;
      if (isShort) return "now";
    }
    if (this.#whole === null) {
      const recorded = record(extraction);
      this.#whole = { recorded, program: new Sliced(() => inSteps(recorded), since) };
    }
    const { recorded, program } = this.#whole;
    if (!matches(extraction, recorded)) return "now";
    try {
      const gone = program.goOn(Math.max(SLICE, this.#took));
      if (gone === null) return null;
      this.#whole = null;
      return gone.result;
    } catch {
      // The fault occurs again, and is dealt with, when the whole is compiled at once.
      this.#whole = null;
      return "now";
    }
  }

  /**
   * To be told how many milliseconds a run took of so many ops, which compute so many elements. Returns how many nanoseconds it has lost: no more
   * than it took.
   */
  noteRun(milliseconds: number, ops: number, elements: number): number {
    this.#took = milliseconds;
    const lost = Math.min(OP * ops + ELEMENT * elements, Math.max(1e6 * milliseconds, LEAST * ops));
    this.#left -= lost;
    return lost;
  }
}

const known = new LruCache<number, FirstRuns>();
known.setLimits(65_536, 2 ** 23);
const BYTES = 128;

export const clearFirstRuns = (): void => known.clear();

/** What is known of a program that ran op by op; undefined if it did not. Of several with one hash it may be another one: both are counted as one. */
export const firstRunsOf = ({ hash, order }: Extraction, purpose: Purpose): FirstRuns | undefined =>
  known.find(hash, (one) => one.nodes === order.length && isSamePurpose(one.purpose, purpose));

export function noteFirstRun({ hash, order }: Extraction, purpose: Purpose): FirstRuns {
  const first = new FirstRuns(purpose, order.length);
  known.add(hash, first, BYTES);
  awaitIdle();
  return first;
}

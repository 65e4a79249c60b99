/**
 * Computations that take long are gone on with beside each run of what they are for, so that no run waits for the whole. Half of one may hold
 * megabytes, so few are in progress at a time.
 */
import type { Steps } from "@fuseau/compiler";
import { now } from "../../threads/host.ts";
import { computationCount } from "../extract/keep.ts";

/**
 * The most that are in progress. One that was not gone on with for so many computations gives way, and is begun anew when it is again. Then it
 * may be left for twice as long: where more come in turn, each would be begun for ever.
 */
const [MOST, STALE] = [4, 256];

const inProgress = new Set<Sliced<unknown>>();

/** Forgets what was computed so far. */
export function clearSlices(): void {
  for (const sliced of inProgress) sliced.drop();
}

export class Sliced<Result> {
  readonly #begin: () => Steps<Result>;
  #steps: Steps<Result> | null = null;
  /** When it was gone on with, and for how long it may be left, in computations. */
  #last = 0;
  #stale = STALE;

  constructor(begin: () => Steps<Result>) {
    this.#begin = begin;
  }

  /**
   * Takes steps for some milliseconds, at least one; the result in an object, or null if there are more, or others have to end first.
   * @throws what a step throws; then it is begun anew.
   */
  goOn(milliseconds: number): { readonly result: Result } | null {
    this.#last = computationCount();
    if (this.#steps === null) {
      for (const other of inProgress) if (this.#last - other.#last > other.#stale) other.#giveWay();
      if (inProgress.size >= MOST && Number.isFinite(milliseconds)) return null;
      this.#steps = this.#begin();
      inProgress.add(this);
    }
    let isLeft = false;
    try {
      const begin = now();
      do {
        const step = this.#steps.next();
        if (step.done === true) return { result: step.value };
      } while (now() - begin < milliseconds);
      isLeft = true;
      return null;
    } finally {
      if (!isLeft) this.drop();
    }
  }

  #giveWay(): void {
    this.#stale *= 2;
    this.drop();
  }

  drop(): void {
    this.#steps = null;
    inProgress.delete(this);
  }
}

/**
 * Computations that take long are gone on with while the host is idle. Where it never is, in a loop that does not yield, they are beside each run
 * of what they are for, so that no run waits for the whole. Half of one may hold megabytes, so few are in progress at a time.
 */
import type { Steps } from "@fuseau/compiler";
import { type Left, whenIdle } from "../../idle.ts";
import { getOptions } from "../../options.ts";
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
  awaitedAt = NEVER;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** How many programs had run when the host was last idle, and when it was asked to tell that it is; never if it is not asked. */
let [idleAt, awaitedAt] = [NEVER, NEVER];
/** It is asked anew after so many computations: a callback may be lost, where timers are replaced. */
const LOST = 4_096;

/** True if the host was idle after the run before which so many programs had run: it is likely to be so again. */
export const wasIdleSince = (computations: number): boolean => idleAt > computations;

/** To be called when there is something to go on with, or there may be when it comes again. Milliseconds between two of an idle host's slices. */
export function awaitIdle(): void {
  if (computationCount() - awaitedAt < LOST) return;
  awaitedAt = computationCount();
  whenIdle(goOnIdle, 1);
}

function goOnIdle(left: Left): void {
  awaitedAt = NEVER;
  if (getOptions().warm === false) return;
  idleAt = computationCount();
  const latest = [...inProgress].filter((sliced) => !sliced.isDone).sort((a, b) => b.last - a.last);
  if (!latest.every((sliced) => sliced.goOnIdle(left))) awaitIdle();
}

export class Sliced<Result> {
  readonly #begin: () => Steps<Result>;
  #steps: Steps<Result> | null = null;
  /** What it gave while the host was idle. */
  #done: { readonly result: Result } | null = null;
  /** Milliseconds that the host was idle for it since it was last asked for. */
  #idled = 0;
  /** When it was asked for, and for how long it may be left, in computations. */
  #last: number;
  #stale = STALE;

  /** @param since how many programs had run when it might have been asked for before. */
  constructor(begin: () => Steps<Result>, since: number = computationCount()) {
    this.#begin = begin;
    this.#last = since;
  }

  get isDone(): boolean {
    return this.#done !== null;
  }

  get last(): number {
    return this.#last;
  }

  /**
   * The result in an object; null if there are more steps, or others have to end first. Takes steps for some milliseconds, at least one. If the
   * host was idle since it was last asked for, it takes fewer, by as many milliseconds as were taken then, and none if those were half of it.
   * @throws what a step throws; then it is begun anew.
   */
  goOn(milliseconds: number): { readonly result: Result } | null {
    const before = this.#last;
    this.#last = computationCount();
    const done = this.#done;
    if (done !== null) {
      this.drop();
      return done;
    }
    const mayWait = Number.isFinite(milliseconds);
    let left = milliseconds - this.#idled;
    this.#idled = 0;
    if (this.#steps === null) {
      if (!makesRoom(this.#last) && mayWait) return null;
      this.#steps = this.#begin();
      inProgress.add(this);
      if (mayWait && wasIdleSince(before)) left = -1;
    }
    if (left >= milliseconds / 2) {
      const begin = now();
      const result = this.#stepsWhile(() => now() - begin < left);
      if (result !== null) {
        this.drop();
        return result;
      }
    }
    awaitIdle();
    return null;
  }

  /** Takes steps while some milliseconds are left; true if there are no more. What fails is begun anew when it is asked for. */
  goOnIdle(left: Left): boolean {
    const begin = now();
    try {
      this.#done = this.#stepsWhile(() => left() > 0);
      this.#idled += now() - begin;
      return this.#done !== null;
    } catch {
      return true;
    }
  }

  #stepsWhile(isTime: () => boolean): { readonly result: Result } | null {
    try {
      do {
        const step = (this.#steps as Steps<Result>).next();
        if (step.done === true) return { result: step.value };
      } while (isTime());
      return null;
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  giveWay(): void {
    this.#stale *= 2;
    this.drop();
  }

  /** True if it was not asked for in so many computations. */
  isLeft(count: number): boolean {
    return count - this.#last > this.#stale;
  }

  drop(): void {
    this.#steps = null;
    this.#done = null;
    this.#idled = 0;
    inProgress.delete(this);
  }
}

/** True if one more may begin: others that were left for long give way, and if there are still too many, one that nobody has come for. */
function makesRoom(count: number): boolean {
  for (const other of inProgress) if (other.isLeft(count)) other.giveWay();
  if (inProgress.size < MOST) return true;
  for (const other of inProgress)
    if (other.isDone) {
      other.giveWay();
      return true;
    }
  return false;
}

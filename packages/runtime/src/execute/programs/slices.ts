/**
 * Computations that take long are gone on with while the host is idle. Where it never is, in a loop that does not yield, they are beside each run
 * of what they are for, so that no run waits for the whole. Half of one may hold megabytes, so few are in progress at a time. What is done is
 * kept until it is asked for.
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
/** The most that are done and were not asked for since: each holds a program. */
const MOST_DONE = 64;

const inProgress = new Set<Sliced<unknown>>();
/** Those that are done, the oldest first. */
const done = new Set<Sliced<unknown>>();

/** Forgets what was computed so far. */
export function clearSlices(): void {
  for (const sliced of [...inProgress, ...done]) sliced.drop();
  awaitedAt = NEVER;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** How many programs had run when the host was last idle, and when it was asked to tell that it is; never if it is not asked. */
let [idleAt, awaitedAt] = [NEVER, NEVER];
/** It is asked anew after so many computations: a callback may be lost, where timers are replaced. */
const LOST = 4_096;

/** True if the host was idle after the run before which so many programs had run: it is likely to be so again. */
export const wasIdleSince = (computations: number): boolean => idleAt > computations;

/** To be called when there is something to go on with, or there may be when it comes again. */
export function awaitIdle(): void {
  if (computationCount() - awaitedAt < LOST) return;
  awaitedAt = computationCount();
  whenIdle(goOnIdle, 1);
}

function goOnIdle(left: Left): void {
  awaitedAt = NEVER;
  if (getOptions().warm === false) return;
  idleAt = computationCount();
  const latest = [...inProgress].filter(({ wasLost }) => !wasLost).sort((a, b) => b.last - a.last);
  if (!latest.every((sliced) => sliced.goOnIdle(left))) awaitIdle();
}

export class Sliced<Result> {
  readonly #begin: () => Steps<Result>;
  #steps: Steps<Result> | null = null;
  /** Gives, or throws, what it gave or threw while the host was idle. */
  #done: (() => Result) | null = null;
  /** Milliseconds that the host was idle for it since it was last asked for. */
  #idled = 0;
  #wasLost = false;
  /** When it was asked for, and for how long it may be left, in computations. */
  #last: number;
  #stale = STALE;

  /** @param since how many programs had run when it might have been asked for before. */
  constructor(begin: () => Steps<Result>, since: number = computationCount()) {
    this.#begin = begin;
    this.#last = since;
  }

  /** True if it was done, and gave way to others: idle time might do so for ever. It is done beside the runs then. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  get last(): number {
    return this.#last;
  }

  /**
   * The result in an object; null if there are more steps, or others have to end first. Takes steps for some milliseconds, at least one. If the
   * host was idle since it was last asked for, it takes fewer, by as many milliseconds as were taken then, and none if those were half of it.
   * @throws what a step has thrown; then it is begun anew.
   */
  goOn(milliseconds: number): { readonly result: Result } | null {
    const before = this.#last;
    this.#last = computationCount();
    const result = this.#done;
    if (result !== null) {
      this.drop();
      this.#wasLost = false;
      return { result: result() };
    }
    const mayWait = Number.isFinite(milliseconds);
    let left = milliseconds - this.#idled;
    this.#idled = 0;
    if (this.#steps === null) {
      if (!makesRoom(this.#last) && mayWait) {
        awaitIdle();
        return null;
      }
      this.#steps = this.#begin();
      inProgress.add(this);
      if (mayWait && wasIdleSince(before) && !this.#wasLost) left = -1;
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

  /** Takes steps while some milliseconds are left; true if there are no more. What it throws is thrown when it is asked for. */
  goOnIdle(left: Left): boolean {
    const begin = now();
    try {
      const gone = this.#stepsWhile(() => left() > 0);
      this.#idled += now() - begin;
      if (gone === null) return false;
      this.#end(() => gone.result);
    } catch (error) {
      this.#end(() => {
        throw error;
      });
    }
    return true;
  }

  #end(result: () => Result): void {
    this.drop();
    this.#done = result;
    done.add(this);
    const [oldest] = done;
    if (done.size > MOST_DONE) oldest?.giveWay();
  }

  #stepsWhile(isTime: () => boolean): { readonly result: Result } | null {
    try {
      do {
        const step = this.#steps?.next();
        // It was dropped by a watcher that clears the caches.
        if (step === undefined) return null;
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
    this.#wasLost = this.#done !== null;
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
    done.delete(this);
  }
}

/** True if one more may begin: others that were left for long give way. */
function makesRoom(count: number): boolean {
  for (const other of inProgress) if (other.isLeft(count)) other.giveWay();
  return inProgress.size < MOST;
}

/**
 * Remembers what a loop makes while its writes wait to be computed, and nothing has read: a log of each round, a state that is made anew of
 * what is written. It is computed with the writes (`alias/flush.ts`) or with what is read next (`written.ts`). Later, all states that were
 * written over would be needed for it.
 */
import { later } from "../../threads/host.ts";
import { hasStandIns, tracing } from "../../tracing.ts";
import type { Value } from "../../value.ts";
import { isPending, isUnread } from "../extract/lately.ts";
import { isSmall } from "./holding.ts";

/** At most so many values are remembered while writes wait. */
const MOST_MADE = 4_096;
/**
 * A small result is logged, or it took little. Of others only so many are taken, the last: a state that each round makes anew is among them,
 * and of what rounds make and nobody will read few.
 */
const MOST_LARGE = 4;
/** The same between updates: averages of all parameters. */
const MOST_AVERAGES = 1_024;
/** After so many computations without an update a training is over. */
const MOST_BETWEEN = 256;
/** So many are remembered beyond a computation that was of something else. */
const MOST_LEFT = 256;
/** Milliseconds after which they are let go of, where the program yields. */
const KEPT = 1_000;

/** The values of tensors that were made since a write waits; null while none does. */
let made: Value[] | null = null;
let isTimed = false;
/** How many computations may still come before the next update. */
let left = 0;

/** True while an update of an optimizer, or a recorded step, may follow. To be asked once for each computation. */
export const isBetweenUpdates = (): boolean => left > 0 && left-- > 0;

/** To be called after an update. */
export function watchBetweenUpdates(): void {
  if (tracing !== null) return;
  left = MOST_BETWEEN;
  watchMade();
}

/** To be called when a write begins to wait. */
export function watchMade(): void {
  made ??= [];
  if (!isTimed) forgetLater();
}

/** What was made holds what it is made of. A program that waits for its next request must not keep that for ever. */
function forgetLater(): void {
  isTimed = true;
  later(() => {
    isTimed = false;
    left = 0;
    made = null;
  }, KEPT);
}

/** To be called with the value of every tensor that is made. */
export function noteMade(value: Value): void {
  if (made === null || made.length === MOST_MADE || tracing !== null || hasStandIns()) return;
  if (isPending(value)) made.push(value);
}

/** Those that nothing has read yet, derivatives left to their backward passes. What views show follows their tensor. The watch ends. */
export function takeMade(mostLarge: number = MOST_LARGE): readonly Value[] {
  if (tracing !== null) return [];
  const found: Value[] = [];
  let large = 0;
  for (const value of made?.reverse() ?? [])
    if (value.step === null && !value.isView && isUnread(value) && (isSmall(value) || large++ < mostLarge))
      found.push(value);
  made = null;
  return found.reverse();
}

/** The same for an update. */
export const takeMadeBetween = (): readonly Value[] => takeMade(MOST_AVERAGES);

/** Goes on with the watch after a computation, while writes wait or may follow: some of what was taken may not have been computed. */
export function leaveMade(taken: readonly Value[]): void {
  made = [...taken.filter(isUnread).slice(-MOST_LEFT), ...(made ?? [])];
}

export function clearMade(): void {
  made = null;
  left = 0;
}

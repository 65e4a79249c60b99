import { dtypes, elementCount } from "@fuseau/ir";
import { later } from "../threads/host.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import type { Value } from "../value.ts";

/** Uncomputed values of tensors that were made lately, while `unread.ts` looks at them. */
export const lately = new Set<Value>();

/** To be called after a computation: results are not held here. */
export function dropStored(): void {
  for (const value of lately) if (value.storage !== null) lately.delete(value);
}

/** True if a tensor stands for it, and nothing that was recorded reads it. */
export const isUnread = ({ storage, inputs, handles, uses }: Value): boolean =>
  storage === null && inputs.length > 0 && handles > 0 && uses === 0;

/** At most so many values are remembered while writes wait. */
const MOST_MADE = 4_096;
/**
 * A result of at most so many bytes is small: it is logged, or it took little. Of others only so many are taken, the last: a state that each
 * round makes anew is among them, and of what rounds make and nobody will read few.
 */
const [SMALL, MOST_LARGE] = [4_096, 4];

/** So many are remembered beyond a computation that was of something else. */
const MOST_LEFT = 256;
/** Milliseconds after which they are let go of, where the program yields. */
const KEPT = 1_000;

/** The values of tensors that were made since a write waits; null while none does. */
let made: Value[] | null = null;
let isTimed = false;

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
    made = null;
  }, KEPT);
}

/** To be called with the value of every tensor that is made. */
export function noteMade(value: Value): void {
  if (made === null || tracing !== null || hasStandIns()) return;
  if (value.storage !== null || value.inputs.length === 0) return;
  if (made.length < MOST_MADE) made.push(value);
}

/** Those that nothing has read yet, derivatives left to their backward passes. The watch ends. */
export function takeMade(): readonly Value[] {
  const found: Value[] = [];
  let large = 0;
  for (const value of made?.reverse() ?? [])
    if (value.step === null && isUnread(value) && (isSmall(value) || large++ < MOST_LARGE)) found.push(value);
  made = null;
  return found.reverse();
}

/** Goes on with the watch after a computation, while writes wait: some of what was taken may not have been computed. */
export function leaveMade(taken: readonly Value[]): void {
  const left = taken.filter(isUnread);
  if (left.length > 0) made = [...left.slice(-MOST_LEFT), ...(made ?? [])];
}

const isSmall = ({ node: { shape, dtype } }: Value): boolean =>
  elementCount(shape) * dtypes[dtype].bytes <= SMALL;

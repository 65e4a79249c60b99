/** Runs that can be repeated, so that what they gave may be forgotten. docs/memory.md has the reasons. */
import type { Storage } from "../storage.ts";

/** A run that gives the same results each time. */
export interface Repeatable {
  readonly operands: readonly Storage[];
  /** What it takes when the operands are at hand, in bytes moved. */
  readonly cost: number;
  /** Its results, by position, so far as they are forgotten. */
  readonly forgotten: Map<number, Storage>;
  /** Runs once more. @throws RangeError when memory is out; ThreadError. */
  repeat(): readonly Storage[];
}

/** What repeating a run takes, operands that are forgotten included; more than `most` is not counted. */
export function costOf({ operands, cost }: Repeatable, most: number): number {
  let total = cost;
  for (const operand of operands) {
    if (total > most) break;
    total += operand.restoringCost(most - total);
  }
  return total;
}

/** What may be spent on computing a forgotten result again: so many moves of its bytes, or some ten milliseconds. */
const LEAST_MOVES = 96;
const MOST_MOVES = 16 * LEAST_MOVES;
const LEAST_ALLOWANCE = 2 ** 26;

/** What the forgotten results took, in bytes moved, since one was wanted again. */
let unwanted = 0;

/** A result of a run that takes so much is forgotten. */
export function noteForgotten(cost: number): void {
  unwanted += cost;
}

/** A forgotten result is wanted again. */
export function noteWanted(): void {
  unwanted = 0;
}

/**
 * The longer nothing forgotten is wanted, the more it may cost: at most what was computed meanwhile, so that coming back at most doubles
 * the time of a program. Hence a loop that only overwrites its result copies ever fewer of them to the heap.
 */
export const allowanceFor = (bytes: number): number =>
  Math.max(LEAST_ALLOWANCE, Math.min(Math.max(LEAST_MOVES * bytes, unwanted), MOST_MOVES * bytes));

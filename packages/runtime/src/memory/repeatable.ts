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
const MOST_MOVES = 96;
const LEAST_ALLOWANCE = 2 ** 26;

export const allowanceFor = (bytes: number): number => Math.max(MOST_MOVES * bytes, LEAST_ALLOWANCE);

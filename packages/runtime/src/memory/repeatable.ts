/** Runs that can be repeated, so that their results may be forgotten. docs/memory.md has the reasons. */
import type { Storage } from "../storage.ts";

/** A run that gives the same results each time. */
export interface Repeatable {
  readonly operands: readonly Storage[];
  /** The cost in bytes moved, if the operands are stored. */
  readonly cost: number;
  /** Its forgotten results, by position. */
  readonly forgotten: Map<number, Storage>;
  /**
   * Runs it once more.
   * @throws RangeError when memory is out; ThreadError.
   */
  repeat(): readonly Storage[];
}

/** The cost of repeating a run, forgotten operands included. Counting stops above `most`. */
export function costOf({ operands, cost }: Repeatable, most: number): number {
  let total = cost;
  for (const operand of operands) {
    if (total > most) break;
    total += operand.restoringCost(most - total);
  }
  return total;
}

/** The most that computing a forgotten result again may cost: a multiple of its bytes, or some ten milliseconds. */
const LEAST_MOVES = 96;
const MOST_MOVES = 16 * LEAST_MOVES;
const LEAST_ALLOWANCE = 2 ** 26;

/** The cost, in bytes moved, of the results that were forgotten since one was asked for. */
let unwanted = 0;

/** A result was forgotten whose run cost so much. */
export function noteForgotten(cost: number): void {
  unwanted += cost;
}

/** A forgotten result was asked for. */
export function noteWanted(): void {
  unwanted = 0;
}

/**
 * The longer no forgotten result is asked for, the more one may cost: at most as much as was computed in the meantime, so that computing
 * again at most doubles the time of a program. So a loop that only overwrites its result moves ever fewer results to the heap.
 */
export const allowanceFor = (bytes: number): number =>
  Math.max(LEAST_ALLOWANCE, Math.min(Math.max(LEAST_MOVES * bytes, unwanted), MOST_MOVES * bytes));

/** Runs that can be repeated, so that their results may be forgotten. docs/memory.md has the reasons. */
import type { Storage } from "../storage.ts";

/** A run that gives the same results each time. */
export interface Repeatable {
  /** Its place among all such runs, in the order in which they ran first: after those of its operands. */
  readonly place: number;
  readonly operands: readonly Storage[];
  /** The cost in bytes moved, if the operands are stored. */
  readonly cost: number;
  /** Its forgotten results, by position. */
  readonly forgotten: Map<number, Storage>;
  /** The last walk that has met it. */
  walk: number;
  /**
   * Runs it once more.
   * @throws RangeError when memory is out; ThreadError.
   */
  repeat(): readonly Storage[];
}

let walks = 0;

/**
 * The cost of repeating a run, forgotten operands included. A run that several others need is repeated once for all of them, and counts
 * once. Counting stops above `most`.
 */
export function costOf(run: Repeatable, most: number): number {
  let total = 0;
  for (const { cost } of needed(run)) {
    total += cost;
    if (total > most) break;
  }
  return total;
}

/**
 * The runs to repeat for one run, itself included, in the order in which they ran first: what one of them needs is there, and no more has to
 * be held than the program had then.
 */
export const runsFor = (run: Repeatable): Repeatable[] =>
  [...needed(run)].sort((one, other) => one.place - other.place);

/** A run and those that gave what it needs and is forgotten, each once. */
function* needed(run: Repeatable): Generator<Repeatable, void> {
  const walk = ++walks;
  const found = [run];
  run.walk = walk;
  for (let next = found.pop(); next !== undefined; next = found.pop()) {
    yield next;
    for (const { forgottenBy } of next.operands) {
      if (forgottenBy === null || forgottenBy.walk === walk) continue;
      forgottenBy.walk = walk;
      found.push(forgottenBy);
    }
  }
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
  unwanted = held = heldSince = 0;
}

/** What a result may cost while others move to the heap, and what was unwanted when the last one did. */
let held = 0;
let heldSince = 0;

/**
 * A result moves to the heap since it would cost more than `allowance`. Several states that read each other have one long chain, which ends
 * only when all of them have moved. Until then the allowance must not grow: it would grow as fast as the chain, and one of them would move
 * in every step.
 */
export function noteTooLong(allowance: number): void {
  if (!isHeld()) held = allowance;
  heldSince = unwanted;
}

/** An allowance is held until a quarter of it was forgotten and nothing moved meanwhile. */
const isHeld = (): boolean => unwanted - heldSince < held / 4;

/**
 * The longer no forgotten result is asked for, the more one may cost: at most as much as was computed in the meantime, so that computing
 * again at most doubles the time of a program. So a loop that only overwrites its result moves ever fewer results to the heap.
 */
export const allowanceFor = (bytes: number): number =>
  Math.max(
    LEAST_ALLOWANCE,
    Math.min(Math.max(LEAST_MOVES * bytes, isHeld() ? held : unwanted), MOST_MOVES * bytes),
  );

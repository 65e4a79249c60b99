/**
 * Predicts the next program. A loop computes the same programs in the same order. So the program that followed the last one before is
 * compared first with what was recorded, from the results down: nothing is hashed, looked up or decided again. If it is the program that
 * a walk would have found, it runs; otherwise a walk follows.
 */
import type { Held } from "../cache/lru.ts";
import { numberOf } from "../record.ts";
import type { Storage } from "../storage.ts";
import { bareOf, type Value } from "../value.ts";
import type { Extraction } from "./extract.ts";
import type { Purpose } from "./families.ts";
import { noteInside } from "./keep.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { numbers } from "./places.ts";
import type { Executable } from "./programs.ts";
import { run } from "./run.ts";
import { isScalar } from "./scalars.ts";

/** A program, or those of a line of sizes: what it is known by, and what comes after it. */
export class Expected {
  /** What came after it, the last one first. */
  readonly next: Expected[] = [];
  /** What it is known by; null where it is not compared. */
  outline: Outline | null = null;
  /** How often it was computed without being expected, since it last was. */
  found = 0;
  isCached = true;
  /** What was written, and may read what it keeps, is not computed with it. */
  isAlone = false;
  readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}

/** Where the program that is expected comes from. */
export interface Source {
  readonly purpose: Purpose;
  /** Its place in a cache. */
  held: Held<number, unknown> | null;
  /** The program of that size, which the outline tells; of one that has one size, it. Null where there is none. */
  at(size: number): Executable | null;
  /** It is used, and a hit. */
  use(): void;
}

/** Programs that are tried after one. */
const MOST_NEXT = 4;
/** Times that a program is computed without having been as expected before it is no longer compared. */
const PATIENCE = 16;

/** The program that was computed last. */
let last: Expected | null = null;

let count = 0;

/** How many programs were run as they were expected. */
export const expectedCount = (): number => count;

/** The programs that followed it. */
export const followers = (): readonly Expected[] => (last === null ? none : last.next);

const none: readonly Expected[] = [];

/** It is the k-th of them now. */
export function noteExpected(k: number): void {
  const { next } = last as Expected;
  const expected = next[k] as Expected;
  if (k > 0) {
    next.splice(k, 1);
    next.unshift(expected);
  }
  last = expected;
}

/** What it was is no longer cached: nothing is to be kept for its sake. */
export function noLongerExpected(own: Expected): void {
  own.next.length = 0;
  own.outline = null;
  own.isCached = false;
}

/** To be called before a program is run that was not expected. */
export function noteUnexpected(
  extraction: Extraction,
  asked: number,
  executable: Executable,
  isAlone: boolean,
): void {
  const before = last;
  const own = executable.expected;
  own.isAlone = isAlone;
  last = own;
  // At its first time it is not known that it will come again.
  if (own.found++ === 0 || before === null || !own.isCached) return;
  own.outline = own.found < PATIENCE ? outlineOf(extraction, asked, executable) : null;
  const { next } = before;
  const at = next.indexOf(own);
  if (at >= 0) next.splice(at, 1);
  if (own.outline === null || !before.isCached) return;
  next.unshift(own);
  if (next.length > MOST_NEXT) next.pop();
}

/** Runs a program with the values that are `outlinedBy` it, and gives them their elements. */
export function runExpected({ outline }: Expected, executable: Executable, order: readonly Value[]): void {
  const { outputs, bare, givens, scalars: lifted, known } = outline as Outline;
  executable.expected.found = 1;
  count++;
  const given = new Array<Storage>(givens);
  const scalars = lifted === 0 ? nothing : new Array<number | bigint>(lifted);
  let [stored, next] = [0, 0];
  for (let k = 0; stored < givens || next < lifted; k++) {
    const value = order[k] as Value;
    const { storage, node } = value;
    if (storage !== null) given[stored++] = storage;
    else if (isScalar(node)) scalars[next++] = node.op === "scalar" ? numberOf(value) : node.attributes.value;
  }
  const results = run(executable, { given, scalars, numbers });
  noteInside(order, known, () => executable.recorded);
  for (let k = 0; k < outputs.length; k++) {
    const value = order[outputs[k] as number] as Value;
    value.settle(results[k] as Storage, bare[k] ?? bareOf(value.node));
  }
}

const nothing: (number | bigint)[] = [];

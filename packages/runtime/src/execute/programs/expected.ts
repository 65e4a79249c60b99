/**
 * Predicts the next program. A loop computes the same programs in the same order. So the programs that followed the last one before are
 * compared first with what was recorded, from the results down. Nothing is hashed or looked up for that, and nothing is decided again. If
 * one of them is the program that a walk would have found, it runs. Otherwise a walk follows.
 */
import type { Point } from "@fuseau/compiler";
import type { Held } from "../../cache/lru.ts";
import type { Options } from "../../options.ts";
import { numberOf } from "../../record.ts";
import type { Storage } from "../../storage.ts";
import { bareOf, type Value } from "../../value.ts";
import type { Extraction } from "../extract/extract.ts";
import { noteInside } from "../extract/keep.ts";
import { noteKept } from "../extract/lessons.ts";
import { isScalar } from "../places/scalars.ts";
import { numbers } from "../places/slots.ts";
import type { Executable } from "./executable.ts";
import { type Outline, outlineOf } from "./outline.ts";
import type { Purpose } from "./purpose.ts";
import { run } from "./run.ts";

/** A program, or all programs of a surface of sizes, with what is needed to recognise it and the programs that followed it. */
export class Expected {
  /** The programs that followed it, the latest first. */
  readonly next: Expected[] = [];
  /** What recorded values are compared with; null where they are not compared. */
  outline: Outline | null = null;
  /** How often it was computed without being predicted, since it last was. */
  found = 0;
  isCached = true;
  /** Pending writes that may read what it keeps are not computed with it. */
  isAlone = false;
  source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}

/** Where an expected program comes from. */
export interface Source {
  readonly purpose: Purpose;
  /** Its entry in the cache. */
  held: Held<number, unknown> | null;
  /** The program for the free sizes that were read with the outline; a program without any ignores them. Null where there is none. */
  at(point: Point, options: Options): Executable | null;
  /** Counts a use, and a hit, in the cache. */
  use(): void;
}

/** At most so many followers are remembered for each program. */
const MOST_NEXT = 4;
/** A program that was computed so many times without being predicted is no longer compared. */
const PATIENCE = 16;

/** The program that was computed last. */
let last: Expected | null = null;

let count = 0;

/** How many runs were predicted. */
export const expectedCount = (): number => count;

/** The programs that followed the last one. */
export const followers = (): readonly Expected[] => (last === null ? none : last.next);

const none: readonly Expected[] = [];

/** A follower is computed: it becomes the first one, and the last program. It, or the last one, may have been dropped from its cache. */
function noteExpected(expected: Expected): void {
  const next = last?.next ?? [];
  const at = next.indexOf(expected);
  if (at > 0) {
    next.splice(at, 1);
    next.unshift(expected);
  }
  last = expected;
}

/** The program was dropped from its cache, so nothing is kept for it: programs that it followed may know it for long. */
export function noLongerExpected(own: Expected): void {
  own.next.length = 0;
  own.outline = null;
  own.isCached = false;
  own.source = nowhere();
}

const nowhere = (): Source => ({
  purpose: { asked: undefined, fusion: "on", limits: undefined, donated: [] },
  held: null,
  at: () => null,
  use: () => {},
});

/** To be called before a program runs that was not predicted. */
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
  // A program that runs for the first time may never come again, so no outline is made of it.
  if (executable.finishing !== null) own.found = 0;
  if (own.found++ === 0 || before === null || !own.isCached) return;
  own.outline = own.found < PATIENCE ? outlineOf(extraction, asked, executable) : null;
  const { next } = before;
  const at = next.indexOf(own);
  if (at >= 0) next.splice(at, 1);
  if (own.outline === null || !before.isCached) return;
  next.unshift(own);
  if (next.length > MOST_NEXT) next.pop();
}

/**
 * Runs a predicted program. `order` is from `outlinedBy`, and of that outline: to bind the program may have dropped it from its cache. The values
 * asked for get their elements.
 */
export function runExpected(
  expected: Expected,
  { asked, outputs, bare, givens, scalars: lifted, known }: Outline,
  executable: Executable,
  order: readonly Value[],
): void {
  noteExpected(expected);
  executable.expected.found = 1;
  count++;
  const given = new Array<Storage>(givens);
  const scalars = lifted === 0 ? nothing : new Array<number | bigint>(lifted);
  let [stored, next] = [0, 0];
  for (let k = 0; stored < givens || next < lifted; k++) {
    const value = order[k] as Value;
    const { storage } = value;
    if (storage !== null) given[stored++] = storage;
    else if (isScalar(value))
      scalars[next++] = value.node.op === "scalar" ? numberOf(value) : value.node.attributes.value;
  }
  const results = run(executable, { given, scalars, numbers });
  noteInside(order, known, () => executable.recorded);
  for (let k = 0; k < outputs.length; k++) {
    const value = order[outputs[k] as number] as Value;
    if (k >= asked) noteKept(value);
    value.settle(results[k] as Storage, bare[k] ?? bareOf(value.node));
  }
}

const nothing: (number | bigint)[] = [];

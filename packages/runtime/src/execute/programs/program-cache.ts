/** Caches compiled programs by the recorded graph. A repeated expression skips every pass. */
import { opOf, sameNumbers, showShape } from "@fuseau/ir";
import { type CacheCounters, type Held, LruCache } from "../../cache/lru.ts";
import { type Options, watchOptions } from "../../options.ts";
import type { CacheEvent } from "../../watch/event.ts";
import { watching } from "../../watch/watching.ts";
import { type Extraction, matches, record } from "../extract/extract.ts";
import { computationCount } from "../extract/keep.ts";
import { type Compiled, type Executable, goOn } from "./executable.ts";
import { Expected, noLongerExpected } from "./expected.ts";
import { differenceFromNearest } from "./nearest.ts";
import { noteDonors, withMoreDonors } from "./other-donors.ts";
import { isFor, sameLimits } from "./purpose.ts";

export const DEFAULT_LIMIT = 16_384;
export const DEFAULT_BYTES = 2 ** 26;
const programs = new LruCache<number, Executable>(({ expected }) => {
  noLongerExpected(expected);
  droppedAt = computationCount();
});
watchOptions(({ programCacheLimit = DEFAULT_LIMIT, programBytesLimit = DEFAULT_BYTES }) =>
  programs.setLimits(programCacheLimit, programBytesLimit),
);

let droppedAt = Number.NEGATIVE_INFINITY;
/** There is no room for more programs for so many computations after one was dropped. */
const CROWDED = 1_024;

/** True if a program was dropped lately, for lack of room. */
export const isCrowded = (): boolean => computationCount() - droppedAt < CROWDED;

/**
 * The program that was compiled for the extraction. If none was, and it `mayCopy`, one that overwrites more inputs, which is to be run
 * `withCopies`.
 */
export function cachedFor(extraction: Extraction, options: Options, mayCopy: boolean): Executable | null {
  const found = programs.find(
    extraction.hash,
    (known) =>
      isFor(known, options) &&
      sameNumbers(known.donated, extraction.donated) &&
      matches(extraction, known.recorded),
  );
  const cached = found ?? (mayCopy ? withMoreDonors(extraction, (known) => isFor(known, options)) : null);
  if (cached === null) return null;
  if (found !== undefined) tellHit(extraction, "the very program was compiled before");
  else noteTaken(extraction, "compiled before with more inputs to write over, which are copied");
  if (cached.finishing !== null) weighMore(cached, goOn(cached));
  return cached;
}

/** What was made, with what followed it when it last ran. */
function withExpected(made: Omit<Executable, "expected">): Executable {
  const { asked, fusion, limits, donated } = made;
  const executable: Executable = Object.assign(made, {
    expected: new Expected({
      purpose: { asked, fusion, limits, donated },
      held: null,
      at: () => (executable.finishing === null ? executable : null),
      use() {
        if (this.held !== null) programs.use(this.held as Held<number, Executable>);
      },
    }),
  });
  return executable;
}

/** A program that was made anew holds so many bytes more. */
function weighMore({ expected: { source, isCached } }: Executable, bytes: number): void {
  if (source.held !== null && isCached) programs.grow(source.held as Held<number, Executable>, bytes);
}

/** Keeps what was compiled for the extraction, which takes so many bytes. */
export function keep(extraction: Extraction, { made, bytes }: Compiled): Executable {
  const executable = withExpected(made);
  executable.expected.source.held = programs.add(extraction.hash, executable, bytes);
  noteDonors(extraction, executable);
  return executable;
}

/** Lookups that missed, and were answered without a compilation. */
let taken = 0;

/** To be told of such an answer. `why` is for watchers, if they are to be told too. */
export function noteTaken(extraction: Extraction, why: string | null): void {
  taken++;
  if (why !== null) tellHit(extraction, why);
}

function tellHit(extraction: Extraction, why: string): void {
  if (watching !== null) watching(lookedUp(extraction, true, why));
}

/** Tells watchers that no program was found, and why. */
export function tellMiss(extraction: Extraction, options: Options): void {
  if (watching !== null) watching(lookedUp(extraction, false, whyMissed(extraction, options)));
}

/** The event that describes a cache lookup, for watchers. */
function lookedUp(extraction: Extraction, hit: boolean, why: string): CacheEvent {
  const results = extraction.wanted.map(({ node }) => `${node.dtype}${showShape(node.shape)} ${opOf(node)}`);
  return {
    kind: "cache",
    cache: "programs",
    hit,
    of: `${extraction.order.length} nodes for ${results.join(", ")}`,
    why,
  };
}

function whyMissed(extraction: Extraction, { emitter, fusion = "on", limits }: Options): string {
  const known = programs.peek(extraction.hash);
  if (known === undefined)
    return (
      differenceFromNearest(record(extraction)) ?? "no such graph was compiled before, or it was forgotten"
    );
  if (!matches(extraction, known.recorded)) return "another graph has its hash";
  if (known.asked !== emitter) return `compiled before for emitter ${known.asked ?? "by choice"}`;
  if (known.fusion !== fusion) return `compiled before with fusion "${known.fusion}"`;
  if (!sameLimits(known.limits, limits)) return "compiled before under other limits";
  return "compiled before with other inputs to write over";
}

/** A miss is a compilation, or a first run. */
export function cacheCounters(): CacheCounters {
  const counters = programs.counters();
  return { ...counters, hits: counters.hits + taken, misses: counters.misses - taken };
}

export function clearProgramCache(): void {
  programs.clear();
  droppedAt = Number.NEGATIVE_INFINITY;
}

/** Caches compiled programs by the recorded graph. A repeated expression skips every pass. */
import type { Program } from "@fuseau/compiler";
import { elementCount, InternalError, opOf, sameNumbers, showShape } from "@fuseau/ir";
import { backendNamed } from "../backends/backends.ts";
import { type CacheCounters, type Held, LruCache } from "../cache/lru.ts";
import { type Options, watchOptions } from "../options.ts";
import { isSaving } from "../saved/saved.ts";
import type { Value } from "../value.ts";
import type { CacheEvent } from "../watch/event.ts";
import { watching } from "../watch/watching.ts";
import { executableAt, sourceOf } from "./bound.ts";
import { clearByColumns } from "./by-columns.ts";
import { clearChoices, noteChoices } from "./choices.ts";
import { SHORT } from "./costs.ts";
import {
  compiledFor,
  compileOptions,
  type Executable,
  goOn,
  kernelsOf,
  type LateExecutable,
  lookUp,
  mayBeFirstRun,
  purposeOf,
  wholeInSteps,
} from "./executable.ts";
import { Expected, followers, noLongerExpected, noteExpected, runExpected } from "./expected.ts";
import { type Extraction, matches, record } from "./extract.ts";
import {
  clearFamilies,
  expectedLateCount,
  instanceOf,
  type Member,
  memberOf,
  noteDropped,
  noteSingle,
  noteSizes,
  type Purpose,
  sameLimits,
  setFamilyLimits,
} from "./families.ts";
import { noteFault } from "./faults.ts";
import { clearFirstRuns, type FirstRuns, firstRuns, firstRunsOf, noteFirstRun } from "./first-runs.ts";
import { clearNearest, differenceFromNearest } from "./nearest.ts";
import { clearOps, isQuickOpByOp, type Plan, planOf } from "./op-by-op.ts";
import { clearDonors, noteDonors, withMoreDonors } from "./other-donors.ts";
import { arePlaced, outlinedBy, pointIn } from "./outline.ts";
import { resetPlaces } from "./places.ts";
import { clearSlices } from "./slices.ts";
import { clearStaged } from "./staged.ts";
import { clearTrials, type Trial } from "./trials.ts";

const DEFAULT_LIMIT = 16_384;
const DEFAULT_BYTES = 2 ** 26;
/** Families hold the graphs of programs that came once and are not kept. */
const OF_FAMILIES = 1 / 4;
const programs = new LruCache<number, Executable>(({ expected }) => {
  noLongerExpected(expected);
  noteDropped();
});
watchOptions(({ programCacheLimit = DEFAULT_LIMIT, programBytesLimit = DEFAULT_BYTES }) => {
  programs.setLimits(programCacheLimit, programBytesLimit);
  setFamilyLimits(programCacheLimit, programBytesLimit * OF_FAMILIES);
});

/** Runs the expected program if it computes `wanted`, alone or together with pending writes. False if no expected program does. */
export function computeExpected(
  wanted: readonly Value[],
  written: readonly Value[],
  options: Options,
): boolean {
  const next = watching === null ? followers() : none;
  for (let k = 0; k < next.length; k++) {
    const expected = next[k] as Expected;
    const { outline, source } = expected;
    if (outline === null || !isFor(source.purpose, options)) continue;
    const { asked, outputs } = outline;
    const isAll = written.length > 0 && asked === wanted.length + written.length;
    if (!isAll && written.length > 0 && outputs.length > asked && !expected.isAlone) continue;
    const order = outlinedBy(outline, isAll ? [...wanted, ...written] : wanted);
    if (order === null) continue;
    const point = outline.sizes === null ? none : pointIn(outline, order);
    if (point === null) continue;
    try {
      const executable = arePlaced(outline, order, point) ? source.at(point, options) : null;
      if (executable === null) continue;
      if (executable.late !== null && !givesResultsOf(order, outline.outputs, executable.late)) continue;
      source.use();
      noteExpected(k);
      runExpected(expected, executable, order);
      return true;
    } finally {
      if (outline.places !== null) resetPlaces();
    }
  }
  return false;
}

const none: readonly never[] = [];

const isFor = (known: Purpose, { emitter, fusion = "on", limits }: Options): boolean =>
  known.asked === emitter && known.fusion === fusion && sameLimits(known.limits, limits);

/** A program that is new, or has come a few times, and is to run op by op. */
export interface FirstRun {
  readonly plan: Plan;
  /** To be told how many milliseconds it took. */
  noteRun(milliseconds: number): void;
}

/**
 * The executable for an extraction: the cached one if it is exactly the same program, else a new one. With `isSplit` it may be one that
 * overwrites more inputs, and is to be run `withCopies`, or a first run. If it would have to be compiled for these sizes alone, and `isSplit`
 * says that it is computed in parts instead, the result is null.
 */
export function executableFor(extraction: Extraction, options: Options): Executable;
export function executableFor(
  extraction: Extraction,
  options: Options,
  isSplit: IsSplit,
  trial: Trial | null,
): Executable | FirstRun | null;
export function executableFor(
  extraction: Extraction,
  options: Options,
  isSplit: IsSplit = never,
  trial: Trial | null = null,
): Executable | FirstRun | null {
  const asked = options.emitter;
  const found = programs.find(
    extraction.hash,
    (known) =>
      isFor(known, options) &&
      sameNumbers(known.donated, extraction.donated) &&
      matches(extraction, known.recorded),
  );
  if (found !== undefined) {
    tellHit(extraction, "the very program was compiled before");
    if (found.begins) weighMore(found, goOn(found));
    return found;
  }
  const other = isSplit === never ? null : withMoreDonors(extraction, (known) => isFor(known, options));
  if (other !== null) {
    taken++;
    tellHit(extraction, "compiled before with more inputs to write over, which are copied");
    if (other.begins) weighMore(other, goOn(other));
    return other;
  }

  // An unknown emitter is the caller's mistake. It is checked here, since within compile it would look like a fault of ours.
  if (asked !== undefined) backendNamed(asked);
  const purpose = purposeOf(extraction, options);
  const member = memberOf(extraction, purpose);
  const look = isSaving() ? lookUp(extraction, options) : null;
  const mayBegin = isSplit !== never && look === null && mayBeFirstRun(options);
  const planned = (): Plan | null =>
    mayBegin && mayRunOpByOp(extraction, options) ? planOf(extraction) : null;
  const tried = trial === null ? null : planned();
  if (tried === null && look?.saved == null && member.family?.isInParts === true && isSplit(member)) {
    taken++;
    tellHit(extraction, "computed in parts");
    return null;
  }
  const instance =
    look?.saved != null
      ? null
      : instanceOf(
          member,
          () => compileOptions(options, purpose),
          (program) => kernelsOf(program, purpose.asked),
          sourceOf,
        );
  const bound = instance === null ? null : executableAt(instance.late, instance.point);
  if (bound !== null && givesResultsOf(extraction.wanted, null, bound.late)) {
    taken++;
    tellHit(extraction, "a program of many sizes");
    return bound;
  }
  const runs = firstRunsOf(extraction, purpose);
  let compiled: Program | "now" | null = null;
  /** True if it runs op by op once more. */
  const isFirst = (): boolean => {
    compiled = runs?.comesAgain(() => wholeInSteps(record(extraction), purpose, options)) ?? null;
    // It was counted as a miss when it first ran.
    if (compiled === null && runs !== undefined) taken++;
    return compiled === null;
  };
  if (tried !== null && isFirst()) return firstRun(extraction, purpose, member, tried, runs, trial);
  if (compiled === null && look?.saved == null && isSplit(member)) {
    taken++;
    tellHit(extraction, "computed in parts");
    return null;
  }
  if (watching !== null) watching(lookedUp(extraction, false, whyMissed(extraction, options)));
  const plan = tried === null ? planned() : null;
  if (plan !== null && isFirst()) return firstRun(extraction, purpose, member, plan, runs, trial);
  if (runs !== undefined) taken++;
  const whole = compiled === "now" ? null : compiled;
  const { made, bytes } = compiledFor(extraction, options, look, mayBegin && runs === undefined, whole);
  const executable = withExpected(made);
  noteSingle(member, executable.recorded, purpose);
  if (isSplit === never) noteChoices(extraction.order);
  if (runs !== undefined) executable.expected.found = 1;
  keep(extraction, executable, bytes);
  return executable;
}

function firstRun(
  extraction: Extraction,
  purpose: Purpose,
  member: Member,
  plan: Plan,
  known: FirstRuns | undefined,
  trial: Trial | null,
): FirstRun {
  const runs = known ?? noteFirstRun(extraction, purpose);
  const family = known === undefined ? noteSizes(member, () => record(extraction), purpose) : member.family;
  return {
    plan,
    noteRun(milliseconds) {
      const lost = runs.noteRun(milliseconds, plan.ops.length + plan.within.size, plan.elements);
      if (family !== null) family.lost += lost;
      if (trial !== null) trial.lost += lost;
    },
  };
}

/**
 * The first programs of a process do not run op by op if they are short: V8 has to compile functions of the compiler too, and a whole program
 * needs fewer of them than its ops do.
 */
const EARLY = 2;
let firsts = 0;

const mayRunOpByOp = ({ order }: Extraction, options: Options): boolean =>
  isOpByOpFor(options) && !(order.length <= SHORT && ++firsts <= EARLY);

/** True if new programs run op by op: an emitter or limits that are asked for are of whole programs. */
const isOpByOpFor = ({ emitter, fusion = "on", limits }: Options): boolean =>
  firstRuns.areOpByOp && emitter === undefined && fusion === "on" && limits === undefined;

/** True if a recording may be tried op by op. If not, its parts are looked for. */
export const mayBeTried = ({ order }: Extraction, options: Options): boolean =>
  !isSaving() && mayBeFirstRun(options) && isOpByOpFor(options) && isQuickOpByOp(order);

/** True if the extraction, a member of a family or of none, is computed in parts. */
type IsSplit = (member: Member) => boolean;

const never: IsSplit = () => false;

function withExpected(made: Omit<Executable, "expected">): Executable {
  const { asked, fusion, limits, donated } = made;
  const executable: Executable = Object.assign(made, {
    expected: new Expected({
      purpose: { asked, fusion, limits, donated },
      held: null,
      at: () => (executable.begins ? null : executable),
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

/** Keeps a program in the cache. */
function keep(extraction: Extraction, executable: Executable, bytes: number): void {
  executable.expected.source.held = programs.add(extraction.hash, executable, bytes);
  noteDonors(extraction, executable);
}

/** Lookups that missed, and were answered by a program of many sizes, or by computing parts. */
let taken = 0;

/**
 * True if the arrays are as long as the results: the values, or those of them at these positions. This is the last check of a program that
 * was bound to a size: a wrong one would give wrong results silently.
 */
function givesResultsOf(
  values: readonly Value[],
  at: readonly number[] | null,
  { counts }: LateExecutable,
): boolean {
  for (let k = 0; k < counts.length; k++) {
    const { node } = values[at === null ? k : (at[k] as number)] as Value;
    const count = counts[k] as number;
    if (count === -1 || count === elementCount(node.shape)) continue;
    const text = `${node.dtype}${showShape(node.shape)} ${opOf(node)}`;
    noteFault(
      new InternalError("a program of many sizes has a result of another", text),
      "compiles it by itself",
    );
    return false;
  }
  return true;
}

/**
 * A program of its own for these sizes, whatever programs of many sizes there are. Programs that are kept for a later process are made so.
 */
export function executableAlone(extraction: Extraction, options: Options): Executable {
  if (options.emitter !== undefined) backendNamed(options.emitter);
  const { made, bytes } = compiledFor(extraction, options);
  const executable = withExpected(made);
  keep(extraction, executable, bytes);
  return executable;
}

function tellHit(extraction: Extraction, why: string): void {
  if (watching !== null) watching(lookedUp(extraction, true, why));
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

/** A miss is a compilation. An instance of a program with late sizes counts as a hit. */
export function programCounters(): CacheCounters {
  const counters = programs.counters();
  const hits = counters.hits + taken + expectedLateCount();
  return { ...counters, hits, misses: counters.misses - taken };
}
export function clearPrograms(): void {
  programs.clear();
  clearFamilies();
  clearOps();
  clearByColumns();
  clearChoices();
  clearFirstRuns();
  clearTrials();
  clearNearest();
  clearDonors();
  clearStaged();
  clearSlices();
}

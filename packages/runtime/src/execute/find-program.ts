/** Finds what computes a recording: a program that was compiled before, one of many sizes, its ops one by one, or a program that is compiled now. */
import { backendNamed } from "../backends/backends.ts";
import type { CacheCounters } from "../cache/lru.ts";
import type { Options } from "../options.ts";
import { isSaving } from "../saved/saved.ts";
import { type Extraction, record } from "./extract/extract.ts";
import { executableAt, sourceOf } from "./late/bound.ts";
import {
  clearFamilies,
  expectedLateCount,
  instanceOf,
  type Member,
  memberOf,
  noteSingle,
  noteSizes,
} from "./late/families.ts";
import { clearByColumns } from "./op-by-op/by-columns.ts";
import {
  clearFirstRuns,
  type FirstRuns,
  firstRuns,
  firstRunsOf,
  noteFirstRun,
} from "./op-by-op/first-runs.ts";
import { clearOps, isQuickOpByOp, type Plan, planOf } from "./op-by-op/op-by-op.ts";
import { clearTrials, type Trial } from "./op-by-op/trials.ts";
import { clearStaged } from "./parts/staged.ts";
import { clearChoices, noteChoices } from "./places/choices.ts";
import { SHORT } from "./programs/costs.ts";
import {
  compiledFor,
  compileOptions,
  type Executable,
  givesResultsOf,
  kernelsOf,
  lookUp,
  mayBeFirstRun,
  wholeInSteps,
} from "./programs/executable.ts";
import { clearNearest } from "./programs/nearest.ts";
import { clearDonors } from "./programs/other-donors.ts";
import {
  cacheCounters,
  cachedFor,
  clearProgramCache,
  keep,
  noteTaken,
  tellMiss,
} from "./programs/program-cache.ts";
import { type Purpose, purposeOf } from "./programs/purpose.ts";
import { clearSlices } from "./programs/slices.ts";

/** A program that is new, or has come a few times, and is to run op by op. */
export interface FirstRun {
  readonly plan: Plan;
  /** To be told how many milliseconds it took. */
  noteRun(milliseconds: number): void;
}

/** True if the extraction, a member of a family or of none, is computed in parts. */
type IsSplit = (member: Member) => boolean;

const never: IsSplit = () => false;

/**
 * The executable for an extraction: the cached one if it is exactly the same program, else a new one. With `isSplit` it may be one that
 * overwrites more inputs, and is to be run `withCopies`, or a first run. If it would have to be compiled for these sizes alone, and `isSplit`
 * says that it is computed in parts instead, the result is null. While a trial goes on, it runs op by op before it is asked what parts it has.
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
  const cached = cachedFor(extraction, options, isSplit !== never);
  if (cached !== null) return cached;

  // An unknown emitter is the caller's mistake. It is checked here, since within compile it would look like a fault of ours.
  if (options.emitter !== undefined) backendNamed(options.emitter);
  const purpose = purposeOf(extraction, options);
  const member = memberOf(extraction, purpose);
  const look = isSaving() ? lookUp(extraction, options) : undefined;
  const isSaved = look !== undefined && look.saved !== null;
  const mayBegin = isSplit !== never && mayBeFirstRun(options);
  const planned = (): Plan | null =>
    mayBegin && !isSaved && !isSavedAtOnce(extraction) && mayRunOpByOp(extraction, options)
      ? planOf(extraction)
      : null;
  const tried = trial === null ? null : planned();

  if (tried === null && !isSaved && member.family?.isInParts === true && isSplit(member))
    return inParts(extraction);
  const bound = isSaved ? null : boundFor(extraction, member, purpose, options);
  if (bound !== null) return bound;

  const runs = firstRunsOf(extraction, purpose);
  /** The whole if it comes again often enough; null if it runs op by op once more. */
  const whole = () =>
    runs?.comesAgain(extraction, (recorded) => wholeInSteps(recorded, purpose, options)) ?? null;
  let compiled = tried === null ? null : whole();
  if (tried !== null && compiled === null) return firstRun(extraction, purpose, member, tried, runs, trial);
  if (compiled === null && !isSaved && isSplit(member)) return inParts(extraction);
  tellMiss(extraction, options);
  const plan = tried === null ? planned() : null;
  if (plan !== null) {
    compiled = whole();
    if (compiled === null) return firstRun(extraction, purpose, member, plan, runs, trial);
  }

  const isNew = runs === undefined;
  // Another one was counted as a miss when it first ran.
  if (!isNew) noteTaken(extraction, null);
  const program = compiled === "now" ? null : compiled;
  const executable = keep(
    extraction,
    compiledFor(extraction, options, look, mayBegin && isNew && look === undefined, program),
  );
  noteSingle(member, executable.recorded, purpose);
  if (isSplit === never) noteChoices(extraction.order);
  if (!isNew) executable.expected.found = 1;
  return executable;
}

function inParts(extraction: Extraction): null {
  noteTaken(extraction, "computed in parts");
  return null;
}

/** The family's program of many sizes, bound to those of the extraction; null if there is none. */
function boundFor(
  extraction: Extraction,
  member: Member,
  purpose: Purpose,
  options: Options,
): Executable | null {
  const instance = instanceOf(
    member,
    () => compileOptions(options, purpose),
    (program) => kernelsOf(program, purpose.asked),
    sourceOf,
  );
  if (instance === null) return null;
  const bound = executableAt(instance.late, instance.point);
  if (!givesResultsOf(extraction.wanted, null, bound.late)) return null;
  noteTaken(extraction, "a program of many sizes");
  return bound;
}

function firstRun(
  extraction: Extraction,
  purpose: Purpose,
  member: Member,
  plan: Plan,
  known: FirstRuns | undefined,
  trial: Trial | null,
): FirstRun {
  // It was counted as a miss when it first ran.
  if (known !== undefined) noteTaken(extraction, null);
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

/** True of a short program whose like a later process finds if it is compiled now. Longer ones are saved when they have come often enough. */
const isSavedAtOnce = ({ order }: Extraction): boolean => isSaving() && order.length <= SHORT;

/** True if new programs run op by op: an emitter or limits that are asked for are of whole programs. */
const isOpByOpFor = ({ emitter, fusion = "on", limits }: Options): boolean =>
  firstRuns.areOpByOp && emitter === undefined && fusion === "on" && limits === undefined;

/** True if a recording may be tried op by op. If not, its parts are looked for. */
export const mayBeTried = ({ order }: Extraction, options: Options): boolean =>
  mayBeFirstRun(options) && isOpByOpFor(options) && isQuickOpByOp(order);

/**
 * A program of its own for these sizes, whatever programs of many sizes there are. Programs that are kept for a later process are made so.
 */
export function executableAlone(extraction: Extraction, options: Options): Executable {
  if (options.emitter !== undefined) backendNamed(options.emitter);
  return keep(extraction, compiledFor(extraction, options));
}

/** A miss is a compilation, or a first run. What a program of many sizes computes counts as a hit. */
export function programCounters(): CacheCounters {
  const counters = cacheCounters();
  return { ...counters, hits: counters.hits + expectedLateCount() };
}

export function clearPrograms(): void {
  clearProgramCache();
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

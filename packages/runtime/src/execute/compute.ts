/** Computes several values that have no elements yet together, so that what they share is computed once. */
import { isWithin, joinList } from "../joined.ts";
import { type Options, optionsOf } from "../options.ts";
import type { Storage } from "../storage.ts";
import { now } from "../threads/host.ts";
import { hasStandIns, refuseRead, tracing } from "../tracing.ts";
import { type Value, weakenViews } from "../value.ts";
import { withoutDonation } from "./extract/donors.ts";
import { decided, type Extraction, extract, forget, noteComputed, walkFrom } from "./extract/extract.ts";
import { heldValues, heldWindows } from "./extract/held-values.ts";
import { dropStored, isPending } from "./extract/lately.ts";
import { noteKept } from "./extract/lessons.ts";
import { executableFor, type FirstRun, mayBeTried } from "./find-program.ts";
import { beginRequest, type Member } from "./late/families.ts";
import { runOpByOp } from "./op-by-op/op-by-op.ts";
import { trialOf } from "./op-by-op/trials.ts";
import { raggedIn } from "./parts/ragged.ts";
import { partsBySize } from "./parts/size-parts.ts";
import { noParts, type Parts, stagesIn } from "./parts/staged.ts";
import { leaveToReaders, takeHolders } from "./pending/holding.ts";
import { isBetweenUpdates, leaveMade, takeMade, takeMadeBetween } from "./pending/made-meanwhile.ts";
import { doWritesWait, readersOfKept, withUnread, writtenValues } from "./pending/written.ts";
import { noteChoices } from "./places/choices.ts";
import { computeExpected } from "./programs/compute-expected.ts";
import type { Executable } from "./programs/executable.ts";
import { noteUnexpected } from "./programs/expected.ts";
import { blamed, isOfElements } from "./programs/failure.ts";
import { needsCopies, withCopies } from "./programs/other-donors.ts";
import { profiled } from "./programs/profile.ts";
import { type Bound, boundTo, run } from "./programs/run.ts";

/**
 * Values are computed, and `also` with them if none of those fails.
 * @throws RangeError if an index is out of range or an integer is divided by zero. It names the op and the line that recorded it. The value
 * that failed is marked: cells that hold what is made of it go back to what they held before when they are next used.
 */
export function computeValues(values: readonly Value[], options: Options, also: readonly Value[] = []): void {
  refuseRead("read");
  const unread = takeMade();
  withUnread(unread);
  beginRequest();
  try {
    if (!computesAlso(values, computeApart(also, values, options), options)) computeTogether(values, options);
    dropStored();
    computeHolders();
  } catch (error) {
    if (!isOfElements(error)) throw error;
    throw blamed(error, values, (value) => {
      computeTogether([value], options);
      return (value.storage as Storage).array;
    });
  } finally {
    withUnread([]);
    if (isBetweenUpdates() || (unread.length > 0 && doWritesWait())) leaveMade(unread);
  }
}

/** True if all were computed. What nobody has read may fail in any way: it may be made of what was disposed of since. */
function computesAlso(values: readonly Value[], also: readonly Value[], options: Options): boolean {
  if (also.length === 0) return false;
  try {
    return computesAll([...values, ...also], options);
  } catch {
    return false;
  }
}

/**
 * What keeps large results is computed one by one: the same program for each, however many there are. Nothing is overwritten for it, since
 * whoever records now may still read anything.
 */
function computeHolders(): void {
  if (tracing !== null || hasStandIns()) return;
  for (const value of takeHolders())
    try {
      withoutDonation(() => computeTogether([value], optionsOf("compute", undefined)));
    } catch {
      // Nothing is lost, and whoever reads it is told.
    }
}

function computeTogether(values: readonly Value[], options: Options, mayStage = true, mayLearn = true): void {
  const wanted =
    values.length === 1 && values[0]?.storage === null
      ? values
      : [...new Set(values)].filter((value) => value.storage === null);
  if (wanted.length === 0) return;
  leaveToReaders();
  weakenViews();
  const written = findsReaders ? writtenValues(options, wanted) : [];
  if (options.profile !== true && computeExpected(wanted, written, options)) return;
  try {
    const walk = walkFrom(wanted);
    const known = mayStage ? trialOf(wanted, walk.order.length) : null;
    const trial = known !== null && mayBeTried(walk, options) ? known : null;
    // What is kept of a long recording is decided for each of its stages.
    const isStaged = mayStage && trial === null;
    const staged = isStaged ? stagesIn(walk, wanted, true) : noParts;
    if (staged.parts.length > 0) return void computeParts(staged, wanted, options);
    const windows = isStaged ? heldWindows(walk) : [];
    if (windows.length > 0) return void computeParts({ parts: [windows], joins: [] }, wanted, options);
    const extraction = decided();
    const isKeeping = written.length > 0 && extraction.outputs.length > wanted.length;
    const readers = isKeeping ? readersOfKept(extraction, wanted.length, written) : [];
    if (readers.length > 0)
      return void withoutReaders(() => {
        if (!computesAlso(wanted, readers, options)) computeTogether(wanted, options);
      });
    let [split, isRagged, isLearned] = [noParts, false, false];
    const isSplit = (member: Member): boolean => {
      isLearned = mayLearn && noteChoices(extraction.order);
      if (isLearned) return true;
      const held = heldValues(extraction, wanted.length);
      const parts = held.length > 0 ? [held] : partsBySize(extraction, wanted.length, member);
      const ragged = parts.length > 0 ? null : raggedIn(extraction);
      isRagged = ragged !== null;
      split =
        ragged === null
          ? { parts, joins: [] }
          : { parts: ragged.parts, joins: [...ragged.parts.map(() => []), ragged.joins] };
      return split.parts.length > 0 || ragged !== null;
    };
    const executable = executableFor(extraction, options, isSplit, trial);
    // What is bound from now on makes it another recording, of a program that may be known.
    if (isLearned) return void computeTogether(wanted, options, mayStage, false);
    if (executable === null) return void computeParts(split, wanted, options, isRagged);
    if (!("plan" in executable) && !needsCopies(executable, extraction))
      noteUnexpected(extraction, wanted.length, executable, isKeeping);
    const results =
      "plan" in executable
        ? runFirst(extraction, wanted.length, executable, options)
        : runWith(extraction, executable, options);
    noteComputed();
    for (let k = 0; k < results.length; k++) {
      const value = extraction.wanted[k] as Value;
      if (k >= wanted.length) noteKept(value);
      value.settle(results[k] as Storage);
    }
  } finally {
    forget();
  }
}

/** False while what reads kept values is computed with them: its own parts would find it again. */
let findsReaders = true;

function withoutReaders(compute: () => void): void {
  const before = findsReaders;
  findsReaders = false;
  try {
    compute();
  } finally {
    findsReaders = before;
  }
}

/**
 * Computes values in programs of their own, then what is wanted. An earlier part may have computed also what reads values of a later one.
 * Those are of no use then, and what they are made of may be overwritten.
 */
function computeParts(staged: Parts, wanted: readonly Value[], options: Options, isUnasked = false): void {
  let isShorter = false;
  // What reads these is no less to be computed when they are disposed of than it was.
  if (isUnasked) {
    const isWanted = new Set(wanted);
    for (const value of [...staged.parts, ...staged.joins].flat())
      if (!isWanted.has(value)) value.isUnasked ||= value.storage === null;
  }
  computeStages(staged, options, (part) => {
    isShorter = true;
    computeTogether(part, options);
    return true;
  });
  // Nothing was of use where all are views that only views read. The same parts would be found again.
  computeTogether(wanted, options, isShorter);
}

/** Calls `compute` with what is of use in each part, while it returns true, and joins what is to be joined by then. */
function computeStages(
  { parts, joins }: Parts,
  options: Options,
  compute: (part: readonly Value[]) => boolean,
): void {
  // A list of many values is a concat of concats, which are of no use without the others.
  const partial = new Set(
    joins.flat().flatMap((list) => list.inputs.filter((input) => isWithin(input, list))),
  );
  const join = (k: number): void => {
    for (const list of joins[k] ?? [])
      if (list.storage === null && list.isOfUse && !partial.has(list))
        joinList(list, (missing) => computesAll(missing, options));
  };
  for (const [k, part] of parts.entries()) {
    // What is joined may be stored by its own stage, too.
    join(k - 1);
    join(k);
    const left = part.filter((value) => value.isOfUse && value.storage === null);
    if (left.length > 0 && !compute(left)) return;
  }
  for (const k of joins.keys()) join(k);
}

/** False if an element fails: perhaps nobody asked for that value. */
export function computesAll(values: readonly Value[], options: Options): boolean {
  try {
    computeTogether(values, options);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Computes what was made since the last update and nothing has read, if it can be: a recorded step writes over what it is made of. */
export function computeMade(): void {
  const made = takeMadeBetween();
  if (made.length === 0) return;
  beginRequest();
  computeApart(made, [], optionsOf("compute", undefined));
}

/**
 * Computes what nobody has read one by one, since what is made in each round may be another selection. Returns what shares uncomputed values
 * with `others`.
 */
function computeApart(
  unread: readonly Value[],
  others: readonly Value[],
  options: Options,
): readonly Value[] {
  if (unread.length === 0) return unread;
  const pending = new Set(others);
  for (const value of pending) for (const input of value.inputs) if (isPending(input)) pending.add(input);
  const sharing: Value[] = [];
  for (const value of unread) {
    const how = standingOf(value, pending);
    if (how === "shares") sharing.push(value);
    else if (how === "apart") computesAlso([], [value], options);
  }
  return sharing;
}

/** What could not be computed at earlier updates, since what it is made of fails, has more uncomputed values than this beneath it. */
const MOST_BENEATH = 256;

function standingOf(value: Value, others: ReadonlySet<Value>): "shares" | "apart" | "fails" {
  const beneath = new Set([value]);
  for (const one of beneath) {
    if (others.has(one)) return "shares";
    if (beneath.size > MOST_BENEATH) return "fails";
    for (const input of one.inputs) if (isPending(input)) beneath.add(input);
  }
  return "apart";
}

/** Computes what the rounds of a long recording hand on, and nothing behind the last of them. False if there are no rounds in it. */
export function computeRounds(values: readonly Value[], options: Options): boolean {
  beginRequest();
  let staged: Parts;
  try {
    staged = stagesIn(walkFrom(values), values, false);
  } finally {
    forget();
  }
  computeStages(staged, options, (part) => {
    for (const value of part) value.isUnasked = true;
    return computesAll(part, options);
  });
  for (const value of staged.joins.flat()) value.isUnasked ||= value.storage !== null;
  return staged.parts.length > 0;
}

function runWith(extraction: Extraction, executable: Executable, options: Options): Storage[] {
  const bound = withCopies(boundTo(extraction), executable, extraction);
  return options.profile ? profiled(() => run(executable, bound)) : run(executable, bound);
}

function runFirst(
  extraction: Extraction,
  asked: number,
  first: FirstRun,
  options: Options,
): readonly Storage[] {
  const begin = now();
  try {
    return runOpByOp(extraction, asked, first.plan, options);
  } catch (error) {
    if (!isOfElements(error)) throw error;
    // All elements are computed, also those that the whole program leaves out. So the failure may not be one: the whole is compiled, and runs.
    return runWith(extraction, executableFor(extraction, options), options);
  } finally {
    first.noteRun(now() - begin);
  }
}

/** The program that computed values, with what it was bound to. */
export interface Computed {
  readonly executable: Executable;
  /** What the program was bound to, and the values that these storages and scalars were of. */
  readonly bound: Bound;
  readonly given: readonly Value[];
  readonly lifted: readonly Value[];
  /** The number of results, including those that are computed since an input is overwritten (`inTheWay`). */
  readonly count: number;
}

/** Computes values when nothing else will be asked for later. Of the inputs, only those in `donatable` may be overwritten. */
export function computeAlone(
  wanted: readonly Value[],
  donatable: ReadonlySet<Value>,
  options: Options,
): Computed {
  beginRequest();
  try {
    const extraction = extract(wanted, donatable);
    const { given, lifted, scalars, numbers } = extraction;
    const executable = executableFor(extraction, options);
    const bound = { ...boundTo(extraction), scalars: [...scalars], numbers: [...numbers] };
    const computed = {
      executable,
      bound,
      given: [...given],
      lifted: [...lifted],
      count: extraction.wanted.length,
    };
    const results = run(executable, bound);
    extraction.wanted.forEach((value, k) => {
      value.settle(results[k] as Storage);
    });
    return computed;
  } finally {
    forget();
  }
}

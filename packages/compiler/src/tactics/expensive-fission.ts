/**
 * Loop fission of expensive ops, and of what gives the places of a scatter. Alone in its loop, an exponential or a tanh keeps its constants
 * in registers. Beside it, gathers, casts to integers and other such functions take registers: its values spill, and its constants are
 * loaded for each element.
 * So a row is blocked to the first cache, and each part of its body is a loop over the block. Values that a later part reads are stored
 * to private memory. A row under a reduction is one block, since the reduction has one order.
 */
import {
  dtypes,
  type ForStatement,
  type Integer,
  isDefinition,
  isFloat,
  isLoop,
  type Loop,
  type LoopAxis,
  mentionsOf,
  pointwiseOps,
  type ReduceStatement,
  type Run,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { countersIn, fission, foundIn, restsOn } from "./fission.ts";
import { isAtMost, isSized } from "./integers.ts";
import { factsOf, type Held, LONG_BODY } from "./lane-steps.ts";
import { Refusal, split } from "./steps.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

/** Elements of a block. */
const BLOCK = 512;

/**
 * Storing more values than this for each element costs as much as fission saves: of a long function, such as a normal number, more than one
 * for so many of its instructions.
 */
const [MOST_WAITING, INSTRUCTIONS] = [3, 16];

/**
 * Up to this total cost, independent functions share a loop: the instructions of two exponentials or sines hide each other's latency. Two
 * tanhs have more constants and intermediates than there are registers, and took up to twice as long.
 */
const PART = 40;

const PARALLEL: Run = { kind: "parallel" };

export const expensiveFission: Tactic = {
  name: "fission of expensive ops",
  schedule: (statement, scheduling) => {
    const nest = inBlocks(statement, scheduling);
    return nest && [nest];
  },
};

/** Each innermost row of a nest in blocks. In a perfect nest of parallel loops, the loops around it are work items. */
function inBlocks(statement: Statement, scheduling: Scheduling, isAlone = true): ForStatement | null {
  if (statement.kind !== "for") return null;
  const { axis, ordered, run, body } = statement;
  const isPerfect = isAlone && !ordered;
  if (run !== undefined && run.kind !== "parallel") return null;
  const inner = body.at(-1);
  const before = body.slice(0, -1);
  if (
    run === undefined &&
    inner?.kind === "for" &&
    before.every((each) => isDefinition(each) && each.kind !== "index")
  ) {
    if (!isSized(inner.axis.extent)) return null;
    if (ordered && !isShort(axis.extent) && computesPlaces(before, [inner])) {
      const rows = blocksOf(statement, (row) => [row.slice(0, -1), row.slice(-1)], scheduling);
      if (rows !== null) return rows;
    }
    const within = inBlocks(inner, scheduling, isPerfect);
    return within && { ...statement, ...(within.run && { run: PARALLEL }), body: [...before, within] };
  }
  if (body.some(isLoop)) {
    const parts = body.map((each) => {
      if (each.kind === "reduce") return splitFold(each, scheduling) ?? splitRow(each, scheduling);
      return each.kind === "for" ? inBlocks(each, scheduling, false) : null;
    });
    if (parts.every((each) => each === null)) return null;
    return { ...statement, body: body.flatMap((each, k) => parts[k] ?? each) };
  }
  if (run !== undefined || isShort(axis.extent)) return null;
  const parting = ordered ? beforeLookups : partsOf;
  if (parting(body, scheduling) === null) return null;
  const blocks = blocksOf(statement, (row) => parting(row, scheduling)!, scheduling);
  return blocks && { ...blocks, ...(isPerfect && { run: PARALLEL }) };
}

/** A loop in blocks, with a loop over the block for each part of its body; null where fission refuses. */
function blocksOf(
  loop: ForStatement,
  parting: (body: readonly Statement[]) => readonly (readonly Statement[])[],
  scheduling: Scheduling,
): ForStatement | null {
  const blocks = split(loop, BLOCK, scheduling.names);
  const row = blocks.body.at(-1) as ForStatement;
  const loops = fission(row, parting(row.body), BLOCK, scheduling);
  return loops instanceof Refusal ? null : { ...blocks, body: [...blocks.body.slice(0, -1), ...loops] };
}

/** A fold after the part of its body that comes first for the whole row; null where that stays in it. */
function splitFold(fold: ReduceStatement, scheduling: Scheduling): readonly Loop[] | null {
  const { axes, accumulators, scan, run, row, body } = fold;
  const [axis] = axes as [LoopAxis];
  const isRow = axes.length === 1 && row.length === 0 && accumulators.every((each) => each.row === null);
  if (!isRow || scan || run !== undefined || !isSized(axis.extent) || isShort(axis.extent)) return null;
  const parts = partsOf(body, scheduling);
  if (parts === null) return null;
  const loops = fission({ kind: "for", axis, ordered: false, body }, parts, axis.extent, scheduling);
  if (loops instanceof Refusal) return null;
  const last = loops.at(-1)!;
  return [...loops.slice(0, -1), { ...fold, axes: [last.axis], body: last.body }];
}

/**
 * A fold of rows into a row of accumulators, whose elements are computed first, block by block, and then folded: the accumulators would
 * take the registers of an expensive op. Null where none is computed.
 */
function splitRow(fold: ReduceStatement, scheduling: Scheduling): readonly Loop[] | null {
  const { scan, run, body } = fold;
  const row = body.at(-1);
  if (scan || run !== undefined || row?.kind !== "for" || row.ordered || row.run !== undefined) return null;
  const isFolded = ({ kind }: Statement): boolean => kind === "accumulate";
  const made = row.body.filter((each) => !isFolded(each));
  if (made.length === row.body.length || row.body.some(isLoop) || !isExpensive(made, scheduling)) return null;
  const { names } = scheduling;
  const blocks = isAtMost(row.axis.extent, BLOCK) ? null : split(row, BLOCK, names);
  const block = blocks === null ? row : (blocks.body.at(-1) as ForStatement);
  const parts = [block.body.filter((each) => !isFolded(each)), block.body.filter(isFolded)];
  const loops = fission(block, parts, BLOCK, scheduling);
  if (loops instanceof Refusal) return null;
  const all = blocks === null ? loops : [{ ...blocks, body: [...blocks.body.slice(0, -1), ...loops] }];
  return [{ ...fold, body: [...body.slice(0, -1), ...all] }];
}

const isShort = (extent: Integer): boolean => isAtMost(extent, BLOCK / 4);

/**
 * The gathers that expensive ops read, and the other parts. A part begins with an op that reads another's result or would spill beside
 * it. Null where there is one part.
 */
function partsOf(all: readonly Statement[], held: Held): Statement[][] | null {
  if (all.some(isLoop)) return null;
  const folds = all.filter(({ kind }) => kind === "accumulate");
  const isFree = freeIn(all);
  const body = freeLate(
    all.filter(({ kind }) => kind !== "accumulate"),
    isFree,
  );
  const front = lookedUp(body, held);
  const parts: Statement[][] = front > 0 ? [body.slice(0, front), []] : [[]];
  /** The definitions that depend on an expensive op of the last part. */
  const resting = new Set<number>();
  /** The cost of the functions in the last part that need registers of their own. */
  let cost = 0;
  for (const [k, each] of body.entries()) {
    if (k < front) continue;
    const rests = restsOn(resting, each);
    const own = loneCost(each);
    const isFull = cost > 0 && cost + own > PART;
    const most = Math.max(MOST_WAITING, instructionsOf(each) / INSTRUCTIONS);
    if (own > 0 && (rests || isFull) && waiting(body.slice(0, k), body.slice(k), isFree) <= most) {
      const last = parts.at(-1)!;
      let end = last.length;
      while (end > 0 && isFree(last[end - 1]!)) end--;
      parts.push(last.splice(end));
      resting.clear();
      cost = 0;
    }
    cost += own;
    if (each.kind === "let" && (rests || own > 0)) resting.add(each.local);
    parts.at(-1)!.push(each);
  }
  parts.at(-1)!.push(...folds);
  return parts.length > 1 && parts.some((part) => isExpensive(part, held)) ? parts : null;
}

type IsFree = (statement: Statement) => boolean;

/** Loads and counters, which a later part repeats rather than has stored. */
function freeIn(body: readonly Statement[]): IsFree {
  const counters = countersIn(body);
  return (statement) =>
    statement.kind === "let" && (statement.value.kind === "load" || counters.has(statement.local));
}

/** Moves each load and counter in front of its first use, so that its value need not be stored. None passes a store, or an index that it needs. */
function freeLate(body: readonly Statement[], isFree: IsFree): readonly Statement[] {
  const late = new Map<number, Statement>();
  const placed: Statement[] = [];
  const place = (locals: ReadonlySet<number>): void => {
    for (const [local, each] of [...late]) {
      if (!locals.has(local) || !late.delete(local)) continue;
      place(mentionsOf([each]).locals);
      placed.push(each);
    }
  };
  for (const each of body) {
    if (isDefinition(each) && isFree(each)) late.set(each.local, each);
    else {
      place(
        each.kind === "store" || each.kind === "index" ? new Set(late.keys()) : mentionsOf([each]).locals,
      );
      placed.push(each);
    }
  }
  place(new Set(late.keys()));
  return placed;
}

/**
 * What is computed in front of a scatter, and the scatter behind it, where the front is expensive or gives the places; null if there is
 * anything else. An element that is scattered waits until the place of the one before it is known, since both may be the same.
 */
function beforeLookups(body: readonly Statement[], held: Held): Statement[][] | null {
  const first = body.findIndex(({ kind }) => kind === "index");
  if (first < 0 || body.some(isLoop)) return null;
  const [front, rest] = [body.slice(0, first), body.slice(first)];
  if (isExpensive(rest, held)) return null;
  return isExpensive(front, held) || computesPlaces(front, rest) ? [front, rest] : null;
}

/** True where places that the rest stores to are computed in front of it, not loaded. */
function computesPlaces(front: readonly Statement[], rest: readonly Statement[]): boolean {
  const places = new Set(
    statementsIn(rest)
      .filter(({ kind }) => kind === "index")
      .flatMap((each) => [...mentionsOf([each]).locals]),
  );
  return (
    storesIn(rest) &&
    front.some((each) => each.kind === "let" && each.value.kind === "pointwise" && places.has(each.local))
  );
}

const storesIn = (body: readonly Statement[]): boolean =>
  statementsIn(body).some(({ kind }) => kind === "store");

/** How many statements precede the work on gathered elements; none where that work is cheap, or computes indexes. */
function lookedUp(body: readonly Statement[], held: Held): number {
  const found = foundIn(body);
  const isFront = (each: Statement): boolean =>
    each.kind === "index" || (each.kind === "let" && each.value.kind === "load" && restsOn(found, each));
  const last = body.reduce((last, each, k) => (isFront(each) ? k + 1 : last), 0);
  return isExpensive(body.slice(last), held) && !isExpensive(body.slice(0, last), held) ? last : 0;
}

const isExpensive = (part: readonly Statement[], held: Held): boolean =>
  factsOf(part, held).cost >= LONG_BODY;

/** The cost of a function that needs registers of its own (a cast to an integer is one); 0 for any other statement. */
function loneCost(statement: Statement): number {
  if (statement.kind !== "let" || statement.value.kind !== "pointwise") return 0;
  const { fn, from } = statement.value;
  const isCut =
    fn === "cast" && isFloat(from) && !isFloat(statement.dtype) && dtypes[statement.dtype].bytes > 1;
  const { cost } = pointwiseOps[fn];
  if (isCut) return LONG_BODY;
  return cost >= LONG_BODY ? cost : 0;
}

function instructionsOf(statement: Statement): number {
  if (statement.kind !== "let" || statement.value.kind !== "pointwise") return 0;
  const { cost, instructions } = pointwiseOps[statement.value.fn];
  return instructions ?? cost;
}

/** How many values of a part another one needs stored. */
function waiting(part: readonly Statement[], rest: readonly Statement[], isFree: IsFree): number {
  const { locals } = mentionsOf(rest);
  return part.filter((each) => each.kind === "let" && !isFree(each) && locals.has(each.local)).length;
}

/**
 * Row blocking. Some rows are walked several times, and each walk depends on the one before: a softmax takes the largest element, then
 * exponentials and their sum, then quotients. In a short row nothing hides the latency between walks. So the rows of a block, which fits
 * the first cache, are walked together: the largest elements of all rows, then all exponentials, then all quotients. An expensive op that
 * is computed once for each row is in lanes so.
 */
import {
  axesOfLoop,
  buffersStoredIn,
  type ForStatement,
  type Integer,
  isDefinition,
  isLoop,
  mentionsOf,
  type Run,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { fission } from "./fission.ts";
import { expensiveRowOf, flattenRows } from "./flattened-rows.ts";
import { isSized, least, over, plus, times } from "./integers.ts";
import { factsOf, type Held, LONG_BODY } from "./lane-steps.ts";
import { privatise } from "./privatise.ts";
import { Refusal, split } from "./steps.ts";
import { isMatrixInText, isStraight } from "./straight.ts";
import type { Scheduling, Tactic } from "./tactic.ts";
import { hasDots } from "./work-items.ts";

/** The most rows of a block, and about how many elements they have; a block has at least one row. */
const [ROWS, ELEMENTS] = [64, 2_048];

/** The same for rows that are walked once, so that they need not fit the cache. */
const WALKED_ONCE = 32_768;

const PARALLEL: Run = { kind: "parallel" };

/** Loop nests of products become phases first. */
export const rowBlocks: Tactic = {
  name: "blocks of rows",
  schedule: (statement, scheduling) => {
    const blocks = hasDots([statement]) ? null : inBlocks(statement, scheduling);
    return blocks && [blocks];
  },
};

/** The rows of a nest in blocks, and all loops around them as work items. */
function inBlocks(given: Statement, scheduling: Scheduling): ForStatement | null {
  if (given.kind !== "for" || given.ordered || given.run !== undefined) return null;
  const body = resultsFirst(given.body);
  const statement = { ...given, body };
  const inner = body.at(-1);
  const before = body.slice(0, -1);
  const isExpensive = expensiveRowOf(body) !== null;
  if (
    inner?.kind === "for" &&
    !isExpensive &&
    !isLong(before, scheduling) &&
    before.every((each) => isDefinition(each) && each.kind !== "index")
  ) {
    if (!isSized(inner.axis.extent) || isMatrixInText(inner)) return null;
    const within = inBlocks(inner, scheduling);
    return within && { ...statement, run: PARALLEL, body: [...before, within] };
  }
  if (partsOf(body, scheduling).length === 1 && !isExpensive) return null;
  const rows = rowsOf(body);
  if (rows === null) return null;
  const blocks = split(statement, rows, scheduling.names);
  const block = blocks.body.at(-1) as ForStatement;
  const own = privatise(block, rows, scheduling);
  if (own instanceof Refusal) return null;
  const loops = fission(own, partsOf(own.body, scheduling), ROWS, scheduling);
  if (loops instanceof Refusal) return null;
  const laid = loops.map((loop) => flattenRows(loop, rows, scheduling));
  if (loops.length === 1 && laid[0] === null) return null;
  const walks = loops.flatMap((loop, k) => laid[k] ?? loop);
  return { ...blocks, run: PARALLEL, body: [...blocks.body.slice(0, -1), ...walks] };
}

/**
 * The body in parts. A part begins with a walk that depends on the fold of another or on what another stores, or with values behind a
 * fold that gain from lanes. Such values in front of all loops are a part too.
 */
function partsOf(body: readonly Statement[], held: Held): readonly (readonly Statement[])[] {
  const parts: Statement[][] = [];
  let part: Statement[] = [];
  /** The locals that depend on a fold of the current part, or on a part that gains from lanes. */
  let resting = new Set<number>();
  const inLanes = isStraight(body);
  for (const walk of walksOf(body)) {
    const stored = buffersStoredIn(part);
    const rests =
      [...mentionsOf(walk).locals].some((local) => resting.has(local)) ||
      statementsIn(walk).some(
        (each) => each.kind === "let" && each.value.kind === "load" && stored.has(each.value.buffer),
      );
    const begins = rests && ((!inLanes && isLong(walk, held)) || walk.some(isLoop));
    if (begins || (isLong(part, held) && walk.some(isLoop))) {
      parts.push(part);
      part = [];
      resting = new Set();
    }
    part.push(...walk);
    if (rests || walk.some(({ kind }) => kind === "reduce"))
      for (const local of walk.flatMap((each) => (isDefinition(each) ? [each.local] : [])))
        resting.add(local);
  }
  return [...parts, part];
}

/** True of values beside loops that gain from lanes, and from several steps at once. */
const isLong = (part: readonly Statement[], held: Held): boolean =>
  !part.some(isLoop) && factsOf(part, held).cost >= LONG_BODY;

/** The body with the results of folds right behind their loops, so that they are in one part with them. */
function resultsFirst(body: readonly Statement[]): readonly Statement[] {
  const moved = new Map<Statement, readonly Statement[]>();
  for (const each of body) {
    if (each.kind !== "reduce") continue;
    const own = new Set(each.accumulators.map(({ accumulator }) => accumulator));
    const results = body.filter(
      (other) =>
        other.kind === "let" &&
        other.value.kind === "result" &&
        own.has(other.value.accumulator) &&
        mentionsOf([other]).locals.size === 0,
    );
    moved.set(each, results);
  }
  const all = new Set([...moved.values()].flat());
  return body.flatMap((each) => (all.has(each) ? [] : [each, ...(moved.get(each) ?? [])]));
}

/** Each loop with the results of its folds, and the statements between loops. */
function walksOf(body: readonly Statement[]): readonly (readonly Statement[])[] {
  const walks: Statement[][] = [];
  for (const each of body) {
    const walk = walks.at(-1);
    const isResult = each.kind === "let" && each.value.kind === "result";
    const ends = walk === undefined || isLoop(each) || (walk.some(isLoop) && !isResult);
    if (ends) walks.push([each]);
    else walk.push(each);
  }
  return walks;
}

/** How many rows fit a block, by the first walk; null where its length does not follow from sizes. */
function rowsOf(body: readonly Statement[]): Integer | number | null {
  const extents = axesOfLoop(body.find(isLoop)!).map(({ extent }) => extent);
  if (!extents.every(isSized)) return null;
  if (extents.every(({ kind }) => kind === "literal")) return ROWS;
  const elements = extents.reduce((product, extent) => times(product, extent));
  const isWalkedOnce = body.filter(isLoop).length === 1 && expensiveRowOf(body) === null;
  const most = isWalkedOnce ? WALKED_ONCE : ELEMENTS;
  const fit = plus(over({ kind: "literal", value: most }, plus(elements, 1)), 1);
  return least(fit, ROWS);
}

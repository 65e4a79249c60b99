/**
 * Look-ups apart from dear work on what they find. Checking indexes and loading lane by lane takes the registers that an exponential or
 * a tanh has its constants in, which is then loaded anew for each element. So a row is walked in blocks that stay in the first cache:
 * all look-ups of a block, whose elements wait in private memory, and then the work on them. A row that is folded waits as a whole, since
 * a fold has one order.
 */
import {
  type ForStatement,
  type Integer,
  isDefinition,
  isLoop,
  type Loop,
  type LoopAxis,
  type ReduceStatement,
  type Run,
  type Statement,
} from "@fuseau/ir";
import { fission, foundIn, restsOn } from "./fission.ts";
import { isSized } from "./integers.ts";
import { factsOf, type Held, LONG_BODY } from "./lane-steps.ts";
import { Refusal, split } from "./steps.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

/** Elements of a block. */
const BLOCK = 512;

const PARALLEL: Run = { kind: "parallel" };

export const lookups: Tactic = {
  name: "look-ups apart",
  schedule: (statement, scheduling) => {
    const nest = inBlocks(statement, scheduling);
    return nest && [nest];
  },
};

/** The innermost row of a nest in blocks, and all loops around it as work items. */
function inBlocks(statement: Statement, scheduling: Scheduling): ForStatement | null {
  if (statement.kind !== "for" || statement.ordered || statement.run !== undefined) return null;
  const { axis, body } = statement;
  const inner = body.at(-1);
  const before = body.slice(0, -1);
  if (inner?.kind === "for" && before.every((each) => isDefinition(each) && each.kind !== "index")) {
    if (!isSized(inner.axis.extent)) return null;
    const within = inBlocks(inner, scheduling);
    return within && { ...statement, ...(within.run && { run: PARALLEL }), body: [...before, within] };
  }
  if (body.some(isLoop)) {
    const apart = body.flatMap((each): readonly Statement[] =>
      each.kind === "reduce" ? foldApart(each, scheduling) : [each],
    );
    return apart.length > body.length ? { ...statement, body: apart } : null;
  }
  if (isShort(axis.extent) || partsOf(body, scheduling) === null) return null;
  const blocks = split(statement, BLOCK, scheduling.names);
  const row = blocks.body.at(-1) as ForStatement;
  const loops = fission(row, partsOf(row.body, scheduling)!, BLOCK, scheduling);
  if (loops instanceof Refusal) return null;
  return { ...blocks, run: PARALLEL, body: [...blocks.body.slice(0, -1), ...loops] };
}

/** A fold behind the look-ups for all of its row; as it is, where they are not apart. */
function foldApart(fold: ReduceStatement, scheduling: Scheduling): readonly Loop[] {
  const { axes, accumulators, scan, run, row, body } = fold;
  const [axis] = axes as [LoopAxis];
  const isRow = axes.length === 1 && row.length === 0 && accumulators.every((each) => each.row === null);
  if (!isRow || scan || run !== undefined || !isSized(axis.extent) || isShort(axis.extent)) return [fold];
  const parts = partsOf(body, scheduling);
  if (parts === null) return [fold];
  const loops = fission({ kind: "for", axis, ordered: false, body }, parts, axis.extent, scheduling);
  if (loops instanceof Refusal) return [fold];
  const [found, folded] = loops as [ForStatement, ForStatement];
  return [found, { ...fold, axes: [folded.axis], body: folded.body }];
}

const isShort = (extent: Integer): boolean => extent.kind === "literal" && extent.value <= BLOCK / 4;

/** What is looked up, and the rest, where that is dear; null where it is not. */
function partsOf(body: readonly Statement[], held: Held): [Statement[], Statement[]] | null {
  if (body.some(isLoop) || !body.some(({ kind }) => kind === "index")) return null;
  const found = foundIn(body);
  const isFront = (each: Statement): boolean =>
    each.kind === "index" || (each.kind === "let" && each.value.kind === "load" && restsOn(found, each));
  const last = body.reduce((last, each, k) => (isFront(each) ? k + 1 : last), 0);
  const [front, rest] = [body.slice(0, last), body.slice(last)];
  const isDear = (part: readonly Statement[]): boolean => factsOf(part, held).cost >= LONG_BODY;
  return isDear(rest) && !isDear(front) ? [front, rest] : null;
}

/**
 * Work items of a phase: the iterations of its loop. If the loop contains nothing but another, they are the iterations of both, so that a
 * short outer loop (three channels, two images) still gives many. A loop with lanes is cut into pieces instead.
 */
import {
  type ForStatement,
  isDefinition,
  type LoopAxis,
  type Run,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import type { Numbering } from "./numbering.ts";
import { split } from "./steps.ts";
import { isStraight } from "./straight.ts";
import type { Tactic } from "./tactic.ts";

/** Enough elements to make the cost of dividing a row negligible. */
const PIECE = 16_384;

const PARALLEL: Run = { kind: "parallel" };

/** Loop nests of products become phases first. */
export const workItems: Tactic = {
  name: "work items",
  schedule: (statement, { names }) => (hasDots([statement]) ? null : [inWorkItems(statement, names)]),
};

export const hasDots = (body: readonly Statement[]): boolean =>
  statementsIn(body).some(
    (each) => each.kind === "reduce" && each.accumulators.some(({ fn }) => fn === "dot"),
  );

/** The loop as work items; earlier decisions are kept. */
export function inWorkItems(statement: Statement, names: Numbering): Statement {
  if (statement.kind !== "for" || statement.ordered || statement.run !== undefined) return statement;
  if (isStraight(statement.body)) return statement;
  const inner = statement.body.at(-1);
  const before = statement.body.slice(0, -1);
  const isNest = before.every((each) => isDefinition(each) && each.kind !== "index");
  if (!isNest || inner?.kind !== "for" || !isCounted(inner)) return { ...statement, run: PARALLEL };
  const items = isStraight(inner.body) ? split(inner, PIECE, names) : inner;
  return { ...statement, run: PARALLEL, body: [...before, { ...items, run: PARALLEL }] };
}

/** Work items are counted before anything runs. */
const isCounted = ({ axis, ordered, run }: ForStatement): boolean =>
  !ordered && run === undefined && axis.extent.kind === "size";

/** Nested parallel loops, as the axes of work items and the body of the innermost. */
export interface ParallelNest {
  readonly axes: readonly LoopAxis[];
  /** Definitions beside inner loops are part of it, in front of the statements that use them. */
  readonly body: readonly Statement[];
}

/** Null where the loop is not scheduled as parallel. */
export function parallelNest(outer: ForStatement): ParallelNest | null {
  const axes: LoopAxis[] = [];
  const body: Statement[] = [];
  let loop: Statement | undefined = outer;
  while (loop?.kind === "for" && loop.run?.kind === "parallel") {
    axes.push(loop.axis);
    const inner: Statement | undefined = loop.body.at(-1);
    if (inner?.kind === "for" && inner.run?.kind === "parallel") body.push(...loop.body.slice(0, -1));
    else body.push(...loop.body);
    loop = inner;
  }
  return axes.length === 0 ? null : { axes, body };
}

/** Which loops have straight-line bodies: short loops within them, whose extents are in the text, are written out. */
import { type ForStatement, pointwiseOps, type ReduceStatement, type Statement } from "@fuseau/ir";
import { UnrolledFold } from "../folds/unrolled-fold.ts";
import type { Site } from "../sites/site.ts";
import { type StraightStatement, writeStatement } from "../sites/statements.ts";
import { writeShortRows } from "./short-rows.ts";

/** What may stand in a loop that is walked in steps of several elements. */
export type StraightBody = readonly (StraightStatement | ForStatement | ReduceStatement)[];

/** The cost of what a loop is written out as, at most. */
const UNROLLED_COST = 400;

export const isStraight = (body: readonly Statement[]): body is StraightBody =>
  body.every(
    (statement) =>
      statement.kind !== "sort" &&
      ((statement.kind !== "for" && statement.kind !== "reduce") || isUnrolled(statement)),
  );

/** True when the loop is short enough to be written out. */
export function isUnrolled(statement: ForStatement | ReduceStatement): boolean {
  const { body } = statement;
  if (statement.kind === "reduce") {
    if (statement.scan || !statement.accumulators.every(({ row }) => row === null)) return false;
    if (!isStraight(statement.row)) return false;
  } else if (statement.ordered) return false;
  const times = timesOf(statement);
  return times !== undefined && isStraight(body) && times * costOf(body) <= UNROLLED_COST;
}

/** How often the body runs, where the text says it. */
export function timesOf(statement: ForStatement | ReduceStatement): number | undefined {
  let times = 1;
  for (const { extent } of statement.kind === "for" ? [statement.axis] : statement.axes) {
    if (extent.kind !== "literal") return undefined;
    times *= extent.value;
  }
  return times;
}

function costOf(body: readonly Statement[]): number {
  let cost = 0;
  for (const statement of body) {
    if (statement.kind === "let" && statement.value.kind === "pointwise")
      cost += pointwiseOps[statement.value.fn].cost;
    else if (statement.kind === "for" || statement.kind === "reduce")
      cost += timesOf(statement)! * costOf(statement.body);
    else cost++;
  }
  return cost;
}

export function writeStraight(site: Site, body: StraightBody): void {
  for (const statement of body) {
    if (statement.kind === "for") writeOutFor(site, statement);
    else if (statement.kind === "reduce") writeOutReduce(site, statement);
    else writeStatement(site, statement);
  }
}

function writeOutFor(site: Site, { axis: { axis, extent }, body }: ForStatement): void {
  for (let value = 0; value < (extent as { value: number }).value; value++) {
    site.bindings.set(axis, { kind: "literal", value });
    writeStraight(site, body as StraightBody);
  }
  site.bindings.delete(axis);
}

function writeOutReduce(site: Site, statement: ReduceStatement): void {
  if (writeShortRows(site, statement)) return;
  const { accumulators, axes, row, body } = statement;
  const count = body.some(({ kind }) => kind === "for") ? Infinity : timesOf(statement)!;
  for (const accumulator of accumulators)
    site.accumulators.set(accumulator.accumulator, new UnrolledFold(accumulator, count));
  const walk = (depth: number): void => {
    const loop = axes[depth];
    if (depth === axes.length - 1) writeStraight(site, row as StraightBody);
    if (loop === undefined) {
      writeStraight(site, body as StraightBody);
      return;
    }
    for (let value = 0; value < (loop.extent as { value: number }).value; value++) {
      site.bindings.set(loop.axis, { kind: "literal", value });
      walk(depth + 1);
    }
    site.bindings.delete(loop.axis);
  };
  walk(0);
}

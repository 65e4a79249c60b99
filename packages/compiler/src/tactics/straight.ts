/** Loops with straight-line bodies: short loops within them, whose extents are literals, may be unrolled. */
import { isLoop, type Loop, type Statement } from "@fuseau/ir";
import { timesOf, UNROLLED_SIZE, unrolledSizeOf } from "./size.ts";

/** Statements that a loop with lanes may contain. */
export type StraightBody = readonly Exclude<Statement, { readonly kind: "sort" }>[];

export const isStraight = (body: readonly Statement[]): body is StraightBody =>
  body.every((statement) => statement.kind !== "sort" && (!isLoop(statement) || isUnrolled(statement)));

/** True when the loop is short enough to be unrolled. */
export function isUnrolled(statement: Loop): boolean {
  const { body } = statement;
  if (statement.kind === "reduce") {
    if (statement.scan || statement.blocked || !statement.accumulators.every(({ row }) => row === null))
      return false;
    if (!isStraight(statement.row)) return false;
  } else if (statement.ordered) return false;
  return timesOf(statement) !== undefined && isStraight(body) && unrolledSizeOf(statement) <= UNROLLED_SIZE;
}

/** True of a loop over small matrices: what is done for one is straight-line code, so that the iterations of the loop around are lanes. */
export const isMatrixInText = (statement: Loop): boolean =>
  statement.body.some(isLoop) && isUnrolled(statement);

/**
 * Innermost loops in lanes: as many elements in a step as registers hold, more steps side by side where each is short. Short loops in
 * them are unrolled. All other loops run one iteration after another.
 */
import { type ForStatement, isLoop, type ReduceStatement, type Run, type Statement } from "@fuseau/ir";
import { JAMMED_ROWS, jamRows } from "./columns.ts";
import { hasLoopCarriedDependence, isScatter } from "./dependence.ts";
import { factsOf, type Held, lanesFor } from "./lane-steps.ts";
import { sizeOf, UNROLLED_SIZE } from "./size.ts";
import { isStraight, isUnrolled } from "./straight.ts";
import type { Tactic } from "./tactic.ts";

/** So few iterations that a loop around them is not worth it. */
const FEW = 2;

/** A loop in order is bound by its stores, which go lane by lane. */
const SCATTERED: Run & { readonly kind: "vector" } = { kind: "vector", lanes: 4, copies: 1 };

export const lanes: Tactic = {
  name: "lanes",
  schedule: (statement, scheduling) => [inLanes(statement, scheduling)],
};

/** The statement with a run for each loop in it that is or may be a vector. What has been decided stays. */
export function inLanes<S extends Statement>(statement: S, held: Held): S;
export function inLanes(statement: Statement, held: Held): Statement {
  if (!isLoop(statement)) return statement;
  const within = (body: readonly Statement[]): readonly Statement[] =>
    body.map((each) => inLanes(each, held));
  if (statement.kind === "reduce") return reduceInLanes(statement, held, within);
  const { run, axis, ordered, body } = statement;
  if (run !== undefined) return run.kind === "parallel" ? { ...statement, body: within(body) } : statement;
  const { extent } = axis;
  if (extent.kind === "literal" && extent.value <= FEW && isUnrolled(statement)) return unrolled(statement);
  const alone = hasLoopCarriedDependence(body, axis.axis) || (ordered && !isScatter(body));
  if (!isStraight(body) || (alone && body.some(isLoop))) return { ...statement, body: within(body) };
  const vector = alone
    ? ONE_BY_ONE
    : ordered
      ? SCATTERED
      : ({ kind: "vector", ...lanesFor(held.machine, factsOf(body, held)) } as const);
  return { ...statement, run: noMoreThan(statement, vector), body: body.map(unrolled) };
}

/** A straight line for each iteration. */
const ONE_BY_ONE: Run & { readonly kind: "vector" } = { kind: "vector", lanes: 1, copies: 1 };

/** What stands between an element and its fold is the loop's own to decide, where that is straight. */
function reduceInLanes(
  statement: ReduceStatement,
  held: Held,
  within: (body: readonly Statement[]) => readonly Statement[],
): ReduceStatement {
  const { row, body, run } = statement;
  if (run !== undefined || (isStraight(row) && isStraight(body))) return statement;
  const jammed = jamRows(statement, (inner, before) => columnsOf(statement, inner, before, held));
  return jammed ?? { ...statement, row: within(row), body: within(body) };
}

/**
 * Lanes of columns in jammed rows; null where those are too much code, or no rows. Stores cost the same in rows that are jammed, and
 * look-ups would be made anew for each step of the columns.
 */
function columnsOf(
  { axes }: ReduceStatement,
  { axis, body }: ForStatement,
  before: readonly Statement[],
  held: Held,
): (Run & { readonly kind: "vector" }) | null {
  const size = JAMMED_ROWS * sizeOf([...before, ...body]);
  if (axes.length > 1 || axis.extent.kind === "literal" || size > UNROLLED_SIZE) return null;
  if ([...before, ...body].some(({ kind }) => kind === "store" || kind === "index")) return null;
  return { kind: "vector", ...lanesFor(held.machine, { ...factsOf(body, held), size }) };
}

/** Steps that the iterations fill, where the text says how many they are. */
function noMoreThan({ axis: { extent } }: ForStatement, vector: Run & { readonly kind: "vector" }): Run {
  if (extent.kind !== "literal" || vector.lanes * vector.copies <= extent.value) return vector;
  return vector.lanes <= extent.value ? { ...vector, copies: 1 } : ONE_BY_ONE;
}

function unrolled<S extends Statement>(statement: S): S;
function unrolled(statement: Statement): Statement {
  if (!isLoop(statement)) return statement;
  const body = statement.body.map(unrolled);
  const run = { kind: "unrolled" } as const;
  return statement.kind === "for"
    ? { ...statement, run, body }
    : { ...statement, run, row: statement.row.map(unrolled), body };
}

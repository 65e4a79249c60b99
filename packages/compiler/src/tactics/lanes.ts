/**
 * Innermost loops in lanes: as many elements in a step as registers hold, more steps side by side where each is short. Short loops in
 * them are unrolled. All other loops run one iteration after another.
 */
import {
  type ForStatement,
  isLoop,
  type LoopAxis,
  type ReduceStatement,
  type Run,
  type Statement,
} from "@fuseau/ir";
import { isFloatDot } from "../lower/accumulators.ts";
import { JAMMED_ROWS, jamRows } from "./columns.ts";
import { hasLoopCarriedDependence, isScatter } from "./dependence.ts";
import { factsOf, type Held, LONG_BODY, lanesFor } from "./lane-steps.ts";
import { sizeOf, UNROLLED_SIZE } from "./size.ts";
import { isStraight, isUnrolled } from "./straight.ts";
import type { Tactic } from "./tactic.ts";

/** So few iterations that a loop around them is not worth it. */
const FEW = 2;

/** A loop in order is bound by its stores, which go lane by lane. */
const SCATTERED: Vector = { kind: "vector", lanes: 4, copies: 1 };

type Vector = Run & { readonly kind: "vector" };

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
  return { ...statement, run: noMoreThan(axis, vector), body: body.map(unrolled) };
}

/** A straight line for each iteration. */
const ONE_BY_ONE: Vector = { kind: "vector", lanes: 1, copies: 1 };

/** A fold of straight code takes its elements in lanes; in any other, columns are lanes. Products of floats are loops of their own. */
function reduceInLanes(
  statement: ReduceStatement,
  held: Held,
  within: (body: readonly Statement[]) => readonly Statement[],
): ReduceStatement {
  const { row, body, run } = statement;
  if (run !== undefined) return statement;
  if (isStraight(row) && isStraight(body)) {
    if (statement.accumulators.some((each) => each.row !== null || isFloatDot(each))) return statement;
    const vector = noMoreThan(statement.axes.at(-1)!, alongOrder(statement, held));
    return { ...statement, run: vector, row: row.map(unrolled), body: body.map(unrolled) };
  }
  const jammed = jamRows(statement, (inner, before) => columnsOf(statement, inner, before, held));
  return jammed ?? { ...statement, row: within(row), body: within(body) };
}

/** As many elements in a step as the order has lanes; one where they must come one by one. */
function alongOrder({ accumulators, axes, scan, row, body }: ReduceStatement, held: Held): Vector {
  const orders = accumulators.map((each) => held.machine.lanesOf(each, scan));
  if (orders.includes(1) || hasLoopCarriedDependence(body, axes.at(-1)!.axis)) return ONE_BY_ONE;
  const order = Math.max(...orders.map((each) => each ?? 1));
  if (scan) return { kind: "vector", lanes: order, copies: 2 };
  // Registers side by side even in a short body: each waits for the fold before.
  const facts = factsOf([...row, ...body], held, accumulators);
  const steps = lanesFor(held.machine, { ...facts, cost: Math.max(facts.cost, LONG_BODY) });
  const lanes = Math.max(steps.lanes, order / 4);
  return { kind: "vector", lanes, copies: Math.max(steps.lanes * steps.copies, order) / lanes };
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
): Vector | null {
  const size = JAMMED_ROWS * sizeOf([...before, ...body]);
  if (axes.length > 1 || axis.extent.kind === "literal" || size > UNROLLED_SIZE) return null;
  if ([...before, ...body].some(({ kind }) => kind === "store" || kind === "index")) return null;
  return { kind: "vector", ...lanesFor(held.machine, { ...factsOf(body, held), size }) };
}

/** Steps that the iterations fill, where the text says how many they are. */
function noMoreThan({ extent }: LoopAxis, vector: Vector): Vector {
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

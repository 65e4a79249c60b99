/**
 * Lanes for innermost loops: each step has as many elements as registers hold, and short steps are interleaved. Short loops within them
 * are unrolled. All other loops run one iteration after another.
 */
import {
  type Accumulator,
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
import { walksRowFound } from "./gathers.ts";
import { factsOf, type Held, LONG_BODY, lanesFor, type Vector } from "./lane-steps.ts";
import { callsForLanes, isGuarded, mayBeMasked } from "./masked.ts";
import { isTransposed, type Lanes } from "./short-rows.ts";
import { sizeOf, UNROLLED_SIZE } from "./size.ts";
import { isStraight, isUnrolled, type StraightBody } from "./straight.ts";
import type { Tactic } from "./tactic.ts";

/** So few iterations that a loop around them does not pay. */
const FEW = 2;

/** A sequential loop is bound by its stores, which are made lane by lane. */
const SCATTERED: Vector = { kind: "vector", lanes: 4, copies: 1 };

export const lanes: Tactic = {
  name: "lanes",
  schedule: (statement, scheduling) => [inLanes(statement, scheduling)],
};

/** The statement, with a run for each loop in it that is or may be a vector. Earlier decisions are kept. */
export function inLanes<S extends Statement>(statement: S, held: Held): S;
export function inLanes(statement: Statement, held: Held): Statement {
  if (!isLoop(statement)) return statement;
  if (statement.kind === "reduce") return reduceInLanes(statement, held);
  const within = (body: readonly Statement[]): readonly Statement[] =>
    body.map((each) => inLanes(each, held));
  const { run, axis, ordered, body } = statement;
  if (run !== undefined) return run.kind === "parallel" ? { ...statement, body: within(body) } : statement;
  const { extent } = axis;
  if (extent.kind === "literal" && extent.value <= FEW && isUnrolled(statement))
    return unrolledIn(held, { axis: axis.axis, body })(statement);
  const alone = hasLoopCarriedDependence(body, axis.axis) || (ordered && !isScatter(body));
  const areTransposed = (): boolean =>
    body.every((each) => !isLoop(each) || isTransposed(each, { axis: axis.axis, body }, held));
  if (!isStraight(body) || (alone && body.some(isLoop)) || (walksRowFound(body) && !areTransposed()))
    return { ...statement, body: within(body) };
  const vector = alone ? ONE_BY_ONE : ordered ? SCATTERED : independent(body, held);
  const unrolled = body.map(unrolledIn(held, { axis: axis.axis, body }));
  return { ...statement, run: noMoreThan(axis, inFours(vector, unrolled)), body: unrolled };
}

/** With rows that are transposed, a step has four of them: beside an index of eight bytes it would have two. */
function inFours(vector: Vector, body: readonly Statement[]): Vector {
  const hasRows = body.some((each) => isLoop(each) && each.run?.kind === "unrolled" && each.run.transposed);
  return hasRows && vector.lanes * vector.copies === 2 ? { ...vector, copies: 4 / vector.lanes } : vector;
}

/** The remainder is masked where an element costs more than the single stores of a lane. */
function independent(body: StraightBody, held: Held): Vector {
  const facts = factsOf(body, held);
  const vector = { kind: "vector", ...lanesFor(held.machine, facts) } as const;
  return facts.cost >= LONG_BODY ? masked(vector, vector.lanes, body, held) : vector;
}

/** A vector whose remainder is masked, where that is legal and pays. With two lanes the remainder is one element. */
function masked(vector: Vector, lanes: number, body: readonly Statement[], { machine }: Held): Vector {
  const pays = vector.lanes === MASKED_LANES && !callsForLanes(body, machine);
  return pays && mayBeMasked(body) ? { ...vector, masked: lanes } : vector;
}

/** With more lanes, the single stores of the masked step are more code than single elements. */
const MASKED_LANES = 4;

/** A straight line for each iteration. */
const ONE_BY_ONE: Vector = { kind: "vector", lanes: 1, copies: 1 };

/**
 * A fold with a straight body has its elements in lanes. In any other fold, columns are lanes. Products of floats have loops of their
 * own.
 */
function reduceInLanes(statement: ReduceStatement, held: Held): ReduceStatement {
  const { row, body, run } = statement;
  if (run !== undefined) return statement;
  const areColumns = statement.accumulators.some((each) => each.row !== null);
  if (!areColumns && isStraight(row) && isStraight(body)) {
    if (statement.accumulators.some(isFloatDot)) return statement;
    const along = alongOrder(statement, held);
    // If there is no whole step, the remainder is the whole loop.
    const vector = along.masked === undefined ? noMoreThan(statement.axes.at(-1)!, along) : along;
    const unrolled = unrolledIn(held, { axis: statement.axes.at(-1)!.axis, body: [...row, ...body] });
    return { ...statement, run: vector, row: row.map(unrolled), body: body.map(unrolled) };
  }
  const jammed = jamRows(statement, (inner, before) => columnsOf(statement, inner, before, held));
  const inside = { ...held, folds: [...(held.folds ?? []), ...statement.accumulators] };
  const within = (part: readonly Statement[]): readonly Statement[] =>
    part.map((each) => inLanes(each, inside));
  return jammed ?? { ...statement, row: within(row), body: within(body) };
}

/** As many elements in a step as the order has lanes; one where they must be taken one by one. */
function alongOrder({ accumulators, axes, scan, row, body }: ReduceStatement, held: Held): Vector {
  const orders = accumulators.map((each) => held.machine.lanesOf(each, scan));
  if (orders.includes(1) || hasLoopCarriedDependence(body, axes.at(-1)!.axis)) return ONE_BY_ONE;
  const order = Math.max(...orders.map((each) => each ?? 1));
  if (scan) return { kind: "vector", lanes: order, copies: 2 };
  // Interleaving pays even in a short body: each step depends on the fold of the one before.
  const facts = factsOf([...row, ...body], held, accumulators);
  const long = facts.cost < LONG_BODY && { cost: LONG_BODY, chain: LONG_BODY, costliest: facts.widest };
  const steps = lanesFor(held.machine, { ...facts, ...long });
  const lanes = Math.max(steps.lanes, order / 4);
  const whole = Math.max(steps.lanes * steps.copies, order);
  const isLong = facts.cost >= LONG_BODY;
  const vector: Vector = { kind: "vector", lanes, copies: whole / lanes, ...(isLong && { spilled: true }) };
  const isPlaced = orders.some((each) => each !== null) || accumulators.some(hasPosition);
  // A single element of an extremum costs no more than preparing the masked lanes.
  if (axes.length > 1 || isGuarded(body) || !(isLong || isPlaced)) return vector;
  return masked(vector, isLong ? Math.max(lanes, whole / 2) : whole, body, held);
}

const hasPosition = ({ fn }: Accumulator): boolean => fn === "argmax" || fn === "argmin";

/**
 * Columns in lanes within jammed rows; null where that is too much code, or there are no rows. Jamming would repeat gathers for each step of
 * the columns.
 */
function columnsOf(
  { axes }: ReduceStatement,
  { body }: ForStatement,
  before: readonly Statement[],
  held: Held,
): Vector | null {
  const size = JAMMED_ROWS * sizeOf([...before, ...body]);
  if (axes.length > 1 || size > UNROLLED_SIZE) return null;
  if ([...before, ...body].some(({ kind }) => kind === "index")) return null;
  const facts = factsOf(body, held);
  const { lanes, copies } = lanesFor(held.machine, { ...facts, size });
  // The jammed rows are already independent chains.
  return {
    kind: "vector",
    lanes,
    copies: facts.cost >= LONG_BODY ? Math.max(1, copies / JAMMED_ROWS) : copies,
  };
}

/** The steps that the iterations fill, where the extent is a literal. */
function noMoreThan({ extent }: LoopAxis, vector: Vector): Vector {
  if (
    vector.masked !== undefined ||
    extent.kind !== "literal" ||
    vector.lanes * vector.copies <= extent.value
  )
    return vector;
  return vector.lanes <= extent.value ? { ...vector, copies: 1 } : ONE_BY_ONE;
}

/** True in the body of a vector. */
const unrolledIn =
  (held: Held, around: Lanes) =>
  (statement: Statement): Statement => {
    if (!isLoop(statement)) return statement;
    const unrolled = unrolledIn(held, around);
    const body = statement.body.map(unrolled);
    const run: Run = { kind: "unrolled", ...(isTransposed(statement, around, held) && { transposed: true }) };
    return statement.kind === "for"
      ? { ...statement, run, body }
      : { ...statement, run, row: statement.row.map(unrolled), body };
  };

/**
 * For machines without lanes: iterations of innermost loops are interleaved op by op. Those of two loops are interleaved where rows share
 * loads. The order of folds and stores is kept.
 */
import {
  type ForStatement,
  isDefinition,
  isLoop,
  type Loop,
  localsDefinedIn,
  pointwiseOps,
  type ReduceStatement,
  type Statement,
  someInteger,
} from "@fuseau/ir";
import { laneMatters } from "../lower/accumulators.ts";
import { decidedBy } from "./decided.ts";
import { hasLoopCarriedDependence, isScatter } from "./dependence.ts";
import type { Vector } from "./lane-steps.ts";
import type { Tactic } from "./tactic.ts";

/** Interleaved iterations: a chain of dependent ops is bound by latency, and ran 6 times as fast with 8 of them. */
const COPIES = 8;
/** The most copies times ops in one body; beyond it V8's register allocator costs more than interleaving saves. */
const COPIED_OPS = 200;
/** Ops of this cost are calls. Interleaving more than a few of them spills registers around each call. */
const CALL_COST = 20;
const CALL_COPIES = 4;
/** Rows that are folded together. */
const FOLDED_ROWS = 4;
/**
 * Rows of a tile; the copies in a body are those of rows and columns. Where rows are a multiple of 4 KiB apart, more rows conflict in the
 * same cache sets: 4 × 2 ran 6 % faster at 1000 columns and 24 % slower at 1024.
 */
const TILE_ROWS = 2;

export const interleaved: Tactic = {
  name: "interleaved",
  schedule: (statement) => [interleave(statement)],
};

function interleave(statement: Statement): Statement {
  if (!isLoop(statement) || statement.run !== undefined) return statement;
  if (statement.kind === "reduce") return interleaveFold(statement);
  const { axis, ordered, body } = statement;
  const rows = ordered ? null : (tile(statement) ?? foldedRows(statement));
  if (rows !== null) return rows;
  const copies = ordered && !isScatter(body) ? 1 : copyCount(body, axis.axis);
  if (copies === 1) return { ...statement, body: body.map(interleave) };
  const isShort = axis.extent.kind === "literal" && axis.extent.value < 2 * copies;
  return { ...statement, run: isShort ? { kind: "unrolled" } : interleavedBy(copies) };
}

/** Where the order has lanes, the copies are those lanes. In a body that is not straight, elements are taken one by one. */
function interleaveFold(statement: ReduceStatement): ReduceStatement {
  const { accumulators, axes, scan, blocked, row, body } = statement;
  if (!isStraight(body) || !isStraight(row))
    return { ...statement, row: row.map(interleave), body: body.map(foldsWithin) };
  if (scan) return statement;
  const { axis, extent } = axes.at(-1)!;
  const free = copyCount(body, axis);
  if (axes.length === 1 && extent.kind === "literal" && !blocked && free === COPIES)
    return { ...statement, run: { kind: "unrolled" } };
  const lanes = accumulators.filter(laneMatters);
  // Rows of accumulators have their lanes in memory, by each element's place.
  const copies = lanes.length === 0 ? free : lanes.some((each) => each.row !== null) ? 1 : COPIES;
  return copies === 1 ? statement : { ...statement, run: interleavedBy(copies) };
}

/** Loops within a fold may fold into its accumulators, by each element's place: those are walked one by one. */
const foldsWithin = (statement: Statement): Statement =>
  statement.kind === "for" ? { ...statement, body: statement.body.map(foldsWithin) } : interleave(statement);

const interleavedBy = (copies: number): Vector => ({ kind: "vector", lanes: 1, copies });

/** How many iterations of a loop over an axis are interleaved. */
function copyCount(body: readonly Statement[], axis: number): number {
  if (!isStraight(body) || hasLoopCarriedDependence(body, axis)) return 1;
  const values = body.flatMap((each) => (each.kind === "let" ? [each.value] : []));
  const calls = values.some((each) => each.kind === "pointwise" && pointwiseOps[each.fn].cost >= CALL_COST);
  let copies = calls ? CALL_COPIES : COPIES;
  while (copies > 1 && copies * values.length > COPIED_OPS) copies /= 2;
  return copies;
}

/** A loop over rows around one over columns. */
function tile(rows: ForStatement): ForStatement | null {
  const inner = rows.body.at(-1);
  if (inner?.kind !== "for" || inner.axis.extent.kind === "literal") return null;
  if (!isStraight(inner.body) || copyCount(inner.body, inner.axis.axis) < COPIES) return null;
  return jammed(rows, inner, TILE_ROWS, COPIES / TILE_ROWS);
}

/** A loop over rows, each folded by itself in any order of lanes. */
function foldedRows(rows: ForStatement): ForStatement | null {
  const reduce = rows.body.find((each) => each.kind === "reduce");
  if (reduce === undefined || reduce.scan || reduce.blocked || reduce.axes.length > 1) return null;
  if (reduce.accumulators.some((each) => each.row !== null || laneMatters(each))) return null;
  const straight = rows.body.flatMap((each) => (each === reduce ? reduce.body : [each]));
  if (!isStraight(straight) || hasLoopCarriedDependence(straight, rows.axis.axis)) return null;
  return jammed(rows, reduce, FOLDED_ROWS, 1);
}

/** The law: straight statements around a straight loop, which is as long in every row. It pays where rows share loads. */
function jammed(rows: ForStatement, inner: Loop, count: number, copies: number): ForStatement | null {
  const before = rows.body.slice(0, rows.body.indexOf(inner));
  const { extent } = inner.kind === "for" ? inner.axis : inner.axes[0]!;
  const own = localsDefinedIn(before);
  if (!isStraight(rows.body.filter((each) => each !== inner))) return null;
  if (someInteger(extent, (leaf) => leaf.kind === "local" && own.includes(leaf.local))) return null;
  const common = commonTo(rows.axis.axis, before, inner.body);
  if (!common.some((each) => each.kind === "let" && each.value.kind === "load")) return null;
  const within = { ...inner, run: interleavedBy(copies) };
  const body = rows.body.map((each) => (each === inner ? within : each));
  return { ...rows, run: { kind: "jam", copies: count }, body };
}

/** The statements of a loop's body that do not depend on the axis of the loop around it. */
export function commonTo(
  axis: number,
  before: readonly Statement[],
  body: readonly Statement[],
): readonly Statement[] {
  const decided = decidedBy(axis, [...before, ...body].filter(isDefinition));
  return body.filter((each) => isDefinition(each) && !decided.has(each.local));
}

/** A statement without loops in it. */
export type Straight = Exclude<Statement, Loop>;

/** No loops, and no sort: iterations would share its scratch. */
export const isStraight = (body: readonly Statement[]): body is readonly Straight[] =>
  body.every((statement) => !isLoop(statement) && statement.kind !== "sort");

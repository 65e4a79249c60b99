/**
 * Which loops are worth printing in another form than plainly, and how many iterations to interleave. All of them keep the
 * order in which values are folded and stored.
 */
import {
  type ForStatement,
  type Integer,
  isLoop,
  type Loop,
  localsDefinedIn,
  mentionsOf,
  pointwiseOps,
  type ReduceStatement,
  type Statement,
  someInteger,
} from "@fuseau/ir";
import { laneMatters } from "../../lower/accumulators.ts";
import { hasLoopCarriedDependence } from "../../tactics/dependence.ts";

/** Iterations that are interleaved: a chain of dependent ops is bound by latency, and ran 6 times faster with 8 of them. */
export const COPIES = 8;
/** Copies times ops in one body; beyond it V8's register allocator spends more than the copies gain. */
const COPIED_OPS = 200;
/** An op this dear is a call. More than a few of them interleaved only spill registers around each other. */
const CALL_COST = 20;
const CALL_COPIES = 4;
/** A statement without loops in it. */
export type Straight = Exclude<Statement, Loop>;

/** No loops; and no sort, whose scratch the iterations of a loop around it share. */
export const isStraight = (body: readonly Statement[]): body is readonly Straight[] =>
  body.every((statement) => !isLoop(statement) && statement.kind !== "sort");

/** How many iterations of the body of a loop over an axis to interleave. */
export function copyCount(body: readonly Statement[], axis: number): number {
  if (!isStraight(body) || hasLoopCarriedDependence(body, axis)) return 1;
  let ops = 0;
  let calls = false;
  for (const statement of body) {
    if (statement.kind !== "let") continue;
    ops++;
    if (statement.value.kind === "pointwise" && pointwiseOps[statement.value.fn].cost >= CALL_COST)
      calls = true;
  }
  let copies = calls ? CALL_COPIES : COPIES;
  while (copies > 1 && copies * ops > COPIED_OPS) copies /= 2;
  return copies;
}

/** True where an extent is another in each of the rows. */
const isDefinedIn = (before: readonly Straight[], extent: Integer): boolean =>
  someInteger(extent, (leaf) => leaf.kind === "local" && localsDefinedIn(before).includes(leaf.local));

export interface FoldedRows {
  readonly before: readonly Straight[];
  readonly reduce: ReduceStatement;
  readonly after: readonly Straight[];
  /** Statements of the reduce loop's body that are the same for every row. */
  readonly shared: ReadonlySet<Statement>;
}

/** A loop over rows, each folded by itself in any order of lanes, that read something in common. */
export function foldedRows({ axis, ordered, body }: ForStatement): FoldedRows | null {
  const at = body.findIndex(({ kind }) => kind === "reduce");
  const reduce = body[at];
  if (ordered || reduce?.kind !== "reduce") return null;
  const before = body.slice(0, at);
  const after = body.slice(at + 1);
  if (!isStraight(before) || !isStraight(after) || !isStraight(reduce.body)) return null;
  if (hasLoopCarriedDependence([...before, ...reduce.body, ...after], axis.axis)) return null;
  if (reduce.scan || reduce.blocked || reduce.axes.length > 1) return null;
  if (reduce.accumulators.some((accumulator) => accumulator.row !== null || laneMatters(accumulator)))
    return null;
  const shared = sharedByRows(axis.axis, before, reduce.body);
  return shared === null ? null : { before, reduce, after, shared };
}

export interface TileableNest {
  readonly before: readonly Straight[];
  readonly inner: ForStatement;
  /** Statements of the inner body that are the same for every row. */
  readonly shared: ReadonlySet<Statement>;
}

/** A loop over rows around one over columns, with something in it that rows share: a broadcast row that is read. */
export function tileable({ axis, ordered, body }: ForStatement): TileableNest | null {
  if (ordered) return null;
  const inner = body.at(-1);
  const before = body.slice(0, -1);
  if (
    inner?.kind !== "for" ||
    !isStraight(before) ||
    !isStraight(inner.body) ||
    copyCount(inner.body, inner.axis.axis) < COPIES
  )
    return null;
  if (inner.axis.extent.kind === "literal" || isDefinedIn(before, inner.axis.extent)) return null;
  const shared = sharedByRows(axis.axis, before, inner.body);
  return shared === null ? null : { before, inner, shared };
}

/** The statements of an inner body that are the same for every row; null when nothing is read in them. */
function sharedByRows(
  row: number,
  before: readonly Straight[],
  body: readonly Straight[],
): ReadonlySet<Statement> | null {
  const varying = new Set(localsDefinedIn(before));
  const shared = new Set<Statement>();
  for (const statement of body) {
    const { axes, locals } = mentionsOf([statement]);
    const varies = axes.has(row) || [...locals].some((local) => varying.has(local));
    if (!varies && statement.kind !== "store" && statement.kind !== "accumulate") shared.add(statement);
    else for (const local of localsDefinedIn([statement])) varying.add(local);
  }
  return [...shared].some((statement) => statement.kind === "let" && statement.value.kind === "load")
    ? shared
    : null;
}

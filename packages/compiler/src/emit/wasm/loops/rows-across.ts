/**
 * Rows of a nest worked on four at a time, where the inner axis strides through something that the outer one walks in steps of one: a
 * transposed operand. Four neighbours of each column are loaded at once, and turned into a piece of each row.
 */
import {
  buffersStoredIn,
  dtypes,
  type ForStatement,
  type Integer,
  inline,
  type Statement,
  someInteger,
} from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { keep } from "../sites/keep.ts";
import { polynomialOf, Site } from "../sites/site.ts";
import { StraightLoop } from "../sites/straight-loop.ts";
import { isTransposed, ROWS, TransposedLoads } from "../sites/transposed.ts";
import { type StraightBody, writeStraight } from "./straight.ts";

export interface Nest {
  readonly before: readonly Statement[];
  readonly inner: ForStatement;
  /** The extent of the inner loop, in terms that are known in front of both loops: one for all rows. */
  readonly columns: Integer;
}

/** The loop as such a nest; null where nothing in it is transposed, or more than loads and stores stands in it. */
export function acrossNest({ axis, ordered, body }: ForStatement, workspaces: Workspaces): Nest | null {
  const inner = body.at(-1);
  const before = body.slice(0, -1);
  if (ordered || inner?.kind !== "for" || inner.ordered || inner.axis.extent.kind === "literal") return null;
  const statements = [...before, ...inner.body];
  if (!before.every(({ kind }) => kind === "integer" || kind === "let") || !inner.body.every(isSimple))
    return null;
  const stored = buffersStoredIn(statements);
  const integers = new Map<number, Integer>();
  const own = (integer: Integer): Integer => inline(integer, (local) => integers.get(local));
  let transposed = false;
  for (const statement of statements) {
    if (statement.kind === "integer") integers.set(statement.local, statement.value);
    if (statement.kind !== "let" || statement.value.kind !== "load") continue;
    const { buffer, at, tests } = statement.value;
    if (tests.length > 0 || stored.has(buffer)) return null;
    const place = polynomialOf(own(at));
    transposed ||=
      isTransposed(place, axis.axis, inner.axis.axis) && dtypes[workspaces.dtypeOf(buffer)].bytes >= 4;
  }
  const columns = own(inner.axis.extent);
  const isFixed = !someInteger(columns, (leaf) => leaf.kind === "axis" && leaf.axis === axis.axis);
  return transposed && isFixed ? { before, inner, columns } : null;
}

const isSimple = (statement: Statement): boolean =>
  statement.kind === "integer" ||
  statement.kind === "let" ||
  (statement.kind === "store" && statement.combine === "set");

/** Columns that are walked by all rows before the next: as many lines of memory as stay close by. */
const STRIP = 64;

/** Rows from where a local stands, as long as there are four; the local then stands at those that are left. */
export function writeAcross(block: Site, at: Local, end: Local, axis: number, nest: Nest): void {
  const { before, inner } = nest;
  const { target } = block.fn;
  const [first, last, columns, from, to] = Array.from({ length: 5 }, () => target.local("i32")) as [
    Local,
    Local,
    Local,
    Local,
    Local,
  ];
  keep(block, columns, block.integer(nest.columns));
  keep(block, from, block.code.scalar("i32", 0));
  target
    .get(at)
    .set(first)
    .get(end)
    .i32(ROWS - 1)
    .op("i32.sub")
    .set(last);
  target.forRange(from, columns, STRIP, () => {
    target.get(first).set(at);
    target.get(from).i32(STRIP).op("i32.add").set(to);
    target.get(to).get(columns).get(to).get(columns).op("i32.lt_s").select().set(to);
    target.forRange(at, last, ROWS, () => {
      const site = new Site(block.fn, block);
      site.axes.set(axis, at);
      const loop = new StraightLoop(site, inner.axis.axis, [ROWS, 1], (steps) => {
        const loads = new TransposedLoads(axis);
        steps.transposed = loads;
        for (let row = 0; row < ROWS; row++) {
          loads.enter(steps, row);
          writeStraight(steps, [...before, ...inner.body] as StraightBody);
        }
        return [];
      });
      loop.start(site, site.input(from, "i32"));
      loop.run(to);
    });
  });
}

/** A phase that writes tables: how far behind the begin of an operand its rows, columns or places along k are, in bytes. */
import type { LoopAxis, OfSizes } from "@fuseau/ir";
import { type Polynomial, zero } from "../../../tactics/polynomial.ts";
import { advance, equal, when } from "../encode/expression.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { Site } from "../sites/site.ts";
import { type Context, type Extent, extentIn, forEachWorkItem, kept } from "./context.ts";

export interface Table {
  readonly axis: LoopAxis;
  /** In elements of so many bytes. */
  readonly offset: Polynomial;
  readonly bytes: number;
  /** The workspace that it is to stand in. */
  readonly workspace: number;
}

/** What a left operand is read by. */
export interface LeftTables {
  readonly lane: Table;
  readonly depth: Table;
}

/** A workspace for a table along an axis. */
export const addTable = (
  workspaces: Workspaces,
  extent: Extent,
  axis: LoopAxis,
  offset: Polynomial,
  bytes: number,
): Table => {
  const workspace = workspaces.add("int32", extent(axis.extent));
  return { axis, offset, bytes, workspace };
};

/** Each table is a work item. */
export function writeTables(
  context: Context,
  planned: PlannedPhase,
  tables: readonly Table[],
  name: string,
): WrittenPhase {
  const extent = extentIn(planned);
  const site = context.open(planned, name);
  const { target } = site.fn;
  forEachWorkItem(site, (item) => {
    tables.forEach(({ axis, offset, bytes, workspace }, k) => {
      when(target, equal({ local: item }, k), () => {
        const around = new Site(site.fn, site);
        const next = kept(around, around.addressOf(workspace, zero, 1));
        const end = kept(around, around.integer(axis.extent));
        const at = target.local("i32");
        target.i32(0).set(at);
        target.forRange(at, end.local, 1, () => {
          const inner = new Site(site.fn, around);
          inner.axes.set(axis.axis, at);
          const behind = kept(inner, inner.times(inner.valueOf(offset), bytes));
          target.get(next.local).get(behind.local).op("i32.store");
          advance(target, next, 4);
        });
      });
    });
  });
  site.flush();
  site.fn.finish();
  const extents = tables.map(({ axis }) => extent(axis.extent));
  const longest: OfSizes = (sizes) => Math.max(...extents.map((each) => each(sizes)));
  return {
    index: target.index,
    phase: { sequential: false, workItems: () => tables.length, work: longest },
  };
}

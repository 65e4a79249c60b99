/** A phase that writes tables of offsets: the distance of rows, columns or places along k from the begin of an operand, in bytes. */
import type { LoopAxis } from "@fuseau/ir";
import { greatestOf } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { type Polynomial, zero } from "../../../tactics/polynomial.ts";
import type { Product } from "../../../tactics/products/nest.ts";
import type { Separable } from "../../../tactics/products/operand.ts";
import { extentIn } from "../../../tactics/work.ts";
import { equal } from "../encode/expression.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { Site } from "../sites/site.ts";
import { type Context, kept } from "./context.ts";
import { writeItems } from "./items.ts";

export interface Table {
  readonly axis: LoopAxis;
  /** In elements, which have `bytes` bytes. */
  readonly offset: Polynomial;
  readonly bytes: number;
  /** The workspace that holds the table. */
  readonly workspace: number;
}

/** Adds a workspace for the table of an operand's offsets along an axis. */
export const addTable = (
  { workspaces, kinds }: Context,
  planned: PlannedPhase,
  { element }: Product,
  axis: LoopAxis,
  offset: Polynomial,
): Table => {
  const workspace = workspaces.add("int32", extentIn(planned)(axis.extent));
  return { axis, offset, bytes: kinds[element].elementBytes, workspace };
};

/** The tables by which an operand is read. */
export interface OperandTables {
  readonly lane: Table;
  readonly depth: Table;
}

export const addTables = (
  context: Context,
  planned: PlannedPhase,
  lanes: LoopAxis,
  product: Product,
  { byLane, byDepth }: Separable,
): OperandTables => ({
  lane: addTable(context, planned, product, lanes, byLane),
  depth: addTable(context, planned, product, product.depth, byDepth),
});

/** Writes the phase; each table is a work item. */
export function writeTables(
  context: Context,
  planned: PlannedPhase,
  tables: readonly Table[],
  name: string,
): WrittenPhase {
  const extents = tables.map(({ axis }) => extentIn(planned)(axis.extent));
  const number = context.numbering.axis();
  return writeItems(context, planned, name, {
    axes: [{ axis: number.axis, extent: { kind: "literal", value: tables.length } }],
    write: (site) => {
      const { target } = site.fn;
      const item = kept(site, site.integer(number));
      tables.forEach(({ axis, offset, bytes, workspace }, k) => {
        target.when(equal(item, k), () => {
          const around = new Site(site.fn, site);
          const next = kept(around, around.addressOf(workspace, zero, 1));
          const end = kept(around, around.integer(axis.extent));
          const at = target.local("i32");
          target.i32(0).set(at);
          target.forRange(at, end.local, 1, () => {
            const inner = new Site(site.fn, around);
            inner.axes.set(axis.axis, at);
            const behind = kept(inner, inner.times(inner.valueOf(offset), bytes));
            target.store("i32.store", next, behind).advance(next, 4);
          });
        });
      });
    },
    work: greatestOf(extents),
  });
}

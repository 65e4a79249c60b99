/** The right operand of a product, where it must be computed before it can be packed: a block of columns in a workspace. */
import { type Definition, definitionsOf, type Integer, mentionsOf, type Statement } from "@fuseau/ir";
import { plus, times } from "../../../tactics/integers.ts";
import type { Nest } from "../../../tactics/products/nest.ts";
import type { PlannedProduct } from "../../../tactics/products/plan.ts";
import { replaceAxis } from "../../../tactics/steps.ts";
import type { Variable } from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import { Site } from "../sites/site.ts";

/** Elements between neighbours in a block of so many columns: it is written in the order in which memory is read. */
export const blockStrides = (
  { contiguousColumns, depth }: PlannedProduct,
  columns: number | Integer,
): { readonly row: Integer; readonly column: Integer } =>
  contiguousColumns
    ? { row: times(columns, 1), column: times(1, 1) }
    : { row: times(1, 1), column: depth.extent };

/** The definitions that the right operand rests on, among those around the product and in it. */
const neededOf = ({ right, definitions }: PlannedProduct): readonly Definition[] =>
  definitionsOf(right.kind === "local" ? [right.local] : [], definitions);

/** What it rests on of that which outer loops decide. */
export function sharedOf({ shared }: Nest, product: PlannedProduct): readonly Definition[] {
  const { right } = product;
  return definitionsOf(
    [...(right.kind === "local" ? [right.local] : []), ...mentionsOf(neededOf(product)).locals],
    shared,
  );
}

/** Writes some columns to a workspace that has room for `room` of them. */
export function writeRight(
  site: Site,
  { dependence }: Nest,
  product: PlannedProduct,
  workspace: number,
  { first, columns }: { readonly first: Variable; readonly columns: Variable },
  room: number | Integer,
): void {
  const { right, depth, column, contiguousColumns } = product;
  const { numbering } = site.fn;
  /** The first column of those at hand and how many they are, as locals of the loop IR. */
  const [start, count] = [numbering.local(), numbering.local()];
  const strides = blockStrides(product, room);
  const alongDepth = times({ kind: "axis", axis: depth.axis }, strides.row);
  const at: Integer =
    column === null
      ? alongDepth
      : plus(alongDepth, times({ kind: "axis", axis: column.axis }, strides.column));
  const store: Statement = { kind: "store", buffer: workspace, at, value: right, combine: "set" };
  const needed = neededOf(product);
  const present = column && { axis: column.axis, extent: count };
  const [outer, inner] = contiguousColumns ? [depth, present] : [present, depth];
  const decided = (each: Definition, by: typeof outer): boolean =>
    by !== null && dependence.axesOfLocal(each.local).has(by.axis);
  const inInner = needed.filter((each) => decided(each, inner));
  const inOuter = needed.filter((each) => !inInner.includes(each) && decided(each, outer));
  const around = needed.filter((each) => !inInner.includes(each) && !inOuter.includes(each));
  const within = (axis: typeof outer, body: readonly Statement[]): readonly Statement[] =>
    axis === null ? body : [{ kind: "for", axis, ordered: false, body }];

  site.flush();
  const shifted = new Site(site.fn, site);
  shifted.integers.set(start.local, shifted.input(first.local, "i32"));
  shifted.integers.set(count.local, shifted.input(columns.local, "i32"));
  // In the text, not by what the axis is bound to: a loop that is cut at its guards asks where the column stands.
  const moved = (statements: readonly Statement[]): readonly Statement[] =>
    column === null
      ? statements
      : replaceAxis(statements, column.axis, plus({ kind: "axis", axis: column.axis }, start));
  const body = [...moved(inOuter), ...within(inner, [...moved(inInner), store])];
  writeBlock(shifted, [...moved(around), ...within(outer, body)]);
  shifted.flush();
}

/** A right operand that must be computed before it is packed: a block of columns in a workspace. */
import { type Definition, definitionsOf, type Integer, mentionsOf, type Statement } from "@fuseau/ir";
import { plus, times } from "../../../tactics/integers.ts";
import type { Nest } from "../../../tactics/products/nest.ts";
import type { PlannedProduct } from "../../../tactics/products/plan.ts";
import { replaceAxis } from "../../../tactics/steps.ts";
import type { Variable } from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import { Site } from "../sites/site.ts";

/** Strides of a block of columns, in elements. The block is written in the order in which its sources lie in memory. */
export const blockStrides = (
  { contiguousColumns, depth }: PlannedProduct,
  columns: number | Integer,
): { readonly row: Integer; readonly column: Integer } =>
  contiguousColumns
    ? { row: times(columns, 1), column: times(1, 1) }
    : { row: times(1, 1), column: depth.extent };

/** The definitions that the right operand depends on, among those around the product and within it. */
const neededOf = ({ right, definitions }: PlannedProduct): readonly Definition[] =>
  definitionsOf(right.kind === "local" ? [right.local] : [], definitions);

/** The definitions that it depends on, among those that outer loops share. */
export function sharedOf({ shared }: Nest, product: PlannedProduct): readonly Definition[] {
  const { right } = product;
  return definitionsOf(
    [...(right.kind === "local" ? [right.local] : []), ...mentionsOf(neededOf(product)).locals],
    shared,
  );
}

/** Computes some columns into a workspace, which has the strides of a block of `room` columns. */
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
  /** The first of these columns and their number, as integer locals of the loop IR. */
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
  // The axis is replaced in the text, not bound at the site: a loop that is cut at its guards reads the axis there.
  const moved = (statements: readonly Statement[]): readonly Statement[] =>
    column === null
      ? statements
      : replaceAxis(statements, column.axis, plus({ kind: "axis", axis: column.axis }, start));
  const body = [...moved(inOuter), ...within(inner, [...moved(inInner), store])];
  writeBlock(shifted, [...moved(around), ...within(outer, body)]);
  shifted.flush();
}

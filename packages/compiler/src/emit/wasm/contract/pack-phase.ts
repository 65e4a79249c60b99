/** The phase that packs the right operand of a product, once for each iteration that has one of its own. */
import type { Integer, OfSizes } from "@fuseau/ir";
import { overUp, plus, times } from "../../../tactics/integers.ts";
import { zero } from "../../../tactics/polynomial.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import type { PlannedProduct } from "../../../tactics/products/plan.ts";
import { add, and, callWith, define, equal, less, min, mul, sub, when } from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import { openAxes } from "../loops/places.ts";
import { isUnpacked, isUnpackedSize } from "../matmul/matmul.ts";
import { packB } from "../matmul/packed.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { productOf } from "../plan/work.ts";
import { Site } from "../sites/site.ts";
import {
  type Context,
  extentIn,
  forEachWorkItem,
  iterations,
  kept,
  locate,
  packedAxes,
  packedCells,
} from "./context.ts";
import { blockStrides, sharedOf, writeRight } from "./right.ts";

/** Columns that are packed as one work item: whole panels of every kind. */
const GROUP = 64;

/** Where the packed operand of the iteration at hand begins, in units. */
export function packedPlace(context: Context, nest: Nest, product: PlannedProduct): Integer {
  const number = packedAxes(nest, product).reduce<Integer>(
    (place, { axis, extent }) => plus(times(place, extent), { kind: "axis", axis }),
    { kind: "literal", value: 0 },
  );
  return times(number, packedCells(context, product));
}

/** Gives the workspace that holds the packed operands. */
export function writePack(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  product: PlannedProduct,
  name: string,
): { readonly workspace: number; readonly written: WrittenPhase } {
  const { kinds, workspaces, module } = context;
  const { element, width, depth, column, a, b } = product;
  const kind = kinds[element];
  // What is computed is packed at once, and a left operand by tables meets nothing else.
  const isAlways = b === null || "byLane" in a;
  const extent = extentIn(planned);
  const axes = packedAxes(nest, product);
  const [wide, deep] = [extent(width), extent(depth.extent)];
  const workspace = workspaces.add(
    sumType(product),
    productOf([iterations(axes, extent), extent(packedCells(context, product))]),
  );
  const own = workspaces.list.length;
  const block = b === null ? workspaces.add(element, productOf([() => GROUP, deep])) : null;
  const group = context.numbering.axis();
  const groups = { axis: group.axis, extent: overUp(width, GROUP) };

  const site = context.open(planned, name);
  const { target } = site.fn;
  forEachWorkItem(site, (item) => {
    const around = new Site(site.fn, site);
    openAxes(around, [...axes, groups], around.input(item, "i32"));
    const n = kept(around, around.integer(column?.extent ?? { kind: "literal", value: 1 }));
    const k = kept(around, around.integer(depth.extent));
    const first = kept(around, around.integer(times(group, GROUP)));
    // The last strip of an axis has fewer columns than the widest.
    const m = kept(around, around.integer(nest.row?.extent ?? { kind: "literal", value: 1 }));
    const isWanted = isAlways ? less(first, n) : and(less(first, n), equal(isUnpacked(kind, m, n, k), 0));
    when(target, isWanted, () => {
      const last = define(target, min(n, add(first, GROUP)));
      const within = new Site(site.fn, around);
      const place = within.polynomial(packedPlace(context, nest, product));
      const packed = kept(within, within.addressOf(workspace, place, kind.unitBytes));
      if (b !== null) {
        const [from, columnStride, rowStride] = locate(
          within,
          b,
          { kind: "literal", value: 0 },
          kind.elementBytes,
        );
        callWith(target, packB(module, kind), [from, rowStride, columnStride, n, k, packed, first, last]);
      } else {
        writeBlock(within, sharedOf(nest, product));
        writeRight(
          within,
          nest,
          product,
          block!,
          { first, columns: define(target, sub(last, first)) },
          GROUP,
        );
        const { row, column: next } = blockStrides(product, GROUP);
        const columnStride = kept(within, within.integer(next));
        const start = kept(within, within.addressOf(block!, zero, 1));
        const from = sub(start, mul(first, mul(columnStride, kind.elementBytes)));
        const rowStride = kept(within, within.integer(row));
        callWith(target, packB(module, kind), [from, rowStride, columnStride, n, k, packed, first, last]);
      }
    });
  });
  context.claim(own);
  site.flush();
  site.fn.finish();
  const perWorkItem: OfSizes = (sizes) => (GROUP * deep(sizes)) / PACKED_AT_ONCE;
  const rows = isAlways || nest.row === null ? null : extent(nest.row.extent);
  const all = iterations([...axes, groups], extent);
  const workItems: OfSizes = (sizes) =>
    rows !== null && isUnpackedSize(kind, rows(sizes), wide(sizes), deep(sizes)) ? 0 : all(sizes);
  return {
    workspace,
    written: { index: target.index, phase: { sequential: false, workItems, work: perWorkItem } },
  };
}

/** Elements that are packed in the time in which one is added. */
const PACKED_AT_ONCE = 2;

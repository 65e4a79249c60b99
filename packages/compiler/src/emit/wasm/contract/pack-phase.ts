/** The phase that packs the right operand of a product, once for each iteration of the loops that it depends on. */
import { type Integer, InternalError } from "@fuseau/ir";
import { overUp, times } from "../../../tactics/integers.ts";
import { always, computed, productOf, scaled } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { zero } from "../../../tactics/polynomial.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import type { PlannedProduct } from "../../../tactics/products/plan.ts";
import { extentIn, iterations } from "../../../tactics/work.ts";
import {
  add,
  and,
  type Expression,
  equal,
  less,
  min,
  mul,
  sub,
  type Variable,
} from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import type { Kind } from "../matmul/kinds.ts";
import { isUnpacked } from "../matmul/matmul.ts";
import { packB, packTabledB } from "../matmul/packed.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { Site } from "../sites/site.ts";
import { type Context, kept, locate, numberAmong, packedAxes, packedCells } from "./context.ts";
import { ONE, writeItems } from "./items.ts";
import { blockStrides, sharedOf, writeRight } from "./right.ts";
import type { OperandTables } from "./tables.ts";

const ZERO: Integer = { kind: "literal", value: 0 };

/** Columns that one work item packs: whole panels of every kind. */
const GROUP = 64;

/** The begin of the current iteration's packed operand, in units. */
export const packedPlace = (context: Context, nest: Nest, product: PlannedProduct): Integer =>
  times(numberAmong(packedAxes(nest, product)), packedCells(context, product));

/** Returns the workspace of the packed operands, too. */
export function writePack(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  product: PlannedProduct,
  tables: OperandTables | null,
  name: string,
): { readonly workspace: number; readonly written: WrittenPhase } {
  const { kinds, workspaces, module } = context;
  const { element, width, depth, column, a, b } = product;
  const kind = kinds[element];
  // A computed operand has to be packed, and one if either is read by tables.
  const isAlways = b === null || tables !== null || "byLane" in a;
  const extent = extentIn(planned);
  const axes = packedAxes(nest, product);
  const [wide, deep] = [extent(width), extent(depth.extent)];
  const workspace = workspaces.add(
    sumType(product),
    productOf([iterations(axes, extent), extent(packedCells(context, product))]),
  );
  const group = context.numbering.axis();
  const groups = { axis: group.axis, extent: overUp(width, GROUP) };
  const written = writeItems(context, planned, name, {
    axes: [...axes, groups],
    write: (around) => {
      const { target } = around.fn;
      const n = kept(around, around.integer(column?.extent ?? ONE));
      const k = kept(around, around.integer(depth.extent));
      const first = kept(around, around.integer(times(group, GROUP)));
      // The last strip of columns may be narrower.
      const m = kept(around, around.integer(nest.row?.extent ?? ONE));
      const isWanted = isAlways ? less(first, n) : and(less(first, n), equal(isUnpacked(kind, m, n, k), 0));
      target.when(isWanted, () => {
        const last = target.define(min(n, add(first, GROUP)));
        const within = new Site(around.fn, around);
        const place = within.polynomial(packedPlace(context, nest, product));
        const packed = kept(within, within.addressOf(workspace, place, kind.unitBytes));
        const pack = (from: Expression, rowBytes: Variable, columnBytes: Variable) =>
          target.call(packB(module, kind), [from, rowBytes, columnBytes, n, k, packed, first, last]);
        if (b !== null && "byLane" in b) {
          const start = (slot: number): Variable => kept(within, within.addressOf(slot, zero, 1));
          if (tables === null) throw new InternalError("a right operand by tables has none");
          target.call(packTabledB(module, kind), [
            kept(within, within.addressOf(b.buffer, b.base, kind.elementBytes)),
            ...[start(tables.lane.workspace), start(tables.depth.workspace)],
            ...[n, k, packed, first, last],
          ]);
          return;
        }
        if (b !== null) {
          const [from, columnBytes, rowBytes] = locate(within, b, ZERO, kind.elementBytes);
          pack(from, rowBytes, columnBytes);
          return;
        }
        const block = workspaces.add(element, productOf([always(GROUP), deep]));
        writeBlock(within, sharedOf(nest, product));
        writeRight(within, nest, product, block, { first, columns: target.define(sub(last, first)) }, GROUP);
        const strides = blockStrides(product, GROUP);
        const bytes = (elements: Integer): Variable =>
          kept(within, within.integer(times(elements, kind.elementBytes)));
        const columnBytes = bytes(strides.column);
        const start = kept(within, within.addressOf(block, zero, 1));
        pack(sub(start, mul(first, columnBytes)), bytes(strides.row), columnBytes);
      });
    },
    work: scaled(deep, GROUP / PACKED_AT_ONCE),
  });
  const rows = isAlways || nest.row === null ? null : extent(nest.row.extent);
  const { phase } = written;
  const workItems =
    rows === null ? phase.workItems : computed([rows, wide, deep, phase.workItems], itemsIfPacked(kind));
  return { workspace, written: { ...written, phase: { ...phase, workItems } } };
}

const itemsIfPacked =
  (kind: Kind) =>
  (rows: number, wide: number, deep: number, items: number): number =>
    isUnpacked(kind, rows, wide, deep) === 1 ? 0 : items;

/** Elements that are packed in the time of one pointwise addition. */
const PACKED_AT_ONCE = 2;

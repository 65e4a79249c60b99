/** The phases of a product of windows: one writes the tables, one packs the filters, one multiplies (matmul/window.ts). */
import type { DType, Integer, LoopAxis, Operand } from "@fuseau/ir";
import { least, over, overUp, plus, times } from "../../../tactics/integers.ts";
import { always, productOf, scaled, sumOf } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { asNumber, type Polynomial, zero } from "../../../tactics/polynomial.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import { blockRows } from "../../../tactics/products/plan.ts";
import { storeOf } from "../../../tactics/products/stored.ts";
import type { WindowProduct } from "../../../tactics/products/windows.ts";
import { stepAlong } from "../../../tactics/strides.ts";
import { extentIn, iterations, knownIn, workOf } from "../../../tactics/work.ts";
import { type Expression, equal, min, sub, type Variable } from "../encode/expression.ts";
import { writeBlock } from "../loops/block.ts";
import { pack, packTabled, packVector } from "../matmul/pack.ts";
import { multiplyWindows, panelRows } from "../matmul/window.ts";
import type { WindowStep } from "../matmul/window-tile.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { Site } from "../sites/site.ts";
import { store } from "../sites/statements.ts";
import { type Context, kept, locate, numberAmong, PRODUCTS_AT_ONCE, tileRows } from "./context.ts";
import { ONE, writeItems, writeRowBlocks, writeRows } from "./items.ts";
import { addTable, addTables, type OperandTables, type Table, writeTables } from "./tables.ts";
import { TileHome } from "./tile-home.ts";

const ZERO: Integer = { kind: "literal", value: 0 };

export function writeWindows(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  name: string,
): WrittenPhase[] {
  const { product, window, left } = found;
  const { depth } = product;
  const row = nest.row ?? { axis: context.numbering.axis().axis, extent: ONE };
  const offsets = addTable(context, planned, product, depth, window.byDepth);
  const ofLeft = "byLane" in left ? addTables(context, planned, row, product, left) : null;
  const extent = extentIn(planned);
  const packed = context.workspaces.add(
    sumType(product),
    productOf([iterations(leftAxes(nest, found), extent), extent(panelledRows(nest)), extent(depth.extent)]),
  );
  return [
    writeTables(context, planned, [offsets, ...Object.values(ofLeft ?? {})], `${name}_tables`),
    writeFilters(context, planned, nest, found, ofLeft, packed, `${name}_filters`),
    writeSums(context, planned, nest, found, { packed, offsets: offsets.workspace }, name),
  ];
}

/** Workspaces: the left operand, packed in panels along all of k; the offsets of the right operand along k, in bytes. */
interface Prepared {
  readonly packed: number;
  readonly offsets: number;
}

/** The outer loops that the left operand depends on. */
const leftAxes = ({ dependence, outer }: Nest, { product }: WindowProduct): LoopAxis[] =>
  outer.filter(({ axis }) => dependence.axesOf(product.left).has(axis));

/** Rows of the left operand, filled up to whole panels. */
function panelledRows({ row }: Nest): Integer {
  const height = panelRows(row === null);
  return row === null ? ONE : times(overUp(row.extent, height), height);
}

/** Rows that one work item packs: whole panels of every kind. */
const PACKED_ROWS = 48;

/** Packs the left operand, for each iteration of the outer loops that it depends on. */
function writeFilters(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  tables: OperandTables | null,
  packed: number,
  name: string,
): WrittenPhase {
  const { module, kinds, numbering } = context;
  const { product, left } = found;
  const { depth } = product;
  const kind = kinds[product.element];
  const extent = extentIn(planned);
  const axes = leftAxes(nest, found);
  const group = numbering.axis();
  const groups = {
    axis: group.axis,
    extent: nest.row === null ? ONE : overUp(nest.row.extent, PACKED_ROWS),
  };

  const deep = extent(depth.extent);
  return writeItems(context, planned, name, {
    axes: [...axes, groups],
    write: (around) => {
      const { target } = around.fn;
      const k = kept(around, around.integer(depth.extent));
      const first = times(group, PACKED_ROWS);
      const rowsBefore = plus(times(numberAmong(axes), panelledRows(nest)), first);
      const place = around.polynomial(times(rowsBefore, depth.extent));
      const to = kept(around, around.addressOf(packed, place, kind.unitBytes));
      const rows = kept(around, around.integer(plus(nest.row?.extent ?? ONE, times(first, -1))));
      const here = min(rows, PACKED_ROWS);
      const height = panelRows(nest.row === null);
      if ("byLane" in left) {
        const entry = ({ workspace }: Table, at: Integer): Variable =>
          kept(around, around.addressOf(workspace, around.polynomial(at), 4));
        const from = kept(around, around.addressOf(left.buffer, left.base, kind.elementBytes));
        const { lane, depth } = tables!;
        target.call(packTabled(module, kind, height), [
          ...[from, entry(lane, first), entry(depth, ZERO), here, k, to],
        ]);
      } else {
        const [from, laneBytes, depthBytes] =
          "alongLane" in left
            ? locate(around, left, first, kind.elementBytes)
            : [keptInMemory(around, product.element, left), 0, 0];
        if (nest.row === null) target.call(packVector(module, kind), [from, depthBytes, k, to]);
        else target.call(pack(module, kind, height), [from, laneBytes, depthBytes, here, k, to]);
      }
    },
    work: scaled(deep, PACKED_ROWS / 2),
  });
}

/** The address of an element that holds the value, from which all are packed. */
function keptInMemory(site: Site, dtype: DType, { value }: { readonly value: Operand }): Variable {
  const slot = site.fn.workspaces.add(dtype, always(1));
  const address = site.addressOf(slot, zero, 1);
  store(site, slot, { kind: "one", address, offset: 0 }, site.value(value));
  site.flush();
  return kept(site, address);
}

/** The least number of multiplications of a work item, if there are enough windows. */
const PER_ITEM: Integer = { kind: "literal", value: 1 << 18 };

/** How many consecutive windows form one work item; at most an eighth, so that threads can share them. */
function slidesOf({ slide, product }: WindowProduct, rows: Integer): Integer {
  if (slide === null) return ONE;
  // Adding 1 avoids a division by 0 when there are no sums, or nothing to sum.
  const perSlide = plus(times(rows, product.width), 1);
  const enough = over(over(PER_ITEM, perSlide), plus(product.depth.extent, 1));
  return plus(1, least(enough, over(slide.extent, 8)));
}

function writeSums(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  { packed, offsets }: Prepared,
  name: string,
): WrittenPhase {
  const { workspaces, module, numbering } = context;
  const { row, shared } = nest;
  const { product, window, alongColumn, slide, behind: body } = found;
  const { depth, width, column } = product;
  const kind = context.kinds[product.element];
  const rows = blockRows(nest, tileRows(context));
  const extent = extentIn(planned);
  const firstSlide = numbering.local();
  const slides = slidesOf(found, rows);
  const place = storeOf(nest, product, body, (buffer) => workspaces.dtypeOf(buffer));
  const isEven = place !== null && (slide === null || stepAlong(place.base, slide.axis) !== null);
  const stored = isEven ? place : null;
  const behind = stored === null ? body : [];
  const perSlide = times(rows, width);
  const products = productOf([extent(width), extent(depth.extent)]);
  const other = workOf(behind, knownIn(planned));
  return writeRowBlocks(context, planned, name, nest, {
    rows,
    together: slide === null ? null : { loop: slide, size: slides },
    front: [perSlide, panelledRows(nest)],
    write: (around, block, [perSlideHere, leftRows]) => {
      const { target } = around.fn;
      const { first, last, begin, end } = block;
      const tile = workspaces.add(sumType(product), productOf([extent(perSlide), extent(slides)]));
      around.integers.set(firstSlide.local, around.input(begin.local, "i32"));
      const at = target.define(begin);
      if (slide !== null) around.axes.set(slide.axis, at.local);
      const value = (integer: Integer): Variable => kept(around, around.integer(integer));
      const bytesAlong = (along: Polynomial): Variable =>
        kept(around, around.times(around.valueOf(along), kind.unitBytes));
      const stepOf = (from: Polynomial): Expression =>
        slide === null ? 0 : bytesAlong(stepAlong(from, slide.axis)!);
      const start = (slot: number): Variable => kept(around, around.addressOf(slot, zero, 1));
      const left = times(
        plus(times(numberAmong(leftAxes(nest, found)), leftRows!), nest.firstRow),
        depth.extent,
      );
      const sums = [
        start(tile),
        bytesAlong(around.polynomial(width)),
        bytesAlong(around.polynomial(perSlideHere!)),
      ];
      const to =
        stored === null
          ? sums
          : [
              locate(around, stored, nest.firstRow, kind.unitBytes)[0],
              bytesAlong(stored.alongLane),
              stepOf(stored.base),
            ];
      const operands = [
        kept(around, around.addressOf(packed, around.polynomial(left), kind.unitBytes)),
        kept(around, around.addressOf(window.buffer, window.base, kind.unitBytes)),
        ...[bytesAlong(alongColumn), stepOf(window.base), start(offsets), ...to, ...sums],
        ...[sub(last, first), value(column?.extent ?? ONE), sub(end, begin), value(depth.extent)],
      ];
      const multiply = (step: WindowStep) =>
        target.call(multiplyWindows(module, kind, row === null, step), operands);
      if (asNumber(alongColumn) === 1) multiply(1);
      else {
        const isSecond = equal(operands[2]!, 2 * kind.unitBytes);
        target.when(
          isSecond,
          () => multiply(2),
          () => multiply("any"),
        );
      }
      if (behind.length === 0) return;
      target.forRange(at.local, end.local, 1, () => {
        const within = new Site(around.fn, around);
        writeBlock(within, shared);
        const slid = times(
          plus({ kind: "axis", axis: slide?.axis ?? 0 }, times(firstSlide, -1)),
          perSlideHere!,
        );
        const home = new TileHome(nest, product, tile, slide === null ? null : slid);
        within.accumulators.set(product.accumulator.accumulator, home);
        writeRows(within, nest, block, behind);
      });
    },
    work: sumOf([scaled(products, 1 / PRODUCTS_AT_ONCE), other]),
  });
}

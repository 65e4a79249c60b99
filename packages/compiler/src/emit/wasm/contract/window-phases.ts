/** The phases of a product of windows: one packs the filters and says where elements along k stand, one makes the sums (window.ts). */
import type { Integer, LoopAxis, OfSizes } from "@fuseau/ir";
import { least, over, overUp, plus, times } from "../../../tactics/integers.ts";
import { asNumber, type Polynomial, zero } from "../../../tactics/polynomial.ts";
import { type Nest, sumType } from "../../../tactics/products/nest.ts";
import { blockRows } from "../../../tactics/products/plan.ts";
import { storeOf } from "../../../tactics/products/stored.ts";
import type { WindowProduct } from "../../../tactics/products/windows.ts";
import { stepAlong } from "../../../tactics/strides.ts";
import {
  add,
  callWith,
  define,
  type Expression,
  equal,
  min,
  mul,
  sub,
  type Variable,
  when,
} from "../encode/expression.ts";
import { writeBlock, writeRange } from "../loops/block.ts";
import { openAxes } from "../loops/places.ts";
import { pack, packVector } from "../matmul/pack.ts";
import { packTabled } from "../matmul/pack-tabled.ts";
import { multiplyWindows, panelRows } from "../matmul/window.ts";
import type { WindowStep } from "../matmul/window-tile.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { productOf, workOf } from "../plan/work.ts";
import { Site } from "../sites/site.ts";
import {
  type Context,
  extentIn,
  forEachWorkItem,
  iterations,
  kept,
  knownIn,
  locate,
  PRODUCTS_AT_ONCE,
  tileRows,
} from "./context.ts";
import { addTable, type LeftTables, type Table, writeTables } from "./tables.ts";
import { TileHome } from "./tile-home.ts";

const ZERO: Integer = { kind: "literal", value: 0 };
const ONE: Integer = { kind: "literal", value: 1 };

export function writeWindows(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  name: string,
): WrittenPhase[] {
  const { product, window, left } = found;
  const { depth } = product;
  const kind = context.kinds[product.element];
  const row = nest.row ?? { axis: context.numbering.axis().axis, extent: ONE };
  const table = (axis: LoopAxis, offset: Polynomial): Table =>
    addTable(context.workspaces, extentIn(planned), axis, offset, kind.elementBytes);
  const offsets = table(depth, window.byDepth);
  const ofLeft =
    "alongLane" in left
      ? null
      : {
          lane: table(row, left.byLane),
          depth: table(depth, left.byDepth),
        };
  const tables = ofLeft === null ? [offsets] : [offsets, ofLeft.lane, ofLeft.depth];
  const packed = addPacked(context, planned, nest, found);
  return [
    writeTables(context, planned, tables, `${name}_tables`),
    writeFilters(context, planned, nest, found, ofLeft, packed, `${name}_filters`),
    writeSums(context, planned, nest, found, { packed, offsets: offsets.workspace }, name),
  ];
}

/** Workspaces: the left operand in panels of all of k, and where elements along k of the right one stand, in bytes. */
interface Prepared {
  readonly packed: number;
  readonly offsets: number;
}

/** The outer loops that decide the left operand. */
const leftAxes = ({ dependence, outer }: Nest, { product }: WindowProduct): LoopAxis[] =>
  outer.filter(({ axis }) => dependence.axesOf(product.left).has(axis));

/** Rows of the left operand, filled up to whole panels. */
function panelledRows({ row }: Nest): Integer {
  const height = panelRows(row === null);
  return row === null ? ONE : times(overUp(row.extent, height), height);
}

function addPacked({ workspaces }: Context, planned: PlannedPhase, nest: Nest, found: WindowProduct): number {
  const extent = extentIn(planned);
  const { product } = found;
  return workspaces.add(
    sumType(product),
    productOf([
      iterations(leftAxes(nest, found), extent),
      extent(panelledRows(nest)),
      extent(product.depth.extent),
    ]),
  );
}

/** Rows that are packed as one work item: whole panels of every kind. */
const PACKED_ROWS = 48;

/** Packs the left operand, for each iteration of the outer loops that decide it. */
function writeFilters(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  tables: LeftTables | null,
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

  const site = context.open(planned, name);
  const { target } = site.fn;
  forEachWorkItem(site, (item) => {
    const around = new Site(site.fn, site);
    openAxes(around, [...axes, groups], around.input(item, "i32"));
    const k = kept(around, around.integer(depth.extent));
    const first = times(group, PACKED_ROWS);
    const rowsBefore = plus(times(numberAmong(axes), panelledRows(nest)), first);
    const place = around.polynomial(times(rowsBefore, depth.extent));
    const to = kept(around, around.addressOf(packed, place, kind.unitBytes));
    const rows = kept(around, around.integer(plus(nest.row?.extent ?? ONE, times(first, -1))));
    const here = min(rows, PACKED_ROWS);
    const height = panelRows(nest.row === null);
    if (tables !== null) {
      const entry = ({ workspace }: Table, at: Integer): Variable =>
        kept(around, around.addressOf(workspace, around.polynomial(at), 4));
      const from = kept(around, around.addressOf(left.buffer, left.base, kind.elementBytes));
      callWith(target, packTabled(module, kind, height), [
        ...[from, entry(tables.lane, first), entry(tables.depth, ZERO), here, k, to],
      ]);
    } else if ("alongLane" in left) {
      const [from, laneStride, depthStride] = locate(around, left, first, kind.elementBytes);
      const depthBytes = mul(depthStride, kind.elementBytes);
      if (nest.row === null) callWith(target, packVector(module, kind), [from, depthBytes, k, to]);
      else {
        const laneBytes = mul(laneStride, kind.elementBytes);
        callWith(target, pack(module, kind, height), [from, laneBytes, depthBytes, here, k, to]);
      }
    }
  });
  site.flush();
  site.fn.finish();
  const workItems = iterations([...axes, groups], extent);
  const deep = extent(depth.extent);
  const work: OfSizes = (sizes) => (PACKED_ROWS * deep(sizes)) / 2;
  return { index: target.index, phase: { sequential: false, workItems, work } };
}

/** The number of the iteration at hand of some loops, in row-major order. */
const numberAmong = (axes: readonly LoopAxis[]): Integer =>
  axes.reduce<Integer>((place, { axis, extent }) => plus(times(place, extent), { kind: "axis", axis }), ZERO);

/** Multiplications of one work item, at least, if there are windows enough. */
const PER_ITEM = 1 << 18;

/** How many windows that follow each other are one work item; enough items are left for some threads. */
function slidesOf({ slide, product }: WindowProduct, rows: Integer): Integer {
  if (slide === null) return ONE;
  // Where there are no sums, or nothing is summed, nothing is divided by that.
  const perSlide = plus(times(rows, product.width), 1);
  const enough = over(over(PER_ITEM_INTEGER, perSlide), plus(product.depth.extent, 1));
  return plus(1, least(enough, over(slide.extent, 8)));
}
const PER_ITEM_INTEGER: Integer = { kind: "literal", value: PER_ITEM };

function writeSums(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  { packed, offsets }: Prepared,
  name: string,
): WrittenPhase {
  const { workspaces, module, numbering } = context;
  const { row, outer, shared } = nest;
  const { product, window, alongColumn, slide, behind: body } = found;
  const { depth, width, column } = product;
  const kind = context.kinds[product.element];
  const rows = blockRows(nest, tileRows(context));
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const [block, group, firstSlide] = [numbering.axis(), numbering.axis(), numbering.local()];
  const slides = slidesOf(found, rows);
  const walked: LoopAxis[] = [
    ...outer.filter((each) => each !== slide),
    { axis: group.axis, extent: slide === null ? ONE : overUp(slide.extent, slides) },
    { axis: block.axis, extent: row === null ? ONE : overUp(row.extent, rows) },
  ];
  const place = storeOf(nest, product, body, (buffer) => workspaces.dtypeOf(buffer));
  const isEven = place !== null && (slide === null || stepAlong(place.base, slide.axis) !== null);
  const stored = isEven ? place : null;
  const behind = stored === null ? body : [];
  const perSlide = times(rows, width);
  const tile = workspaces.add(sumType(product), productOf([extent(perSlide), extent(slides)]));

  const site = context.open(planned, name);
  const { target } = site.fn;
  const inFront = (value: Integer): Integer => {
    const local = numbering.local();
    site.integers.set(local.local, site.input(kept(site, site.integer(value)).local, "i32"));
    return local;
  };
  // Integers of the loop IR are divided at leisure in front of the work items.
  const here = walked.map((axis): LoopAxis => ({ ...axis, extent: inFront(axis.extent) }));
  const [rowsHere, slidesHere, perSlideHere] = [rows, slides, perSlide].map(inFront) as [
    Integer,
    Integer,
    Integer,
  ];
  const leftRows = inFront(panelledRows(nest));
  forEachWorkItem(site, (item) => {
    const around = new Site(site.fn, site);
    openAxes(around, here, around.input(item, "i32"));
    const value = (integer: Integer): Variable => kept(around, around.integer(integer));
    const ending = (first: Variable, step: Integer, count: Integer): Variable =>
      define(target, min(add(first, value(step)), value(count)));
    const first = value(times(block, rowsHere));
    const last = ending(first, rowsHere, row?.extent ?? ONE);
    const begin = value(times(group, slidesHere));
    const end = ending(begin, slidesHere, slide?.extent ?? ONE);
    around.integers.set(nest.firstRow.local, around.input(first.local, "i32"));
    around.integers.set(firstSlide.local, around.input(begin.local, "i32"));
    const at = define(target, begin);
    if (slide !== null) around.axes.set(slide.axis, at.local);

    const bytesAlong = (along: Polynomial): Variable =>
      kept(around, around.times(around.valueOf(along), kind.unitBytes));
    const stepOf = (from: Polynomial): Expression =>
      slide === null ? 0 : bytesAlong(stepAlong(from, slide.axis)!);
    const start = (slot: number): Variable => kept(around, around.addressOf(slot, zero, 1));
    const k = value(depth.extent);
    const left = times(
      plus(times(numberAmong(leftAxes(nest, found)), leftRows), nest.firstRow),
      depth.extent,
    );
    const rowBytes = bytesAlong(around.polynomial(width));
    const sums = [start(tile), rowBytes, bytesAlong(around.polynomial(perSlideHere))];
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
      ...[sub(last, first), value(column?.extent ?? ONE), sub(end, begin), k],
    ];
    const multiply = (step: WindowStep): void =>
      callWith(target, multiplyWindows(module, kind, row === null, step), operands);
    if (asNumber(alongColumn) === 1) multiply(1);
    else {
      const isSecond = equal(operands[2]!, 2 * kind.unitBytes);
      when(
        target,
        isSecond,
        () => multiply(2),
        () => multiply("any"),
      );
    }
    if (behind.length === 0) return;
    target.forRange(at.local, end.local, 1, () => {
      const within = new Site(site.fn, around);
      writeBlock(within, shared);
      const slid = times(plus({ kind: "axis", axis: slide?.axis ?? 0 }, times(firstSlide, -1)), perSlideHere);
      const home = new TileHome(nest, product, tile, slide === null ? null : slid);
      within.accumulators.set(product.accumulator.accumulator, home);
      if (row === null) writeBlock(within, behind);
      else {
        const loop = { kind: "for", axis: row, ordered: false, body: behind } as const;
        writeRange(within, loop, within.input(first.local, "i32"), last.local, row.axis);
      }
      within.flush();
    });
  });
  context.claim(own);
  site.flush();
  site.fn.finish();

  const workItems = iterations(walked, extent);
  const rowsOfItem = productOf([extent(slides), extent(rows)]);
  const products = productOf([extent(width), extent(depth.extent)]);
  const other = workOf(behind, knownIn(planned));
  const work: OfSizes = (sizes) => rowsOfItem(sizes) * (products(sizes) / PRODUCTS_AT_ONCE + other(sizes));
  return { index: target.index, phase: { sequential: false, workItems, work } };
}

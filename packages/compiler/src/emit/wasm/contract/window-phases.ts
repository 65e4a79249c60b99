/** The phases of a product of windows: one packs the filters and says where elements along k stand, one makes the sums (window.ts). */
import type { Integer, LoopAxis } from "@fuseau/ir";
import {
  add,
  advance,
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
import { cornerBytes } from "../matmul/blocks.ts";
import { pack, packVector } from "../matmul/pack.ts";
import { multiplyWindows, panelRows } from "../matmul/window.ts";
import type { WindowStep } from "../matmul/window-tile.ts";
import { least, over, overUp, plus, times } from "../plan/integers.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { type Known, workOf } from "../plan/work.ts";
import { asNumber, type Polynomial, zero } from "../sites/polynomial.ts";
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
  sumType,
} from "./context.ts";
import type { Nest } from "./match.ts";
import { FIRST_ROW, type Step } from "./plan.ts";
import { storedAt } from "./stored.ts";
import { TileHome } from "./tile-home.ts";
import { evenStep, type WindowProduct } from "./window.ts";

const ZERO: Integer = { kind: "literal", value: 0 };
const ONE: Integer = { kind: "literal", value: 1 };

export function writeWindows(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  steps: readonly Step[],
  rows: Integer,
  name: string,
): WrittenPhase[] {
  const tables = writeTables(context, planned, nest, found, `${name}_filters`);
  return [tables.written, writeSums(context, planned, nest, found, steps, rows, tables, name)];
}

interface Tables {
  /** Workspaces: the left operand in panels of all of k, and where elements along k stand, in bytes. */
  readonly packed: number;
  readonly offsets: number;
}

/** The outer loops that decide the left operand. */
const leftAxes = ({ dependence, outer }: Nest, { product }: WindowProduct): LoopAxis[] =>
  outer.filter(({ axis }) => dependence.axesOf(product.left).has(axis));

/** Rows of the left operand, filled up to whole panels. */
function panelledRows({ row }: Nest, { product: { kind } }: WindowProduct): Integer {
  const height = panelRows(kind, row === null);
  return row === null ? ONE : times(overUp(row.extent, height), height);
}

/** Rows that are packed as one work item: whole panels of every kind. */
const PACKED_ROWS = 48;

function writeTables(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  name: string,
): Tables & { readonly written: WrittenPhase } {
  const { workspaces, module, numbering } = context;
  const { product, window } = found;
  const { kind, depth, a } = product;
  const extent = extentIn(planned);
  const axes = leftAxes(nest, found);
  const offsets = workspaces.add("int32", (sizes) => extent(depth.extent, sizes));
  const packed = workspaces.add(
    sumType(product),
    (sizes) =>
      iterations(axes, extent, sizes) *
      extent(panelledRows(nest, found), sizes) *
      extent(depth.extent, sizes),
  );
  const group = numbering.axis();
  const groups = { axis: group.axis, extent: nest.row === null ? ONE : overUp(nest.row.extent, PACKED_ROWS) };

  const site = context.open(planned, name);
  const { target } = site.fn;
  forEachWorkItem(site, (item) => {
    const around = new Site(site.fn, site);
    openAxes(around, [...axes, groups], around.input(item, "i32"));
    const k = kept(around, around.integer(depth.extent));
    const first = times(group, PACKED_ROWS);
    const place = kept(
      around,
      around.integer(times(plus(times(numberAmong(axes), panelledRows(nest, found)), first), depth.extent)),
    );
    const to = add(kept(around, around.addressOf(packed, zero, 1)), mul(place, kind.unitBytes));
    const [from, laneStride, depthStride] = locate(around, a, first, kind.elementBytes);
    const depthBytes = mul(depthStride, kind.elementBytes);
    if (nest.row === null) callWith(target, packVector(module, kind), [from, depthBytes, k, to]);
    else {
      const rows = kept(around, around.integer(plus(nest.row.extent, times(first, -1))));
      const laneBytes = mul(laneStride, kind.elementBytes);
      callWith(target, pack(module, kind, panelRows(kind, false)), [
        ...[from, laneBytes, depthBytes, min(rows, PACKED_ROWS), k, to],
      ]);
    }
    const next = kept(around, around.addressOf(offsets, zero, 1));
    when(target, equal({ local: item }, 0), () => {
      const at = target.local("i32");
      target.forRange(at, k.local, 1, () => {
        const inner = new Site(site.fn, around);
        inner.axes.set(depth.axis, at);
        const offset = kept(inner, inner.times(inner.valueOf(window.offset), kind.elementBytes));
        target.get(next.local).get(offset.local).op("i32.store");
        advance(target, next, 4);
      });
    });
  });
  site.flush();
  site.fn.finish();
  const workItems = (sizes: readonly number[]): number => iterations([...axes, groups], extent, sizes);
  const work = (sizes: readonly number[]): number => (PACKED_ROWS * extent(depth.extent, sizes)) / 2;
  return { packed, offsets, written: { index: target.index, phase: { sequential: false, workItems, work } } };
}

/** The number of the iteration at hand of some loops, in row-major order. */
const numberAmong = (axes: readonly LoopAxis[]): Integer =>
  axes.reduce<Integer>((place, { axis, extent }) => plus(times(place, extent), { kind: "axis", axis }), ZERO);

/** Multiplications of one work item, at least, if there are windows enough. */
const PER_ITEM = 1 << 18;

/** How many windows that follow each other are one work item; enough items are left for some threads. */
function slidesOf({ slide, product }: WindowProduct, rows: Integer): Integer {
  if (slide === null) return ONE;
  const enough = over(over(PER_ITEM_INTEGER, times(rows, product.width)), product.depth.extent);
  return plus(1, least(enough, over(slide.extent, 8)));
}
const PER_ITEM_INTEGER: Integer = { kind: "literal", value: PER_ITEM };

function writeSums(
  context: Context,
  planned: PlannedPhase,
  nest: Nest,
  found: WindowProduct,
  steps: readonly Step[],
  rows: Integer,
  { packed, offsets }: Tables,
  name: string,
): WrittenPhase {
  const { workspaces, module, numbering } = context;
  const { dependence, row, outer, shared } = nest;
  const { product, window, slide } = found;
  const { kind, depth, width, column } = product;
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const [block, group, firstSlide] = [numbering.axis(), numbering.axis(), numbering.local()];
  const slides = slidesOf(found, rows);
  const walked: LoopAxis[] = [
    ...outer.filter((each) => each !== slide),
    { axis: group.axis, extent: slide === null ? ONE : overUp(slide.extent, slides) },
    { axis: block.axis, extent: row === null ? ONE : overUp(row.extent, rows) },
  ];
  const place = storedAt(nest, steps, workspaces);
  const stored = place !== null && isEvenAlong(nest, place.base, slide) ? place : null;
  const behind = stored === null ? steps.slice(1) : [];
  const perSlide = times(rows, width);
  const tile = workspaces.add(sumType(product), (sizes) => extent(perSlide, sizes) * extent(slides, sizes));
  const corner = workspaces.add("int32", () => cornerBytes / 4);

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
  const leftRows = inFront(panelledRows(nest, found));
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
    around.integers.set(FIRST_ROW.local, around.input(first.local, "i32"));
    around.integers.set(firstSlide.local, around.input(begin.local, "i32"));
    const at = define(target, begin);
    if (slide !== null) around.axes.set(slide.axis, at.local);

    const bytesAlong = (along: Polynomial): Variable =>
      kept(around, around.times(around.valueOf(along), kind.unitBytes));
    const stepOf = (from: Polynomial): Expression =>
      slide === null ? 0 : bytesAlong(evenStep(dependence, from, slide.axis)!.along);
    const start = (slot: number): Variable => kept(around, around.addressOf(slot, zero, 1));
    const k = value(depth.extent);
    const left = times(plus(times(numberAmong(leftAxes(nest, found)), leftRows), FIRST_ROW), depth.extent);
    const rowBytes = bytesAlong(around.polynomial(width));
    const sums = [start(tile), rowBytes, bytesAlong(around.polynomial(perSlideHere))];
    const to =
      stored === null
        ? sums
        : [
            locate(around, stored, FIRST_ROW, kind.unitBytes)[0],
            bytesAlong(stored.alongLane),
            stepOf(stored.base),
          ];
    const operands = [
      kept(around, around.addressOf(packed, around.polynomial(left), kind.unitBytes)),
      kept(around, around.addressOf(window.buffer, window.base, kind.unitBytes)),
      ...[bytesAlong(window.alongColumn), stepOf(window.base), start(offsets), ...to, ...sums],
      ...[sub(last, first), value(column?.extent ?? ONE), sub(end, begin), k, start(corner)],
    ];
    const multiply = (step: WindowStep): void =>
      callWith(target, multiplyWindows(module, kind, row === null, step), operands);
    if (asNumber(window.alongColumn) === 1) multiply(1);
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
      for (const each of behind) {
        if (each.kind !== "rows") continue;
        if (row === null) writeBlock(within, each.body);
        else {
          const loop = { kind: "for", axis: row, ordered: false, body: each.body } as const;
          writeRange(within, loop, within.input(first.local, "i32"), last.local, row.axis);
        }
      }
      within.flush();
    });
  });
  context.claim(own);
  site.flush();
  site.fn.finish();

  const workItems = (sizes: readonly number[]): number => iterations(walked, extent, sizes);
  const work = (sizes: readonly number[]): number => {
    const known = (): Known => new Map(knownIn(planned));
    const sumsOfRow = (extent(width, sizes) * extent(depth.extent, sizes)) / PRODUCTS_AT_ONCE;
    const perRow = behind.map((each) => (each.kind === "rows" ? workOf(each.body, sizes, known()) : 0));
    return extent(slides, sizes) * extent(rows, sizes) * perRow.reduce((sum, each) => sum + each, sumsOfRow);
  };
  return { index: target.index, phase: { sequential: false, workItems, work } };
}

const isEvenAlong = ({ dependence }: Nest, place: Polynomial, slide: LoopAxis | null): boolean =>
  slide === null || evenStep(dependence, place, slide.axis) !== null;

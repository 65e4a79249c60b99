/**
 * Reduce loops whose accumulators stand in memory: rows of them under inner loops, and single ones where other loops stand
 * between an element and its fold. The order of places is kept; each cell is walked by the vector loops that any body has.
 */
import type { Integer, ReduceStatement, Statement } from "@fuseau/ir";
import { isFloatDot } from "../../../lower/accumulators.ts";
import { lanesFor, stepsOf } from "../../../tactics/lane-steps.ts";
import type { Local } from "../encode/function.ts";
import { RowFold, type RowSlots, rowAccumulationOf } from "../folds/row-fold.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { StraightLoop } from "../sites/straight-loop.ts";
import { widthOf } from "../values/value.ts";
import { writeJam } from "./jam.ts";
import { countOf, inStretches, openAxes } from "./places.ts";

/** Writes statements in a row, loops among them. */
export type WriteBlock = (site: Site, statements: readonly Statement[]) => void;

/** Folds in memory for the accumulators of a loop. */
export const rowFolds = (block: Site, statement: ReduceStatement): RowFold[] =>
  statement.accumulators.map((accumulator) => {
    const cells: Integer = accumulator.row?.cells ?? { kind: "literal", value: 1 };
    const fold = new RowFold(accumulator, cells, slotsOf(block, statement, accumulator));
    block.accumulators.set(accumulator.accumulator, fold);
    return fold;
  });

/** Blocks have `length` elements. */
export function writeRowReduce(
  block: Site,
  statement: ReduceStatement,
  writeBlock: WriteBlock,
  length: number = block.fn.kernel.order.block,
): void {
  const folds = rowFolds(block, statement);
  const { target } = block.fn;
  const count = countOf(block, statement.axes);
  const at = target.local("i32");
  keep(block, at, block.code.scalar("i32", 0));
  const walk = new RowWalk(statement, folds, at, writeBlock);
  const blocked = folds.filter(({ slots }) => slots.total !== null);
  for (const fold of folds) if (!blocked.includes(fold)) walk.reset(block, fold);
  if (blocked.length === 0) {
    walk.run(block, count);
    for (const fold of folds) walk.close(block, fold);
    return;
  }
  for (const fold of blocked) eachCell(block, fold, (site, cell) => fold.resetTotal(site, cell));
  inStretches(block, at, count, length, (site, end) => {
    for (const fold of blocked) walk.reset(site, fold);
    walk.run(site, end);
    for (const fold of blocked) {
      walk.close(site, fold);
      eachCell(site, fold, (inner, cell) => fold.foldBlock(inner, cell));
    }
  });
  for (const fold of folds) if (!blocked.includes(fold)) walk.close(block, fold);
}

/** The buffers of the loop IR where they suit, else workspaces of our own. */
function slotsOf(
  { fn: { workspaces } }: Site,
  { blocked }: ReduceStatement,
  accumulator: ReduceStatement["accumulators"][number],
): RowSlots {
  const { row } = accumulator;
  const accumulation = rowAccumulationOf(accumulator);
  const cells: Integer = row?.cells ?? { kind: "literal", value: 1 };
  const workspace = (dtype: Parameters<typeof workspaces.addRows>[0], lanes: number): number =>
    workspaces.addRows(dtype, cells, lanes);
  const isDot = isFloatDot(accumulator);
  const hasTotal = (blocked || isDot) && accumulation.total !== null;
  const total = !hasTotal ? null : row === null || isDot ? workspace(accumulation.total, 1) : row.total;
  if (row !== null && !accumulation.chunked && !isDot)
    return {
      partial: row.partial,
      compensation: row.compensation,
      position: row.position,
      running: null,
      total,
    };
  return {
    partial: workspace(accumulation.partial, accumulation.lanes),
    compensation: accumulation.compensated ? workspace("float64", accumulation.lanes) : null,
    position: accumulation.positioned ? workspace("float64", accumulation.lanes) : null,
    running: accumulation.chunked ? workspace("float64", 2) : null,
    total,
  };
}

/** The elements of a reduce loop, from the place in `at` on. */
class RowWalk {
  readonly #statement: ReduceStatement;
  readonly #folds: readonly RowFold[];
  readonly #at: Local;
  readonly #writeBlock: WriteBlock;

  constructor(statement: ReduceStatement, folds: readonly RowFold[], at: Local, writeBlock: WriteBlock) {
    this.#writeBlock = writeBlock;
    this.#statement = statement;
    this.#folds = folds;
    this.#at = at;
  }

  reset(block: Site, fold: RowFold): void {
    eachCell(block, fold, (site, cell) =>
      fold.accumulation.chunked ? fold.resetRunning(site, cell) : fold.reset(site, cell),
    );
  }

  close(block: Site, fold: RowFold): void {
    if (fold.accumulation.chunked) eachCell(block, fold, (site, cell) => fold.joinRunning(site, cell));
  }

  /** Walks on to the place in a local. */
  run(block: Site, end: Local): void {
    const chunked = this.#folds.filter(({ accumulation }) => accumulation.chunked);
    block.flush();
    if (chunked.length === 0) {
      this.#places(block, end);
      return;
    }
    inStretches(block, this.#at, end, block.fn.kernel.order.chunk, (site, chunk) => {
      for (const fold of chunked) eachCell(site, fold, (inner, cell) => fold.reset(inner, cell));
      this.#places(site, chunk);
      for (const fold of chunked) eachCell(site, fold, (inner, cell) => fold.foldChunk(inner, cell));
    });
  }

  #places(block: Site, end: Local): void {
    const { target } = block.fn;
    const { axes, run, row, body } = this.#statement;
    if (run?.kind === "jam") writeJam(block, axes[0]!.axis, [...row, ...body], run.copies, this.#at, end);
    target.forRange(this.#at, end, 1, () => {
      const site = new Site(block.fn, block);
      if (axes.length === 1) site.axes.set(axes[0]!.axis, this.#at);
      else openAxes(site, axes, site.input(this.#at, "i32"));
      this.#tellPlace(site);
      this.#writeBlock(site, row);
      this.#writeBlock(site, body);
      site.flush();
    });
  }

  /** The lane of an element follows from its place, which loops within the body know by a local. */
  #tellPlace(site: Site): void {
    const place = site.fn.numbering.local();
    site.integers.set(place.local, site.input(this.#at, "i32"));
    for (const fold of this.#folds) fold.place = place;
  }
}

/** Code for each cell of a row. */
function eachCell(block: Site, fold: RowFold, write: (site: Site, cell: Integer) => void): void {
  const { cells, accumulation } = fold;
  if (cells.kind === "literal" && cells.value === 1) {
    write(block, { kind: "literal", value: 0 });
    block.flush();
    return;
  }
  const end = block.fn.target.local("i32");
  keep(block, end, block.integer(cells));
  const widest = accumulation.total === null ? widthOf[accumulation.partial] : 8;
  const own = block.fn.numbering.axis();
  const vector = { kind: "vector", ...lanesFor(block.fn.held.machine, { widest, cost: 0 }) } as const;
  const loop = new StraightLoop(block, own.axis, stepsOf(vector), (site) => {
    write(site, own);
    return [];
  });
  loop.start(block, block.code.scalar("i32", 0));
  loop.run(end);
}

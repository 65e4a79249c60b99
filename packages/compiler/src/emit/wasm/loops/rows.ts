/**
 * Reduce loops whose accumulators are in memory: rows of them under inner loops, and single ones where other loops stand between
 * an element and its fold. Places are walked in order; the inner loops are written as in any other body.
 */
import type { Integer, ReduceStatement, Statement } from "@fuseau/ir";
import { isFloatDot } from "../../../lower/accumulators.ts";
import type { Local } from "../encode/function.ts";
import { walkBlocks } from "../folds/in-order.ts";
import { RowFold, type RowSlots, rowAccumulationOf } from "../folds/row-fold.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { writeJam } from "./jam.ts";
import { countOf, openAxes } from "./places.ts";

/** Writes a sequence of statements, which may be loops. */
export type WriteBlock = (site: Site, statements: readonly Statement[]) => void;

/** Creates folds in memory for the accumulators of a loop. */
export const rowFolds = (block: Site, statement: ReduceStatement): RowFold[] =>
  statement.accumulators.map((accumulator) => {
    const cells: Integer = accumulator.row?.cells ?? { kind: "literal", value: 1 };
    const fold = new RowFold(accumulator, cells, slotsOf(block, statement, accumulator), statement.scan);
    block.accumulators.set(accumulator.accumulator, fold);
    return fold;
  });

/** `length`: elements of a block. */
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
  const advance = (site: Site, end: Local): void => walkRows(site, statement, folds, at, end, writeBlock);
  walkBlocks(block, folds, { at, advance }, count, length);
}

/** The memory of a row: the buffers of the loop IR if they have the right form, else workspaces. */
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
  const marks = {
    lost: accumulation.marked ? workspace(accumulation.partial, 1) : null,
    signs: accumulation.signed ? workspace(accumulation.partial, 1) : null,
  };
  if (row !== null && !accumulation.chunked && !isDot)
    return {
      ...marks,
      partial: row.partial,
      compensation: row.compensation,
      position: row.position,
      running: null,
      total,
    };
  return {
    ...marks,
    partial: workspace(accumulation.partial, accumulation.lanes),
    compensation: accumulation.compensated ? workspace("float64", accumulation.lanes) : null,
    position: accumulation.positioned ? workspace("float64", accumulation.lanes) : null,
    running: accumulation.chunked ? workspace("float64", 2) : null,
    total,
  };
}

/** Walks the elements of a reduce loop, from the place in `at` to the one in `end`. */
function walkRows(
  block: Site,
  { axes, run, row, body }: ReduceStatement,
  folds: readonly RowFold[],
  at: Local,
  end: Local,
  writeBlock: WriteBlock,
): void {
  const { target, numbering } = block.fn;
  if (run?.kind === "jam") writeJam(block, axes[0]!.axis, [...row, ...body], run.copies, at, end);
  target.forRange(at, end, 1, () => {
    const site = new Site(block.fn, block);
    if (axes.length === 1) site.axes.set(axes[0]!.axis, at);
    else openAxes(site, axes, site.input(at, "i32"));
    // An element's place determines its lane. Loops in the body read it from an integer local.
    const place = numbering.local();
    site.integers.set(place.local, site.input(at, "i32"));
    for (const fold of folds) fold.place = place;
    writeBlock(site, row);
    writeBlock(site, body);
    site.flush();
  });
}

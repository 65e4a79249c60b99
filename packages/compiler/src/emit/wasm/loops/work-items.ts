/**
 * The work items of a phase that is a nest of loops. They are pieces of the inner loop, so that a short outer one (three channels,
 * two images) still makes many.
 */
import type { ForStatement, LoopAxis, Statement } from "@fuseau/ir";
import { isStraight } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import { keep, onward } from "../sites/keep.ts";
import { parameters } from "../sites/phase-function.ts";
import { Site } from "../sites/site.ts";
import { writeBlock, writeRange } from "./block.ts";
import { openAxes } from "./places.ts";

export interface WorkNest {
  readonly outer: ForStatement;
  /** What stands in front of the inner loop. */
  readonly before: readonly Statement[];
  readonly inner: ForStatement;
  /** Iterations of the inner loop in one work item. */
  readonly piece: number;
}

/** Parallel loops in each other, as the axes of work items and what stands in the innermost. */
export interface ParallelNest {
  readonly axes: readonly LoopAxis[];
  /** Definitions beside inner loops among it, in front of what they are for. */
  readonly body: readonly Statement[];
}

/** Null where the loop is not scheduled as parallel. */
export function parallelNest(outer: ForStatement): ParallelNest | null {
  const axes: LoopAxis[] = [];
  const body: Statement[] = [];
  let loop: Statement | undefined = outer;
  while (loop?.kind === "for" && loop.run?.kind === "parallel") {
    axes.push(loop.axis);
    const inner: Statement | undefined = loop.body.at(-1);
    if (inner?.kind === "for" && inner.run?.kind === "parallel") body.push(...loop.body.slice(0, -1));
    else body.push(...loop.body);
    loop = inner;
  }
  return axes.length === 0 ? null : { axes, body };
}

/** The work items from the phase's begin to its end. */
export function writeParallel(block: Site, { axes, body }: ParallelNest): void {
  const { target } = block.fn;
  block.flush();
  const item = target.local("i32");
  target.get(parameters.begin).set(item);
  target.forRange(item, parameters.end, 1, () => {
    const site = new Site(block.fn, block);
    openAxes(site, axes, site.input(item, "i32"));
    writeBlock(site, body);
    site.flush();
  });
}

/** Enough elements that dividing a row costs nothing. */
const LONG_PIECE = 16_384;

/** The loop as such a nest; null where it is none, or is better walked by whole rows. */
export function workNest(outer: ForStatement): WorkNest | null {
  const inner = outer.body.at(-1);
  const before = outer.body.slice(0, -1);
  if (inner?.kind !== "for" || inner.ordered || inner.axis.extent.kind !== "size") return null;
  if (!before.every(({ kind }) => kind === "integer" || kind === "let")) return null;
  return { outer, before, inner, piece: isStraight(inner.body) ? LONG_PIECE : 1 };
}

/** The work items from the phase's begin to its end. */
export function writeWorkItems(block: Site, { outer, before, inner, piece }: WorkNest): void {
  const { target } = block.fn;
  const local = (): Local => target.local("i32");
  const [item, row, part, parts] = [local(), local(), local(), local()];
  block.flush();
  target.get(parameters.begin).get(parameters.end).op("i32.lt_s");
  target.ifThen(() => {
    const first = new Site(block.fn, block);
    const { code } = first;
    const count = piecesOf(first, first.integer(inner.axis.extent), piece);
    keep(first, parts, count);
    const start = first.input(parameters.begin, "i32");
    keep(first, row, code.op("i32.div_u", start, count));
    keep(first, part, code.op("i32.rem_u", start, count));
  });
  target.get(parameters.begin).set(item);
  target.forRange(item, parameters.end, 1, () => {
    const site = new Site(block.fn, block);
    site.axes.set(outer.axis.axis, row);
    writeBlock(site, before);
    const from = site.times(site.input(part, "i32"), piece);
    const to = local();
    keep(site, to, onward(site, from, piece, site.integer(inner.axis.extent)));
    writeRange(site, inner, from, to, inner.axis.axis);
    site.flush();
    // The next part, or the first of the next row.
    target.get(part).i32(1).op("i32.add").tee(part).get(parts).op("i32.eq");
    target.ifThen(() => {
      target.i32(0).set(part).get(row).i32(1).op("i32.add").set(row);
    });
  });
}

function piecesOf({ code }: Site, extent: Register, piece: number): Register {
  if (piece === 1) return extent;
  const rounded = code.op("i32.add", extent, code.scalar("i32", piece - 1));
  return code.op("i32.shr_u", rounded, code.scalar("i32", Math.log2(piece)));
}

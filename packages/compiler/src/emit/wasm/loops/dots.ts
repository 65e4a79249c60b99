/**
 * Float dots in loops that are no matrix products as a whole. Their order is that of matrix products (docs/wasm.md): along k, in
 * blocks that start from 0 and are added in order.
 */
import type { Integer, ReduceStatement } from "@fuseau/ir";
import { dotsOf, neverFails, othersOf, streamsOf } from "../../../tactics/dots.ts";
import { plus } from "../../../tactics/integers.ts";
import { SINGLE } from "../../../tactics/lane-steps.ts";
import { isStraight, type StraightBody } from "../../../tactics/straight.ts";
import { KC } from "../matmul/kinds.ts";
import { keep, onward } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { StraightLoop } from "../sites/straight-loop.ts";
import { DotStreams } from "./dot-streams.ts";
import { rowFolds, type WriteBlock, writeRowReduce } from "./rows.ts";
import { writeStraight } from "./straight.ts";

/** Writes a reduce loop that has float dots among its accumulators. A second loop folds the others. */
export function writeDots(block: Site, statement: ReduceStatement, writeBlock: WriteBlock): void {
  const dots = dotsOf(statement, block.fn.kernel.buffers);
  const others = othersOf(statement);
  const inLocals = dots.accumulators.every(({ row }) => row === null);
  if (inLocals && isStraight(dots.row) && isStraight(dots.body)) writeStreams(block, dots);
  else writeRowReduce(block, dots, writeBlock, KC);
  if (others.accumulators.length > 0) writeBlock(block, [others]);
}

/** Writes dots whose accumulators are in locals. */
function writeStreams(block: Site, statement: ReduceStatement): void {
  const { axes, row, body } = statement;
  const { axis, extent } = axes[0]!;
  const { target } = block.fn;
  writeStraight(block, row as StraightBody);
  const widths = streamsOf(body as StraightBody);
  const streams = rowFolds(block, statement).map((fold) => new DotStreams(block, fold, widths[0]));
  const [at, count] = [target.local("i32"), target.local("i32")];
  keep(block, count, block.integer(extent));
  keep(block, at, block.code.scalar("i32", 0));
  const end = target.local("i32");
  const last = target.local("i32");

  const walk = (width: number): void => {
    const site = new Site(block.fn, block);
    for (const each of streams) each.begin(site);
    const lanes = Math.min(...streams.map((each) => each.lanes));
    const counts = neverFails(body as StraightBody) ? ([lanes] as const) : ([lanes, 1] as const);
    const several = { counts, masked: false };
    const straight = new StraightLoop(site, axis, width === 1 ? SINGLE : several, (steps) => {
      for (const each of streams) each.select(steps);
      for (let stream = 0; stream < width; stream++) {
        const ahead: Integer = { kind: "literal", value: stream * KC };
        if (stream > 0) steps.bind(axis, plus({ kind: "axis", axis }, ahead));
        writeStraight(steps, body as StraightBody);
      }
      return streams.flatMap((each) => each.carried(steps));
    });
    keep(site, end, onward(site, site.input(at, "i32"), KC, site.input(count, "i32")));
    straight.start(site, site.input(at, "i32"));
    straight.run(end);
    const behind = new Site(block.fn, block);
    for (const each of streams) each.end(behind, width);
    const next = behind.code.op(
      "i32.add",
      behind.input(end, "i32"),
      behind.code.scalar("i32", (width - 1) * KC),
    );
    keep(behind, at, next);
  };

  for (const width of widths) {
    // A single block may be shorter than KC.
    const room = width === 1 ? 1 : width * KC;
    target.get(count).i32(room).op("i32.sub").set(last);
    target.get(at).get(last).op("i32.le_s");
    target.ifThen(() => {
      target.loop((again) => {
        walk(width);
        target.get(at).get(last).op("i32.le_s").brIf(again);
      });
    });
  }
  const behind = new Site(block.fn, block);
  for (const each of streams) each.finish(behind);
  behind.flush();
}

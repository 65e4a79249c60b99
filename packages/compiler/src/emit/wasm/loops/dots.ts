/**
 * Float `dot`s in loops that are no matrix products as a whole, in the same order (docs/wasm.md): along k in order, in blocks that
 * begin with 0 and are added in order.
 */
import {
  type Accumulator,
  type Integer,
  isFloat,
  isLoop,
  mapStatements,
  type ReduceStatement,
  type Statement,
} from "@fuseau/ir";
import { isFloatDot } from "../../../lower/accumulators.ts";
import { plus } from "../../../tactics/integers.ts";
import { SINGLE } from "../../../tactics/lane-steps.ts";
import { isStraight, type StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import { KC } from "../matmul/kinds.ts";
import { keep, onward } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { StraightLoop } from "../sites/straight-loop.ts";
import { DotHome, type WriteBlock } from "./dot-home.ts";
import { DotStreams } from "./dot-streams.ts";
import { writeStraight } from "./straight.ts";

/** A loop with float dots among its accumulators as two: the dots', and behind it the others'. */
export function dotsApart(statement: Statement): readonly Statement[] {
  if (statement.kind !== "reduce" || !statement.accumulators.some(isFloatDot)) return [statement];
  const others = othersOf(statement);
  return others.accumulators.length === 0 ? [statement] : [dotsOf(statement, () => false), others];
}

const dotsOf = (statement: ReduceStatement, isWritten: (slot: number) => boolean): ReduceStatement =>
  only(statement, isFloatDot, (each) => each.kind !== "store" || !isWritten(each.buffer));
const othersOf = (statement: ReduceStatement): ReduceStatement =>
  only(
    statement,
    (accumulator) => !isFloatDot(accumulator),
    () => true,
  );

/** A reduce loop with float dots among its accumulators. The others are folded by a loop of their own, behind it. */
export function writeDots(block: Site, statement: ReduceStatement, writeBlock: WriteBlock): void {
  const dots = dotsOf(statement, (slot) => block.fn.kernel.buffers[slot]?.access === "write");
  const others = othersOf(statement);
  const homes = dots.accumulators.map((accumulator) => new DotHome(block, accumulator));
  for (const home of homes) block.accumulators.set(home.accumulator.accumulator, home);
  const inLocals = homes.every(({ accumulator }) => accumulator.row === null);
  if (inLocals && isStraight(dots.row) && isStraight(dots.body)) writeStreams(block, dots, homes);
  else writeCells(block, dots, homes, writeBlock);
  if (others.accumulators.length > 0) writeBlock(block, [others]);
}

/** The loop for some of its accumulators and of its other statements. */
function only(
  statement: ReduceStatement,
  chosen: (accumulator: Accumulator) => boolean,
  kept: (statement: Statement) => boolean,
): ReduceStatement {
  const left = statement.accumulators.filter((accumulator) => !chosen(accumulator));
  if (left.length === 0) return statement;
  const ids = left.map(({ accumulator }) => accumulator);
  return {
    ...statement,
    accumulators: statement.accumulators.filter(chosen),
    body: mapStatements(statement.body, (each) => {
      const isLeft = each.kind === "accumulate" && ids.includes(each.accumulator);
      return isLoop(each) || (!isLeft && kept(each)) ? each : [];
    }),
  };
}

/** Each element is added to a cell in memory. */
function writeCells(
  block: Site,
  { axes: [loop], row, body }: ReduceStatement,
  homes: readonly DotHome[],
  writeBlock: WriteBlock,
): void {
  const { axis, extent } = loop!;
  const { target } = block.fn;
  for (const home of homes) home.begin(block, writeBlock);
  const [at, count] = startOf(block, extent);
  const end = target.local("i32");
  target.get(at).get(count).op("i32.lt_s");
  target.ifThen(() => {
    target.loop((again) => {
      const site = new Site(block.fn, block);
      keep(site, end, blockEnd(site, at, count));
      for (const home of homes) home.beginBlock(site, writeBlock);
      site.flush();
      target.forRange(at, end, 1, () => {
        const inner = new Site(site.fn, site);
        inner.axes.set(axis, at);
        writeBlock(inner, row);
        writeBlock(inner, body);
        inner.flush();
      });
      const behind = new Site(block.fn, block);
      for (const home of homes) home.endBlock(behind, writeBlock);
      behind.flush();
      target.get(at).get(count).op("i32.lt_s").brIf(again);
    });
  });
}

/**
 * The most blocks whose additions are interleaved: lanes are full then, and an addition seldom waits for the one before it.
 * Long bodies are unrolled less.
 */
const streamsOf = (body: StraightBody): readonly [number, ...number[]] =>
  body.length <= 6 ? [8, 4, 1] : [4, 1];

/** False where a step of several elements may have to be left to single ones. */
const neverFails = (body: StraightBody): boolean =>
  body.every(
    (each) =>
      each.kind === "integer" ||
      each.kind === "accumulate" ||
      (each.kind === "let" && (each.value.kind !== "pointwise" || isFloat(each.value.from))),
  );

/** Each element is added to a local. */
function writeStreams(
  block: Site,
  { axes: [loop], row, body }: ReduceStatement,
  homes: readonly DotHome[],
): void {
  const { axis, extent } = loop!;
  const { target } = block.fn;
  writeStraight(block, row as StraightBody);
  const widths = streamsOf(body as StraightBody);
  const streams = homes.map((home) => new DotStreams(block, home, widths[0]));
  const [at, count] = startOf(block, extent);
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
    keep(site, end, blockEnd(site, at, count));
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
    // The last block may be shorter.
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

/** Locals with the first element and how many there are. */
function startOf(block: Site, extent: Integer): readonly [Local, Local] {
  const { target } = block.fn;
  const [at, count] = [target.local("i32"), target.local("i32")];
  keep(block, count, block.integer(extent));
  keep(block, at, block.code.scalar("i32", 0));
  return [at, count];
}

/** Where the block ends that begins at an element. */
function blockEnd(site: Site, at: Local, count: Local): ReturnType<Site["integer"]> {
  return onward(site, site.input(at, "i32"), KC, site.input(count, "i32"));
}

/** Sequences of statements, which may be loops. */
import { cutOf, type ForStatement, type Statement } from "@fuseau/ir";
import { isFloatDot } from "../../../lower/accumulators.ts";
import { SINGLE, stepsOf } from "../../../tactics/lane-steps.ts";
import { inLanes } from "../../../tactics/lanes.ts";
import { inPieces } from "../../../tactics/pieces.ts";
import type { StraightBody } from "../../../tactics/straight.ts";
import type { Local } from "../encode/function.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { writeStatement } from "../sites/statements.ts";
import { writeSort } from "../sorts/write-sort.ts";
import { AxisLoop } from "./axis-loop.ts";
import { writeDots } from "./dots.ts";
import { writeJam } from "./jam.ts";
import { writeReduce } from "./reduce.ts";
import { writeRowReduce } from "./rows.ts";
import { writeStraight } from "./straight.ts";

export function writeBlock(site: Site, statements: readonly Statement[]): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "for":
        writeFor(site, statement);
        break;
      case "reduce": {
        const reduce = scheduled(site, statement);
        if (reduce.accumulators.some(isFloatDot)) writeDots(site, reduce, writeBlock);
        else if (reduce.run?.kind === "vector") writeReduce(site, reduce);
        else writeRowReduce(site, reduce, writeBlock);
        break;
      }
      case "sort":
        writeSort(site, statement);
        break;
      default:
        writeStatement(site, statement);
    }
  }
}

/** A loop from which something has been moved out while it is written is scheduled only here. */
const scheduled = <S extends Statement>({ fn }: Site, statement: S): S =>
  inPieces(inLanes(statement, fn.held), fn.numbering);

function writeFor(block: Site, given: ForStatement): void {
  const statement = scheduled(block, given);
  if (statement.run?.kind === "unrolled") {
    writeStraight(block, [statement]);
    return;
  }
  const end = block.fn.target.local("i32");
  const { axis, extent } = statement.axis;
  keep(block, end, block.integer(extent));
  writeRange(block, statement, block.code.scalar("i32", 0), end, axis);
}

/** The iterations of a loop from the one in a register to the one in a local. */
export function writeRange(
  block: Site,
  statement: ForStatement,
  begin: ReturnType<Site["integer"]>,
  end: Local,
  axis: number,
): void {
  const { target } = block.fn;
  const { run, body } = scheduled(block, statement);
  // An unrolled loop reaches this point when a work item has only some of its iterations.
  if (run?.kind === "vector" || run?.kind === "unrolled") {
    const loop = new AxisLoop(block, {
      axis,
      steps: run.kind === "vector" ? stepsOf(run) : SINGLE,
      lanes: 1,
      cut: cutOf(run),
      body: (site) => {
        writeStraight(site, body as StraightBody);
        return [];
      },
    });
    loop.start(block, begin);
    loop.advance(block, end);
    return;
  }
  const at = target.local("i32");
  keep(block, at, begin);
  if (run?.kind === "jam") writeJam(block, axis, body, run.copies, at, end);
  target.forRange(at, end, 1, () => {
    const site = new Site(block.fn, block);
    site.axes.set(axis, at);
    writeBlock(site, body);
    site.flush();
  });
}

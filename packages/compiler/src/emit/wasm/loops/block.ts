/** Statements in a row, loops among them. */
import { type ForStatement, isLoop, type ReduceStatement, type Statement } from "@fuseau/ir";
import { hasLoopCarriedDependence, isScatter } from "../../../tactics/dependence.ts";
import type { Local } from "../encode/function.ts";
import { keep } from "../sites/keep.ts";
import { Site } from "../sites/site.ts";
import { writeStatement } from "../sites/statements.ts";
import { writeSort } from "../sorts/write-sort.ts";
import { axisLoop } from "./axis-loop.ts";
import { isFloatDot, writeDots } from "./dots.ts";
import { countsOf, writeJam } from "./jam.ts";
import { writeReduce } from "./reduce.ts";
import { writeRowReduce } from "./rows.ts";
import { factsOf, stepsFor } from "./steps.ts";
import { isStraight, isUnrolled, writeStraight } from "./straight.ts";

export function writeBlock(site: Site, statements: readonly Statement[]): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "for":
        writeFor(site, statement);
        break;
      case "reduce":
        if (statement.accumulators.some(isFloatDot)) writeDots(site, statement, writeBlock);
        else if (inRegisters(statement)) writeReduce(site, statement);
        else writeRowReduce(site, statement, writeBlock);
        break;
      case "sort":
        writeSort(site, statement);
        break;
      default:
        writeStatement(site, statement);
    }
  }
}

/** True when a reduce loop's accumulators are in registers: none in rows, and nothing but straight code in between. */
export const inRegisters = ({ accumulators, row, body }: ReduceStatement): boolean =>
  accumulators.every((accumulator) => accumulator.row === null && !isFloatDot(accumulator)) &&
  isStraight(row) &&
  isStraight(body);

function writeFor(block: Site, statement: ForStatement): void {
  const { axis, extent } = statement.axis;
  const isFew = statement.run?.kind === "unrolled" || (extent.kind === "literal" && extent.value <= UNROLLED);
  if (isFew && isUnrolled(statement)) {
    writeStraight(block, [statement]);
    return;
  }
  const end = block.fn.target.local("i32");
  keep(block, end, block.integer(extent));
  writeRange(block, statement, block.code.scalar("i32", 0), end, axis);
}

/** So few iterations that a loop around them is not worth it. */
const UNROLLED = 2;

/** An ordered loop is bound by its stores, which go lane by lane. */
const SCATTER_STEPS = [4, 1];

/** The iterations of a loop from a register to the place in a local. */
export function writeRange(
  block: Site,
  statement: ForStatement,
  begin: ReturnType<Site["integer"]>,
  end: Local,
  axis: number,
): void {
  const { target } = block.fn;
  const { ordered, body } = statement;
  const { extent } = statement.axis;
  const alone = hasLoopCarriedDependence(body, axis) || (ordered && !isScatter(body));
  if (isStraight(body) && !(alone && body.some(isLoop))) {
    const steps =
      statement.run?.kind === "vector"
        ? countsOf(statement.run)
        : alone
          ? [1]
          : ordered
            ? SCATTER_STEPS
            : stepsFor(factsOf(body, block.fn.workspaces));
    const counts =
      extent.kind === "literal" ? steps.filter((count) => count === 1 || count <= extent.value) : steps;
    const loop = axisLoop(block, { axis, counts, lanes: 1, cut: true, body, carried: () => [] });
    loop.start(block, begin);
    loop.run(block, end);
    return;
  }
  const at = target.local("i32");
  keep(block, at, begin);
  if (statement.run?.kind === "jam") writeJam(block, statement, statement.run.copies, at, end);
  target.forRange(at, end, 1, () => {
    const site = new Site(block.fn, block);
    site.axes.set(axis, at);
    writeBlock(site, body);
    site.flush();
  });
}

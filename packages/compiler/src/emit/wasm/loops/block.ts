/** Statements in a row, loops among them. */
import type { ForStatement, ReduceStatement, Statement } from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import { Site } from "../sites/site.ts";
import { writeStatement } from "../sites/statements.ts";
import { carries } from "./carries.ts";
import { keep } from "./places.ts";
import { writeReduce } from "./reduce.ts";
import { writeRowReduce } from "./rows.ts";
import { writeSort } from "./sort.ts";
import { factsOf, stepsFor } from "./steps.ts";
import { isStraight, isUnrolled, writeStraight } from "./straight.ts";
import { StraightLoop } from "./straight-loop.ts";

export function writeBlock(site: Site, statements: readonly Statement[]): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "for":
        writeFor(site, statement);
        break;
      case "reduce":
        if (inRegisters(statement)) writeReduce(site, statement);
        else writeRowReduce(site, statement);
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
  accumulators.every((accumulator) => accumulator.row === null) && isStraight(row) && isStraight(body);

function writeFor(block: Site, statement: ForStatement): void {
  const { axis, extent } = statement.axis;
  if (isUnrolled(statement) && (extent as { value: number }).value <= WRITTEN_OUT)
    return writeStraight(block, [statement]);
  const end = block.fn.target.local("i32");
  keep(block, end, block.integer(extent));
  writeRange(block, statement, block.code.scalar("i32", 0), end, axis);
}

/** So few iterations that a loop around them is not worth it. */
const WRITTEN_OUT = 2;

const isLoop = ({ kind }: Statement): boolean => kind === "for" || kind === "reduce";

/** The iterations of a loop from a register to the place in a local. */
export function writeRange(
  block: Site,
  { ordered, body, axis: { extent } }: ForStatement,
  begin: ReturnType<Site["integer"]>,
  end: Local,
  axis: number,
): void {
  const { target } = block.fn;
  const alone = ordered || carries(body, axis);
  if (isStraight(body) && !(alone && body.some(isLoop))) {
    const steps = alone ? [1] : stepsFor(factsOf(body, block.fn.areas));
    const counts =
      extent.kind === "literal" ? steps.filter((count) => count === 1 || count <= extent.value) : steps;
    const loop = new StraightLoop(block, axis, counts, (site) => {
      writeStraight(site, body);
      return [];
    });
    loop.start(block, begin);
    loop.run(end);
    return;
  }
  const at = target.local("i32");
  keep(block, at, begin);
  target.forRange(at, end, 1, () => {
    const site = new Site(block.fn, block);
    site.axes.set(axis, at);
    writeBlock(site, body);
    site.flush();
  });
}

/** Checks the `run` of each loop, and that private memory is stored to before it is read (docs/scheduled-loops.md). */
import type { LoopAxis, LoopKernel, Statement } from "./node.ts";
import {
  axesOfLoop,
  bodyOfLoop,
  isDefinition,
  isLoop,
  type Loop,
  someInteger,
  visitParts,
  visitStatements,
} from "./walk.ts";

/** Calls `need` with each condition, and the message for when it is false. */
export function verifyRuns(
  { buffers, body }: LoopKernel,
  need: (holds: boolean, message: string) => void,
): void {
  const isPrivate = (slot: number): boolean => buffers[slot]?.access === "private";
  buffers.forEach((buffer, slot) => {
    if (buffer.access !== "private") need(!isPrivate(slot - 1), `b${slot} stands behind private ones`);
    else
      need(
        !someInteger(buffer.cells, ({ kind }) => kind === "axis" || kind === "local"),
        `the cells of b${slot} do not follow from sizes`,
      );
  });

  const walk = (statements: readonly Statement[], filled: Set<number>, mayBeParallel: boolean): void => {
    for (const statement of statements) {
      visitParts(statement, {
        buffer: (slot) =>
          need(
            !isPrivate(slot) || statement.kind === "store" || filled.has(slot),
            `b${slot} is read before its work item has stored to it`,
          ),
      });
      if (statement.kind === "store" && isPrivate(statement.buffer)) filled.add(statement.buffer);
      if (!isLoop(statement)) continue;
      const isParallel = statement.kind === "for" && statement.run?.kind === "parallel";
      verifyRun(statement, mayBeParallel, need);
      if (statement.run?.kind === "unrolled") {
        need(isUnrolled(statement), "an unrolled loop is around one that is not");
        for (const { axis, extent } of axesOfLoop(statement))
          need(extent.kind === "literal", `the extent of x${axis}, which is unrolled, is not in the text`);
      }
      const alone = statement.body.slice(0, -1).every(isDefinition);
      // Private memory that a work item of a parallel loop has filled is undefined after that loop.
      walk(bodyOfLoop(statement), isParallel ? new Set() : filled, isParallel && alone);
    }
  };
  for (const statement of body) walk([statement], new Set(), true);
}

function verifyRun(
  loop: Loop,
  mayBeParallel: boolean,
  need: (holds: boolean, message: string) => void,
): void {
  const { run } = loop;
  const { axis } = axesOfLoop(loop).at(-1)!;
  const ordered = loop.kind === "for" ? loop.ordered : loop.scan;
  const body = bodyOfLoop(loop);
  switch (run?.kind) {
    case undefined:
      break;
    case "unrolled": {
      if (run.transposed)
        need(
          isShortRow(loop),
          `x${axis} is transposed, and no row of 4 to 16 elements, nor just a sum or an extremum of so many float32`,
        );
      break;
    }
    case "parallel":
      need(!ordered, `x${axis} is in order and parallel`);
      need(mayBeParallel, `x${axis} is parallel within a loop that is not, or beside other loops`);
      break;
    case "vector":
      need(isCount(run.lanes) && isCount(run.copies), `x${axis} has ${run.lanes} x ${run.copies} lanes`);
      need(body.every(isUnrolled), `x${axis} is a vector around a loop that is not unrolled`);
      need(
        run.spilled === undefined || (loop.kind === "reduce" && !loop.scan),
        `x${axis} is spilled, and folds nothing that could wait`,
      );
      if (run.masked === undefined) break;
      need(
        isCount(run.masked) && run.masked >= run.lanes && run.masked <= run.lanes * run.copies,
        `x${axis} has ${run.lanes} x ${run.copies} lanes, and ${run.masked} for what is left over`,
      );
      need(!ordered, `x${axis} is in order and masked`);
      need(
        loop.kind === "for" || loop.axes.length === 1,
        `x${axis} is masked, but not all of what is folded`,
      );
      visitStatements(body, {
        statement: ({ kind }) =>
          need(kind !== "index", `x${axis} is masked and looks up an index, which may fail`),
      });
      break;
    case "jam": {
      const [inner, ...others] = body.filter((each) => isLoop(each) || each.kind === "sort");
      need(isCount(run.copies) && run.copies > 1, `x${axis} is jammed ${run.copies} times`);
      need(!ordered, `x${axis} is in order and jammed`);
      need(
        inner !== undefined && isLoop(inner) && inner.run?.kind === "vector" && others.length === 0,
        `x${axis} is jammed around something other than one vector`,
      );
      break;
    }
    default:
      run satisfies never;
  }
}

/** True when the statement is no loop, or an unrolled one: none is left when it runs. */
const isUnrolled = (statement: Statement): boolean =>
  !isLoop(statement) || (statement.run?.kind === "unrolled" && bodyOfLoop(statement).every(isUnrolled));

/** Registers and steps have powers of two. */
const isCount = (count: number): boolean => count >= 1 && Number.isInteger(Math.log2(count));

/** True of short rows whose elements can be lanes: those that are stored, or sums and extrema of float32, which store nothing on the way. */
function isShortRow(loop: Loop): boolean {
  const [{ extent }, ...inner] = axesOfLoop(loop) as [LoopAxis, ...LoopAxis[]];
  if (inner.length > 0 || extent.kind !== "literal" || extent.value < 4 || extent.value > 16) return false;
  if (loop.kind === "for") return !loop.ordered;
  if (loop.scan || loop.row.length > 0 || loop.body.some(({ kind }) => kind === "store")) return false;
  return loop.accumulators.every(
    ({ fn, from, lanes }) =>
      from === "float32" && (fn === "max" || fn === "min" || (fn === "sum" && lanes > 1)),
  );
}

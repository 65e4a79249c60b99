/** Consecutive iterations of an outer loop that share their left operands, which are then packed once. */
import type { Integer, LoopAxis } from "@fuseau/ir";
import { least, over, overUp, plus } from "../integers.ts";
import type { Nest } from "./nest.ts";
import type { Step } from "./plan.ts";

interface Repeats {
  readonly loop: LoopAxis;
  /** The number of consecutive iterations: few enough that all threads have work items, as there are few blocks of rows. */
  readonly size: Integer;
}

/** The innermost outer loop, if no left operand depends on it; `rows` are those of a block. */
export function repeatsOf(
  { dependence, outer, row }: Nest,
  steps: readonly Step[],
  rows: Integer,
): Repeats | null {
  const loop = outer.at(-1);
  if (loop === undefined || row === null) return null;
  const isCommon = steps.every((step) => {
    if (step.kind !== "multiply") return true;
    const { a, left } = step.product;
    return !("workspace" in a) && !dependence.axesOf(left).has(loop.axis);
  });
  return isCommon ? { loop, size: plus(1, least(loop.extent, over(overUp(row.extent, rows), 2))) } : null;
}

/** Iterations of an outer loop that have the left operands in common: they follow each other, so that those are packed once. */
import type { Integer, LoopAxis } from "@fuseau/ir";
import { least, over, overUp, plus } from "../integers.ts";
import type { Numbering } from "../numbering.ts";
import type { Nest } from "./nest.ts";
import type { Step } from "./plan.ts";

export interface Repeats {
  readonly loop: LoopAxis;
  /** Iterations that follow each other: few enough that there are work items for all threads, blocks of rows being few. */
  readonly size: Integer;
  readonly groups: LoopAxis;
}

/** The innermost outer loop, if it decides no left operand. */
export function repeatsOf(
  { dependence, outer }: Nest,
  steps: readonly Step[],
  blocks: Integer,
  numbering: Numbering,
): Repeats | null {
  const loop = outer.at(-1);
  if (loop === undefined) return null;
  const isCommon = steps.every((step) => {
    if (step.kind !== "multiply") return true;
    const { a, left } = step.product;
    return !("workspace" in a) && !dependence.axesOf(left).has(loop.axis);
  });
  if (!isCommon) return null;
  const size = plus(1, least(loop.extent, over(blocks, 2)));
  return {
    loop,
    size,
    groups: { axis: numbering.axis().axis, extent: overUp(loop.extent, size) },
  };
}

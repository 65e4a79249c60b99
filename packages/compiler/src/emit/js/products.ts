/** Which products jam several sums, as rows of a walk or rows of accumulators. */
import { type LoopKernel, visitStatements } from "@fuseau/ir";
import { columns } from "../../tactics/columns.ts";
import { interleaved } from "../../tactics/interleaved.ts";
import { plainMachine } from "../../tactics/machine.ts";
import { type Scheduler, scheduleLoops } from "../../tactics/schedule-loops.ts";

export const plainScheduler: Scheduler = {
  machine: plainMachine,
  get tactics() {
    return [columns, interleaved];
  },
};

/** The accumulators of such products. In any other, each addition waits for the one before. */
export function jammedProducts(kernel: LoopKernel): ReadonlyMap<number, "plain"> {
  const found = new Map<number, "plain">();
  visitStatements(scheduleLoops(kernel, plainScheduler).body, {
    statement: (each, around) => {
      if (each.kind !== "reduce" || ![each, around.at(-1)].some((loop) => loop?.run?.kind === "jam")) return;
      for (const { accumulator, fn } of each.accumulators) if (fn === "dot") found.set(accumulator, "plain");
    },
  });
  return found;
}

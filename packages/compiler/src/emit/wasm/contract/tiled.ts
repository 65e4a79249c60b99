/** How the products of a kernel are made: what the scheduler asks before it leaves one where it is. */
import type { LoopKernel } from "@fuseau/ir";
import type { ProductLoops } from "../../../schedule/cost.ts";
import { Numbering } from "../../../tactics/numbering.ts";
import { dotsApart } from "../loops/dots.ts";
import { kinds } from "../matmul/kinds.ts";
import { planPhases } from "../plan/phases.ts";
import { Workspaces } from "../plan/workspaces.ts";
import { extentIn, iterations } from "./context.ts";
import { matchNest } from "./match.ts";
import { blockRows } from "./multiply-phase.ts";
import { planSteps } from "./plan.ts";

/** By accumulator; what is missing is summed element by element. */
export function productLoops(
  kernel: LoopKernel,
  sizes: readonly number[],
): ReadonlyMap<number, ProductLoops> {
  const workspaces = new Workspaces(kernel);
  const numbering = new Numbering(kernel);
  const found = new Map<number, ProductLoops>();
  for (const planned of planPhases({ ...kernel, body: kernel.body.flatMap(dotsApart) })) {
    const nest = matchNest(planned.statements[0]!, kinds, numbering);
    if (nest === null) continue;
    const extent = extentIn(planned);
    const planning = { nest, kinds, workspaces, extent, rows: blockRows(nest, kinds) };
    for (const step of planSteps(planning, nest.body)) {
      if (step.kind !== "multiply") continue;
      const { accumulator, width, depth } = step.product;
      found.set(accumulator.accumulator, {
        count: iterations(nest.outer, extent)(sizes),
        rows: nest.row === null ? 1 : extent(nest.row.extent)(sizes),
        columns: extent(width)(sizes),
        depth: extent(depth.extent)(sizes),
      });
    }
  }
  return found;
}

/** How the products of a kernel are made: what the scheduler asks before it leaves one where it is. */
import type { LoopKernel } from "@fuseau/ir";
import type { ProductForm } from "../../../schedule/audit.ts";
import { kinds } from "../matmul/kinds.ts";
import { Areas } from "../plan/areas.ts";
import { planPhases } from "../plan/phases.ts";
import { extentIn } from "./context.ts";
import { dotsApart } from "./dots.ts";
import { matchNest } from "./match.ts";
import { blockRows } from "./multiply-phase.ts";
import { planSteps } from "./plan.ts";

/** By accumulator; what is missing is summed element by element. */
export function productForms(kernel: LoopKernel): ReadonlyMap<number, ProductForm> {
  const areas = new Areas(kernel);
  const forms = new Map<number, ProductForm>();
  for (const planned of planPhases({ ...kernel, body: kernel.body.flatMap(dotsApart) })) {
    const nest = matchNest(planned.statements[0]!, kinds);
    if (nest === null) continue;
    const planning = { nest, kinds, areas, extent: extentIn(planned), rows: blockRows(nest, kinds) };
    for (const step of planSteps(planning, nest.body)) {
      if (step.kind !== "multiply") continue;
      const { accumulator, column } = step.product;
      forms.set(accumulator.accumulator, nest.row === null || column === null ? "stream" : "tiles");
    }
  }
  return forms;
}

/** Which products of a kernel are made in tiles: what the scheduler asks before it leaves one where it is. */
import type { LoopKernel } from "@fuseau/ir";
import { kinds } from "../matmul/kinds.ts";
import { Areas } from "../plan/areas.ts";
import { planPhases } from "../plan/phases.ts";
import { extentIn } from "./context.ts";
import { dotsApart } from "./dots.ts";
import { matchNest } from "./match.ts";
import { blockRows } from "./multiply-phase.ts";
import { planSteps } from "./plan.ts";

/** The accumulators that are sums of tiles, or of a single row or column along the other operand. */
export function tiledProducts(kernel: LoopKernel): ReadonlySet<number> {
  const areas = new Areas(kernel);
  const body = kernel.body.flatMap(dotsApart);
  const steps = planPhases({ ...kernel, body }).flatMap((planned) => {
    const nest = matchNest(planned.statements[0]!, kinds);
    if (nest === null) return [];
    return planSteps(
      { nest, kinds, areas, extent: extentIn(planned), rows: blockRows(nest, kinds) },
      nest.body,
    );
  });
  return new Set(
    steps.flatMap((step) => (step.kind === "multiply" ? [step.product.accumulator.accumulator] : [])),
  );
}

/** How the products of a kernel are made: what the scheduler asks before it leaves one where it is. */
import type { DType, Integer, LoopKernel } from "@fuseau/ir";
import type { ProductLoops } from "../../../schedule/cost.ts";
import { Numbering } from "../../../tactics/numbering.ts";
import { matchNest } from "../../../tactics/products/nest.ts";
import { planSteps } from "../../../tactics/products/plan.ts";
import { dotsApart } from "../loops/dots.ts";
import { planPhases } from "../plan/phases.ts";
import { Workspaces } from "../plan/workspaces.ts";
import { extentIn, iterations } from "./context.ts";

/** By accumulator; what is missing is summed element by element. */
export function productLoops(
  kernel: LoopKernel,
  sizes: readonly number[],
): ReadonlyMap<number, ProductLoops> {
  const workspaces = new Workspaces(kernel);
  const numbering = new Numbering(kernel);
  const found = new Map<number, ProductLoops>();
  for (const planned of planPhases({ ...kernel, body: dotsApart(kernel) })) {
    const nest = matchNest(planned.statements[0]!, numbering);
    if (nest === null) continue;
    const extent = extentIn(planned);
    const dtypeOf = (buffer: number): DType => workspaces.dtypeOf(buffer);
    const addBlock = (dtype: DType): number => workspaces.add(dtype, () => 0);
    const rows: Integer = { kind: "literal", value: 1 };
    for (const step of planSteps({ nest, dtypeOf, addBlock, rows }, nest.body)) {
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

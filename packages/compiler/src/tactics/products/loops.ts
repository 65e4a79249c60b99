/** How the products of a kernel are made; the scheduler decides by this whether to fuse them. */
import type { DType, Integer, LoopKernel } from "@fuseau/ir";
import { splitDots } from "../dots.ts";
import { Numbering } from "../numbering.ts";
import { planPhases } from "../phases.ts";
import { extentIn, iterations } from "../work.ts";
import { matchNest } from "./nest.ts";
import { planSteps } from "./plan.ts";

/** Products of `rows` by `depth` and `depth` by `columns` elements, `count` of them. */
export interface ProductLoops {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/** By accumulator; a missing one is summed element by element. */
export function productLoops(
  kernel: LoopKernel,
  sizes: readonly number[],
): ReadonlyMap<number, ProductLoops> {
  const dtypes = kernel.buffers.map(({ dtype }) => dtype);
  const numbering = new Numbering(kernel);
  const found = new Map<number, ProductLoops>();
  for (const planned of planPhases({ ...kernel, body: splitDots(kernel) })) {
    const nest = matchNest(planned.statements[0]!, numbering);
    if (nest === null) continue;
    const extent = extentIn(planned);
    const dtypeOf = (buffer: number): DType => dtypes[buffer]!;
    const addBlock = (dtype: DType): number => dtypes.push(dtype) - 1;
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

/** Finds the nodes that cost more where the schedule placed them than stored, using the loops made of that schedule. */

import type { Lowered } from "./kinds.ts";
import type { LoweredKernel } from "./lower/lower.ts";
import { nodesIn } from "./plan/describe.ts";
import { audit } from "./schedule/audit.ts";
import type { Comparison } from "./schedule/cost.ts";
import type { Placed } from "./schedule/products.ts";
import type { Target } from "./schedule/target.ts";
import type { Kernel } from "./schedule/tree.ts";

type Found = readonly (readonly [number, Comparison])[];

/** Earlier results: storing a few nodes leaves most kernels of a program unchanged. */
export interface Known {
  /** How products are made, by the text of a kernel and its sizes. */
  readonly products: Map<string, ReturnType<Target["products"]>>;
  /** By everything that an audit reads of a kernel. */
  readonly kernels: Map<string, Found>;
}

/** Nodes that cost more where they were placed than stored, and were not known to. */
export function costlierFused(
  { graph, scheduled, lowered }: Lowered,
  target: Target,
  unfused: ReadonlyMap<number, Comparison>,
  known: Known,
): Found {
  return scheduled.kernels
    .flatMap((kernel, k) => {
      const made = lowered[k]!;
      const key = keyOf(kernel, made, unfused);
      let found = known.kernels.get(key);
      if (found === undefined) {
        found = [
          ...audit(graph, scheduled.table, kernel, target.costs, placedIn(made, target, known), unfused),
        ];
        known.kernels.set(key, found);
      }
      return found;
    })
    .filter(([node]) => !unfused.has(node));
}

/** Of one graph. The key identifies equal loops over the same nodes and buffers. */
function keyOf(
  kernel: Kernel,
  { text, sizes }: LoweredKernel,
  unfused: ReadonlyMap<number, Comparison>,
): string {
  const writes = kernel.writes.map(({ node }) => (unfused.has(node) ? `${node} unfused` : node));
  const reads = [...kernel.reads].map(({ node }) => node);
  return [text, sizes, nodesIn(kernel), writes, reads].join("\n");
}

/** How a kernel's products are made, computed on first use. */
function placedIn(
  { loop, text, reductions, sizes }: LoweredKernel,
  target: Target,
  { products }: Known,
): Placed {
  const key = `${text}\n${sizes}`;
  return (reduction) => {
    let found = products.get(key);
    if (found === undefined) {
      found = target.products(loop, sizes);
      products.set(key, found);
    }
    const loops = found.get(reductions.indexOf(reduction)) ?? "single";
    // Across memory order, plain loops are no better than single sums.
    return loops === "plain" && reduction.crosses ? "single" : loops;
  };
}

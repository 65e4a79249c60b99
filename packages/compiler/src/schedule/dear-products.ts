/**
 * Products that a finished schedule computes where their emitter has no quick loops for them, and that cost less in a kernel of
 * their own. The loops that a product ends up in are known only when everything else has been placed.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import type { Emitter } from "../emit/emit.ts";
import type { Graph } from "../graph.ts";
import { shareOf } from "../layout/index-expression.ts";
import type { LoweredKernel } from "../lower/lower.ts";
import { type Comparison, costs } from "./cost.ts";
import type { Block, Kernel, Reduction } from "./tree.ts";

/** By the position of the node; `tiled` are the accumulators of a kernel that WebAssembly makes in tiles. */
export function dearProducts(
  graph: Graph,
  kernels: readonly Kernel[],
  lowered: readonly LoweredKernel[],
  emitter: Emitter,
  tiled: (kernel: LoweredKernel["loop"]) => ReadonlySet<number>,
): Map<number, Comparison> {
  const { product, productApart, byte, kernel: call } = costs[emitter];
  const dear = new Map<number, Comparison>();
  kernels.forEach(({ root }, k) => {
    const products = productsIn(root);
    if (products.size === 0) return;
    const { reductions, loop } = lowered[k] as LoweredKernel;
    const inTiles = emitter === "wasm" ? tiled(loop) : null;
    for (const [reduction, runs] of products) {
      const { node, to, crosses } = reduction;
      const isQuick = inTiles === null ? !crosses : inTiles.has(reductions.indexOf(reduction));
      if (isQuick) continue;
      const { shape, inputs } = graph.nodes[node] as Graph["nodes"][number];
      const size = elementCount(shape);
      const depth = inputs[0]?.shape.at(-1) as number;
      const fused = runs * productApart;
      const stored = size * (depth * product + dtypes[to].bytes * byte) + call;
      if (fused > stored) dear.set(node, { fused, stored });
    }
  });
  return dear;
}

/** The products of a block, and how many multiplications each makes. */
function productsIn(
  block: Block,
  around = 1,
  found = new Map<Reduction, number>(),
): ReadonlyMap<Reduction, number> {
  for (const item of block.items) {
    if (item.kind === "accumulate" && item.reduction.fn === "dot") found.set(item.reduction, around);
    if (item.kind !== "loop") continue;
    const runs = item.axes.reduce(
      (count, axis) => count * shareOf({ size: axis.extent, panel: axis.panel }),
      around,
    );
    productsIn(item.body, runs, found);
  }
  return found;
}

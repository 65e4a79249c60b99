/** The spots of what a product takes: its own loops walk that, which are not those where it stands. */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Axis } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import {
  type Accumulate,
  type Block,
  type Item,
  type Let,
  type Loop,
  letOf,
  letsOf,
} from "../schedule/tree.ts";
import type { ProductLoops } from "../tactics/products/loops.ts";
import { type Spot, stepsOf } from "./spots.ts";

/** A product computes its operands once for each of their elements, not for each multiplication. */
export function respot(
  graph: Graph,
  { reduction, values }: Accumulate,
  loops: ProductLoops | "plain",
  costs: Costs,
  spots: Map<Item, Spot>,
): void {
  const { inputs } = graph.nodes[reduction.node] as Node;
  const { axes } = reduction.loop;
  values.forEach((value, k) => {
    const along = axes[0] as Axis;
    const runs = elementCount((inputs[k] as Node).shape);
    const isOne = loops !== "plain" && Math.min(loops.rows, loops.columns) === 1;
    const seen = new Set<Item>();
    const visit = (item: Let): void => {
      const known = spots.get(item);
      if (seen.has(item) || known === undefined) return;
      seen.add(item);
      // Items outside of the product's loops keep their place.
      if (!isInside(item.block, reduction.loop)) return;
      // Operands that are computed in a loop over columns are so many at a time.
      const { extent } = item.block.loop?.axes.at(-1) ?? along;
      const slow = isOne ? costs.serial : stepsOf(extent, costs);
      const isAcross = loops !== "plain" && letsOf(item).some((read) => isStrided(read, along));
      spots.set(item, {
        ...known,
        runs,
        slow: isAcross ? slow * STRIDED : slow,
        scan: null,
        packed: isAcross,
      });
      for (const read of letsOf(item)) visit(read);
    };
    const root = letOf(value);
    if (root !== null) visit(root);
  });
}

/** How many times as long an element takes that is made of a strided load: tiles take stored operands across memory, and pack computed ones one by one. */
const STRIDED = 2;

const isStrided = ({ definition }: Let, along: Axis): boolean =>
  definition.kind === "load" &&
  definition.at.terms.some(({ atom, coefficient }) => atom === along && Math.abs(coefficient) > 2);

function isInside(block: Block, loop: Loop): boolean {
  for (let around = block.loop; around !== null; around = around.block.loop) if (around === loop) return true;
  return false;
}

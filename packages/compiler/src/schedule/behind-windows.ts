/**
 * Windows with other work in their loop. What is made of a window in the loop that folds it (`x.maxPool2d(2).gelu()`) is made in rows of the
 * result and between strided loads. If what the window gives is stored, nothing is read twice, and the rest has loops over memory. Where
 * windows are looked up (`x.maxPool2d(3).gather(2, i)`), each element is loaded by itself, and not beside its neighbour's.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Indirect } from "../indexing/index-expression.ts";
import type { Costs } from "./cost.ts";
import { elementsOf } from "./rows.ts";
import { isUnrolled, type Spot } from "./spots.ts";
import { type Accumulate, type Item, type Let, letOf, letsOf, type Reduction } from "./tree.ts";

/** Units of an element of a window: a load and a fold. */
export const WINDOW = 2;

/** By node of a window that is looked up: how many units more it costs there. */
export function lookedUpWindows(
  graph: Graph,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const gathers = new Map<Indirect, number>();
  for (const item of spots.keys())
    if (item.kind === "lookup" && item.gather !== null) gathers.set(item.atom, item.gather);
  const excess = new Map<number, number>();
  if (gathers.size === 0 || costs.step === 1) return excess;
  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const { node, loop } = item.reduction;
    const isLookedUp = (atom: Indirect): boolean => (gathers.get(atom) ?? 0) > node && isAcross(atom, item);
    if (!isUnrolled(loop, costs) || !loadsOf(item).some(isLookedUp)) continue;
    const alone = elementCount((graph.nodes[node] as Node).shape) * elementsOf(loop);
    const units = runs * costs.scattered - Math.max(0, alone - runs) * WINDOW;
    excess.set(node, (excess.get(node) ?? 0) + units);
  }
  return excess;
}

/** The places that the elements of a window are looked up at. */
const loadsOf = ({ values }: Accumulate): readonly Indirect[] =>
  values.flatMap((value) => {
    const definition = letOf(value)?.definition;
    return definition?.kind === "load" ? definition.at.indirect : [];
  });

/** True where each lane looks up a window of its own. */
function isAcross({ axes }: Indirect, { reduction: { loop } }: Accumulate): boolean {
  const along = loop.block.loop?.axes.at(-1);
  return along !== undefined && axes.includes(along) && !loop.axes.some((axis) => axes.includes(axis));
}

/** The node of the window that a value depends on, in a loop that has nothing but windows; null for any other value. In program order. */
export function windowFinder(costs: Costs): (item: Let) => number | null {
  const found = new Map<Let, number>();
  return (item) => {
    for (const read of letsOf(item)) {
      const { definition } = read;
      const isWindow = definition.kind === "result" && isBehindWindows(item, definition.reduction, costs);
      const node = isWindow ? definition.reduction.node : found.get(read);
      if (node === undefined || (!isWindow && read.block !== item.block)) continue;
      found.set(item, node);
      return node;
    }
    return null;
  };
}

const isBehindWindows = ({ block }: Let, { loop }: Reduction, costs: Costs): boolean =>
  loop.block === block &&
  block.items.every((item) => item.kind !== "loop" || (item.role === "reduce" && isUnrolled(item, costs)));

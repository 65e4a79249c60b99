/**
 * What is made of a window in the loop that folds it (`x.maxPool2d(2).gelu()`), in rows of the result and between strided loads. If what the
 * window gives is stored, nothing is read twice, and the rest has loops over memory.
 */
import type { Costs } from "./cost.ts";
import { isUnrolled } from "./spots.ts";
import { type Let, letsOf, type Reduction } from "./tree.ts";

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

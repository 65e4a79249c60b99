/**
 * What is computed of an operand in memory order and of a transposed one, in the loop of a fold, or beside one. Alone, it is a nest whose
 * transposed operand is read in blocks, squares of which are transposed in registers. In the rows of a fold each element is loaded by itself,
 * from a cache line of its own.
 */
import { elementCount } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Costs } from "./cost.ts";
import { isInRows } from "./rows.ts";
import type { Spot } from "./spots.ts";
import { type Item, letsOf } from "./tree.ts";
import { placeUnits } from "./units.ts";

/** Units that such an element takes longer. */
const LOADED_ALONE = 5;

/** By node: the units lost. */
export function transposedOperands(
  graph: Graph,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const excess = new Map<number, number>();
  // Without lanes nothing is transposed in registers.
  if (costs.step === 1) return excess;
  for (const [item, { runs, along, lanes }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "pointwise" || along === null || lanes !== null)
      continue;
    if (!isInRows(item.block)) continue;
    const elements = elementCount(graph.nodes[item.node]!.shape);
    const units = letsOf(item).flatMap(({ definition }) =>
      definition.kind === "load" && definition.buffer.cells === elements
        ? [placeUnits(definition.at, along, costs)]
        : [],
    );
    if (units.includes(1) && units.includes(costs.strided))
      excess.set(item.node, (excess.get(item.node) ?? 0) + runs * LOADED_ALONE);
  }
  return excess;
}

/**
 * What is computed of an operand in memory order and of a transposed one, in the loop of a fold or a scan, or beside one. Alone, it is a
 * nest whose transposed operand is read in blocks, squares of which are transposed in registers. In the rows of a fold or a scan each
 * element is loaded by itself, from a cache line of its own.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Costs } from "./cost.ts";
import { isInRows } from "./rows.ts";
import type { Spot } from "./spots.ts";
import { type Item, letsOf } from "./tree.ts";
import { placeUnits } from "./units.ts";

/** Units that each byte of such an element takes longer. */
const LOADED_ALONE = 1.25;

/** By node: the units lost. */
export function transposedOperands(
  graph: Graph,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const excess = new Map<number, number>();
  // Without lanes nothing is transposed in registers.
  if (costs.step === 1) return excess;
  for (const [item, { runs, along, lanes, scan }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "pointwise" || along === null || lanes !== null)
      continue;
    if (!isInRows(item.block) && scan === null) continue;
    const { dtype, shape } = graph.nodes[item.node]!;
    const elements = elementCount(shape);
    const units = letsOf(item).flatMap(({ definition }) =>
      definition.kind === "load" && definition.buffer.cells === elements
        ? [placeUnits(definition.at, along, costs)]
        : [],
    );
    if ((units.includes(1) || scan !== null) && units.includes(costs.strided))
      excess.set(item.node, (excess.get(item.node) ?? 0) + runs * dtypes[dtype].bytes * LOADED_ALONE);
  }
  return excess;
}

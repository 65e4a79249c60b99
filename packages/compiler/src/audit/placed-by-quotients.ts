/**
 * Loads whose places take quotients that change from element to element: pixels that were shuffled in front of a softmax, patches of an image
 * in front of a norm. No vector is loaded there. If what was moved is stored as it was moved, in loops over its own axes, readers take it in
 * order.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { sourceOf } from "../schedule/movement.ts";
import { type Item, type Let, readsOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { placeUnits, quotientsAlong } from "./units.ts";

/** By the movement: the units lost, less those of the copy. */
export function placedByQuotients({ graph, spots, costs }: Audited): Excess {
  const excess = new Excess();
  const counted = new Set<Let>();
  for (const item of spots.keys()) {
    const reader = readerOf(item);
    if (reader === null) continue;
    for (const read of readsOf(item)) {
      const { definition } = read;
      if (definition.kind !== "load" || counted.has(read)) continue;
      const { along, runs } = spots.get(read)!;
      if (along === null || quotientsAlong(definition.at, along) === 0) continue;
      const moved = movedFor(graph, reader, read.node);
      if (moved === null) continue;
      counted.add(read);
      excess.add(moved, runs * (placeUnits(definition.at, along, costs) - 1));
    }
  }
  for (const [moved, units] of excess)
    excess.set(moved, units * MEASURED - elementCount((graph.nodes[moved] as Node).shape) * COPY);
  return excess;
}

/** The part of the units of quotients that such loads were measured to take; and units of an element that is copied as it is moved. */
const [MEASURED, COPY] = [0.5, 8];

/** The node that takes what it loads element by element; null for products, whose operands are packed by tables of places. */
function readerOf(item: Item): number | null {
  if (item.kind === "let") return item.node;
  if (item.kind === "store") return item.buffer.node;
  return item.kind === "accumulate" && item.reduction.fn !== "dot" ? item.reduction.node : null;
}

/** The last movement through which a node reads a source that has loops without quotients of its own. */
function movedFor(graph: Graph, reader: number, source: number): number | null {
  for (const input of graph.inputs[reader] as readonly number[]) {
    if (sourceOf(graph, input) !== source) continue;
    const path: number[] = [];
    for (let moved = input; moved !== source; moved = (graph.inputs[moved] as readonly number[])[0] as number)
      path.push(moved);
    const opOf = (moved: number): string => (graph.nodes[moved] as Node).op;
    const last = path.map(opOf).lastIndexOf("reshape");
    const found = path.find((moved, k) => k > last || isPlain(opOf(moved)));
    if (found !== undefined) return found;
  }
  return null;
}

/** True of a movement whose axes are those of what it moves: where these have parts, loops over the parts find them (schedule/parts.ts). */
const isPlain = (op: string): boolean => op === "permute" || op === "expand";

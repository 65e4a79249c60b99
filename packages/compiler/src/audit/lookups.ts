/** How often places are looked up, and where a lookup costs more than one of a gather in a kernel of its own. */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Costs } from "../schedule/cost.ts";
import { sourceOf } from "../schedule/movement.ts";
import { type Lookup, letOf } from "../schedule/tree.ts";
import { isUnrolled } from "./spots.ts";

/** Units that an element takes longer where short rows of what is looked up are compared than where it is stored: rows of 4 to 16. */
export const COMPARED = 6;

export const isInShortMaximum = ({ block: { loop, items } }: Lookup, costs: Costs): boolean =>
  loop !== null &&
  isUnrolled(loop, costs) &&
  items.some((item) => item.kind === "accumulate" && !["sum", "prod", "dot"].includes(item.reduction.fn));

/** Elements of int64 in a first-level cache. */
const FIRST_CACHE = 4096;

/**
 * True of a place that is read at one which is looked up itself, in more than stays in the first cache: of what is gathered from a gather's
 * result, each element waits for two loads from anywhere. Where that result is stored, places are read in order.
 */
export function isFoundTwice({ value }: Lookup): boolean {
  const definition = letOf(value)?.definition;
  if (definition?.kind !== "load") return false;
  return definition.at.indirect.length > 0 && definition.buffer.cells > FIRST_CACHE;
}

/** True of a place that is a quotient of one which is looked up itself: what is gathered was reshaped, and gathered again. */
export const isDivided = ({ place }: Lookup): boolean =>
  place.terms.some(({ atom }) => (atom.kind === "div" || atom.kind === "mod") && atom.of.indirect.length > 0);

/** How many elements of its loop have the place that is looked up: it is looked up in front of the innermost axes of a fold. */
export function repeatsOf({ place, block }: Lookup): number {
  let repeats = 1;
  for (const axis of [...(block.loop?.axes ?? [])].reverse()) {
    if (place.axes.includes(axis)) break;
    repeats *= axis.extent;
  }
  return repeats;
}

/** How often a gather looks places up in a kernel of its own: once for each row, where its index was expanded. */
export function lookupsAlone(graph: Graph, position: number): number {
  const { op, shape, attributes } = graph.nodes[position] as Node;
  const [, looked] = graph.inputs[position] as readonly number[];
  const own = elementCount((graph.nodes[sourceOf(graph, looked as number)] as Node).shape);
  const size = elementCount(shape);
  return op !== "gather" || own === size ? size : elementCount(shape.slice(0, attributes.axis + 1));
}

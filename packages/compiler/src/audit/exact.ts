/**
 * Costs that are as exact as that of storing in a cache: rows that are waited for one after another, and folds in an order that the value
 * would not have.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Costs } from "../schedule/cost.ts";
import { sourceOf } from "../schedule/movement.ts";
import { type Accumulate, type Block, type Let, type Lookup, letOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { WAIT } from "./rows-under-folds.ts";
import { type Spot, stepsOf } from "./spots.ts";
import { storedUnits } from "./units.ts";

/** Units of an element that joins a short row of accumulators, where it would be folded along a row if it were stored. */
const TURNED = 3.5;

/** By the node that would be stored. */
export function exactUnits({ graph, spots, costs }: Audited): Excess {
  const exact = new Excess();
  // Without lanes, rows are walked one after another in any kernel.
  if (costs.step === 1) return exact;
  const firstInput = (node: number): number =>
    sourceOf(graph, (graph.inputs[node] as readonly number[])[0] as number);
  for (const [item, spot] of spots) {
    if (item.kind === "lookup" && item.gather !== null) {
      const source = firstInput(item.gather);
      exact.add(source, spot.runs * WAIT * waitsFor(item, spot, graph.nodes[source] as Node));
      if (item.block.loop?.role === "parallel")
        exact.add(item.gather, spot.runs * WAIT * foldsIn(item.block));
    } else if (item.kind === "sort") {
      const keys = firstInput(item.keys.node);
      exact.add(keys, spot.runs * WAIT * (foldsIn(item.block) + piecesOf(graph.nodes[keys] as Node)));
    } else if (item.kind === "accumulate") {
      const value = letOf(item.values[0]!);
      if (value !== null && isTurned(item, value, spot, graph.nodes[value.node] as Node, costs))
        exact.add(value.node, spot.runs * TURNED);
    }
  }
  return exact;
}

/**
 * How often a row that is looked up is waited for. Its folds are, if no fewer rows are looked up than there are: only rows that lie one
 * behind the other are blocked, so that their folds do not wait for each other. So are the pieces that it is put together of: parts of what
 * is looked up have no loops of their own.
 */
function waitsFor({ axis, block }: Lookup, { runs }: Spot, source: Node): number {
  const { shape } = source;
  if (axis === shape.length - 1 || block.loop?.role !== "parallel") return 0;
  const folds = runs < elementCount(shape.slice(0, -1)) ? 0 : foldsIn(block);
  return folds + piecesOf(source);
}

const piecesOf = ({ op }: Node): number => (op === "pad" || op === "concat" ? 2 : 0);

const foldsIn = ({ items }: Block): number =>
  items.filter((item) => item.kind === "loop" && item.role === "reduce").length;

function isTurned(
  { reduction: { cells, fn, loop } }: Accumulate,
  { definition }: Let,
  { along }: Spot,
  { shape }: Node,
  costs: Costs,
): boolean {
  if (cells === 1 || fn === "dot" || along === null || stepsOf(along.extent, costs) === 1) return false;
  if (loop.role !== "reduce" || loop.axes.length > 1) return false;
  const inRow = storedUnits(definition, shape, along, costs);
  return inRow !== null && inRow > 1 && storedUnits(definition, shape, loop.axes[0]!, costs) === 1;
}

/**
 * What is computed of an operand in memory order and of a transposed one, in the loop of a fold or a scan, or beside one. Alone, it is a
 * nest whose transposed operand is read in blocks, squares of which are transposed in registers. In the rows of a fold or a scan each
 * element is loaded by itself, from a cache line of its own. So it is in a scan, or a fold
 * over rows, of short rows that an operand keeps from being one.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Axis } from "../indexing/index-expression.ts";
import type { Costs } from "./cost.ts";
import { isExpensiveRow, isInRows, readsColumn } from "./rows.ts";
import { type Spot, scanReaders } from "./spots.ts";
import { type Block, type Item, type Let, letOf, letsOf } from "./tree.ts";
import { placeUnits } from "./units.ts";

/** Units that each byte of such an element takes longer. */
const LOADED_ALONE = 1.25;

/** The same in a fold, and where a function folds. */
const [FOLDED_ALONE, CALLED] = [3, 10];

/** The same of a result that is stored beside the expensive ops of rows: it is computed once more for that, in short rows. */
const BESIDE = 1.75;

/** By node: the units lost; the kernel is for the node `made`. */
export function transposedOperands(
  graph: Graph,
  made: number | undefined,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const excess = new Map<number, number>();
  const add = (node: number, { runs }: Spot, units = LOADED_ALONE): void => {
    const bytes = dtypes[graph.nodes[node]!.dtype].bytes;
    excess.set(node, (excess.get(node) ?? 0) + runs * bytes * units);
  };
  // Without lanes nothing is transposed in registers.
  if (costs.step === 1) return excess;
  const behind = scanReaders(spots);
  for (const [item, spot] of spots) {
    const { along, lanes, scan } = spot;
    if (item.kind === "store" && isBesideExpensive(item, along)) {
      const node = letOf(item.value)?.node;
      if (node !== undefined && node !== made) add(node, spot, BESIDE);
    }
    if (item.kind !== "let" || item.definition.kind !== "pointwise" || along === null) continue;
    if (item.node !== made && isAcrossNarrow(item, along, costs)) add(item.node, spot);
    if (lanes !== null) {
      const units = unitsInRows(item.block);
      if (units > 0 && letsOf(item).some((read) => isCutShort(read, along, lanes)))
        add(behind.get(item) ?? item.node, spot, units);
      continue;
    }
    if (!isInRows(item.block) && scan === null) continue;
    const elements = elementCount(graph.nodes[item.node]!.shape);
    const units = letsOf(item).flatMap(({ definition }) =>
      definition.kind === "load" && definition.buffer.cells === elements
        ? [placeUnits(definition.at, along, costs)]
        : [],
    );
    if ((units.includes(1) || scan !== null) && units.includes(costs.strided)) add(item.node, spot);
  }
  return excess;
}

/** Units that each byte of an element takes longer in short rows whose accumulators are in memory: rows are in lanes, so none are neighbours. */
export function unitsInRows({ items }: Block): number {
  const folds = items.flatMap((item) =>
    item.kind === "accumulate" && item.reduction.cells > 1 ? [item.reduction] : [],
  );
  return folds.reduce((most, { fn, loop }) => {
    const own = fn === "logaddexp" ? CALLED : loop.role === "scan" ? LOADED_ALONE : FOLDED_ALONE;
    return Math.max(most, own);
  }, 0);
}

/** Three whole steps of an expensive op. */
const NARROW = 48;

/** True of what takes a transposed operand in a narrow row of expensive ops: no such rows are one, since squares of them are transposed. */
function isAcrossNarrow(item: Let, along: Axis, costs: Costs): boolean {
  const { loop } = item.block;
  if (loop === null || along.extent > NARROW || !isExpensiveRow(loop)) return false;
  return letsOf(item).some(
    ({ definition }) =>
      definition.kind === "load" && placeUnits(definition.at, along, costs) === costs.strided,
  );
}

/** True of a store in the loop of an expensive row that reads a column: such rows are not one, and what they take is copied to memory that is. */
function isBesideExpensive({ block: { loop } }: Item, along: Axis | null): boolean {
  // Where axes were merged, the loop goes along another one.
  if (loop === null || loop.axes.at(-1) !== along || !isExpensiveRow(loop)) return false;
  return loop.block.loop !== null && readsColumn(loop.block.loop);
}

/** True of an operand because of which short rows in a scan are not one: it is the same for all of them, or for all elements of each. */
function isCutShort({ definition }: Let, along: Axis, lanes: Axis): boolean {
  if (definition.kind !== "load") return false;
  const stepOf = (axis: Axis): number =>
    definition.at.terms.find(({ atom }) => atom === axis)?.coefficient ?? 0;
  return stepOf(lanes) !== along.extent * stepOf(along);
}

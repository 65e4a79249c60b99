/**
 * Which nodes a finished schedule computes although storing them would cost less. The costs are known only when everything has been
 * placed: whether the loops around a node have lanes, how long they are, how memory lies along them, and whether a product in them has
 * tiles.
 */
import type { Graph } from "../graph.ts";
import type { IndexTable } from "../indexing/index-expression.ts";
import { COPIED, type Comparison, type Costs } from "../schedule/cost.ts";
import type { Kernel } from "../schedule/tree.ts";
import { auditedOf, Prices, type Rule } from "./audited.ts";
import { behindFolds, shortRowsBehind } from "./behind-folds.ts";
import { besideScans } from "./beside-scans.ts";
import { costlierChains } from "./chains.ts";
import { cutLoops } from "./cut-loops.ts";
import { gatheredAside } from "./gathered.ts";
import { partsInRows, partsInShortScans, partsOfParts } from "./parts-in-rows.ts";
import { placedByQuotients } from "./placed-by-quotients.ts";
import { costlierProducts, type Placed } from "./products.ts";
import { roundedResults } from "./rounded-results.ts";
import { loneFolds, rowsUnderFolds } from "./rows-under-folds.ts";
import { scatteredWork } from "./scattered-work.ts";
import { separateRows } from "./separate-rows.ts";
import { spotsIn } from "./spots.ts";
import { stagedRows } from "./staged-rows.ts";
import { talliesIn } from "./tally.ts";
import { transposedOperands } from "./transposed-operands.ts";
import { crossedFolds, turnedFolds } from "./turned-folds.ts";
import { turnedStores } from "./turned-stores.ts";
import { waitingElements, waitingRows } from "./waiting-lookups.ts";
import {
  crowdedWindows,
  lookedUpRows,
  lookedUpWindows,
  misplacedWindows,
  windowsInFolds,
  windowsInWindows,
} from "./windows.ts";

/** Rules that hold on every target; and where loops have lanes, without which nothing of the kind is lost. */
const everywhere: readonly Rule[] = [
  crossedFolds,
  besideScans,
  cutLoops,
  misplacedWindows,
  stagedRows,
  separateRows,
  waitingElements,
];
const inLanes: readonly Rule[] = [
  behindFolds,
  shortRowsBehind,
  crowdedWindows,
  rowsUnderFolds,
  partsInRows,
  partsOfParts,
  turnedFolds,
  scatteredWork,
  windowsInFolds,
];

/** Rules whose costs are as exact as that of storing in a cache; where loops have lanes. */
const exact: readonly Rule[] = [
  partsInShortScans,
  lookedUpRows,
  lookedUpWindows,
  windowsInWindows,
  transposedOperands,
  roundedResults,
];

/** The nodes of one kernel, each with what was found last. `unfused` has what earlier sweeps found. */
export function audit(
  graph: Graph,
  table: IndexTable,
  kernel: Kernel,
  costs: Costs,
  placed: Placed,
  unfused: ReadonlyMap<number, Comparison>,
): Map<number, Comparison> {
  const prices = new Prices(graph, costs);
  const spots = spotsIn(kernel.root, costs);
  // Products take their operands' spots along, so they come first.
  const found = costlierProducts(graph, kernel, spots, costs, placed, prices);
  const audited = auditedOf(graph, table, kernel, spots, costs, prices);
  const apply = (rules: readonly Rule[], priceOf: (node: number) => number): void => {
    for (const rule of rules)
      for (const [node, excess] of rule(audited)) {
        const comparison = { fused: excess * prices.unitOf(node), stored: priceOf(node) };
        if (comparison.fused > comparison.stored) found.set(node, comparison);
      }
  };
  const storing = (node: number): number => prices.storing(node);
  const copying = (node: number): number => prices.storing(node, COPIED);
  apply(everywhere, storing);
  if (costs.step > 1) {
    apply(inLanes, storing);
    apply(exact, (node) => prices.keeping(node));
  }
  apply([waitingRows], copying);
  const tallies = talliesIn(audited);
  for (const [node, comparison] of turnedStores(audited, tallies)) found.set(node, comparison);
  for (const [node, comparison] of costlierChains(audited, tallies, unfused)) found.set(node, comparison);
  // Where something else is stored, it may be what reads the gather, or leaves little to share.
  if (found.size === 0) apply([loneFolds], storing);
  if (found.size === 0) apply([gatheredAside], copying);
  // A node that is stored is computed in loops over the axes of what it reads, where no place takes a quotient.
  if (found.size === 0 && costs.step > 1) apply([placedByQuotients], storing);
  return found;
}

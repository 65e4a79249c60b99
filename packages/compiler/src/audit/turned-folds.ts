/**
 * Folds in registers that are stored in another order than their own: `x.unfold(…).sum(-1).t()`. Nothing is transposed in registers behind
 * a fold, so that either its elements are read across memory or its results are stored so.
 */
import type { Index } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import { type Item, type Let, letOf, type Reduction, type Value } from "../schedule/tree.ts";
import type { Spot } from "./spots.ts";
import { placeUnits } from "./units.ts";

/** By fold: the units lost, in a kernel for the node `made`. */
export function turnedFolds(
  made: number | undefined,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const excess = new Map<number, number>();
  if (costs.step === 1) return excess;
  for (const [item, { runs, along }] of spots) {
    if (item.kind !== "store" || along === null) continue;
    for (const { reduction, index } of resultsIn(item.value)) {
      const { node, cells, loop } = reduction;
      const last = index.filter(({ axes }) => axes.length > 0).at(-1);
      const isTurned = index.some(({ axes }) => axes.includes(along)) && !last?.axes.includes(along);
      if (node === made || cells > 1 || !isTurned) continue;
      let units = runs * (placeUnits(item.at, along, costs) - 1);
      for (const each of loop.body.items) {
        if (each.kind !== "let" || each.definition.kind !== "load") continue;
        units += (spots.get(each)?.runs ?? 0) * (placeUnits(each.definition.at, along, costs) - 1);
      }
      excess.set(node, (excess.get(node) ?? 0) + units);
    }
  }
  return excess;
}

interface ResultAt {
  readonly reduction: Reduction;
  readonly index: readonly Index[];
}

/** The folds whose results a value is, or is computed of by pointwise ops; each once. */
function resultsIn(value: Value, seen = new Set<Let>()): ResultAt[] {
  const found = letOf(value);
  if (found === null || seen.has(found)) return [];
  seen.add(found);
  const { definition } = found;
  if (definition.kind === "result") return [{ reduction: definition.reduction, index: ownIndex(value) }];
  return definition.kind === "pointwise" ? definition.args.flatMap((each) => resultsIn(each, seen)) : [];
}

/** The index of the node that a value is computed for, beneath movements. */
const ownIndex = ({ index, place }: Value): readonly Index[] =>
  place?.kind === "same" ? ownIndex(place.as) : index;

/**
 * Folds in registers that are stored in another order than their own: `x.unfold(…).sum(-1).t()`. Nothing is transposed in registers behind
 * a fold, so that either its elements are read across memory or its results are stored so.
 */
import type { Index } from "../indexing/index-expression.ts";
import { type Let, letOf, type Reduction, type Value } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { placeUnits } from "./units.ts";

/** By fold: the units lost. */
export function turnedFolds({ made, spots, costs }: Audited): Excess {
  const excess = new Excess();
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
      excess.add(node, units);
    }
  }
  return excess;
}

/** By fold, and no product: the units that it takes longer across memory order. */
export function crossedFolds({ made, spots, costs }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || !item.reduction.crosses || item.reduction.fn === "dot") continue;
    if (item.reduction.node !== made) excess.add(item.reduction.node, runs * costs.across);
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
function ownIndex(value: Value): readonly Index[] {
  let own = value;
  while (own.place?.kind === "same") own = own.place.as;
  return own.index;
}

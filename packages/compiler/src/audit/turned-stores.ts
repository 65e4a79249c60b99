/**
 * Stores behind a fold in another order than the fold's: nothing is transposed in registers there, reads and stores across memory order
 * alike. So the node that uses the fold is stored in its own order, or the fold is.
 */
import type { Comparison } from "../schedule/cost.ts";
import { SHORT_ROW } from "../schedule/rows.ts";
import { type Let, letOf, reachedFrom } from "../schedule/tree.ts";
import type { Audited } from "./audited.ts";
import type { Tally } from "./tally.ts";
import { placeUnits } from "./units.ts";

export function turnedStores(
  { spots, costs, prices }: Audited,
  tallies: ReadonlyMap<number, Tally>,
): Map<number, Comparison> {
  const found = new Map<number, Comparison>();
  for (const [item, { runs, along, scan }] of spots) {
    if (item.kind !== "store" || scan !== null) continue;
    const value = letOf(item.value);
    const tally = value === null ? undefined : tallies.get(value.node);
    const units = placeUnits(item.at, along, costs);
    if (tally === undefined || units === 1) continue;
    const unit = prices.unitOf((value as Let).node);
    const fused = ((units - 1) * runs + tally.excess) * unit;
    for (const input of tally.inputs) {
      const stored = prices.storing(input);
      if (tallies.get(input)?.folded && fused > stored) found.set(input, { fused, stored });
    }
    // Squares of short rows are transposed on the way, in blocks of many rows, unless places take quotients. Of longer ones the fold is
    // stored, though its input is read twice.
    if (along === null) continue;
    const lost = along.extent <= SHORT_ROW ? tally.total * unit : fused;
    for (const { definition } of reachedFrom([value as Let])) {
      if (definition.kind !== "result" || definition.reduction.cells > 1) continue;
      const { node } = definition.reduction;
      const stored = prices.storing(node) + runs * costs.unit;
      if (lost > stored) found.set(node, { fused: lost, stored });
    }
  }
  return found;
}

/**
 * Short rows that are kept in scratch for a second walk. The closure emitter walks up to 256 elements at once, of several short rows where
 * it may. Scratch has room for one row, so there it walks each row by itself.
 */
import type { Costs } from "../schedule/cost.ts";
import { type Item, letOf } from "../schedule/tree.ts";
import type { Spot } from "./spots.ts";

/** By the node that is kept: how many units the walks of its kernel begin with. */
export function stagedRows(spots: ReadonlyMap<Item, Spot>, costs: Costs): Map<number, number> {
  const excess = new Map<number, number>();
  if (costs.walk === 0) return excess;
  let walks = 0;
  for (const { runs, along } of spots.values()) walks += along === null ? 0 : runs / along.extent;
  for (const item of spots.keys()) {
    if (item.kind !== "store" || item.buffer.role !== "scratch") continue;
    const value = letOf(item.value);
    if (value !== null) excess.set(value.node, walks * costs.walk);
  }
  return excess;
}

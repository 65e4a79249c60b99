/** Which scan an item belongs to. */
import { type Item, type Let, type Loop, letsOf } from "../schedule/tree.ts";
import type { Spot } from "./spots.ts";

/** By loop, the scan that it is the loop of. */
export const scansIn = (spots: ReadonlyMap<Item, Spot>): Map<Loop, number> =>
  new Map(
    [...spots.keys()].flatMap((item) =>
      item.kind === "accumulate" && item.reduction.loop.role === "scan"
        ? [[item.reduction.loop, item.reduction.node] as const]
        : [],
    ),
  );

/** By item: the scan in whose loop it stands and whose result it reads. */
export function scanReaders(spots: ReadonlyMap<Item, Spot>): Map<Item, number> {
  const known = new Map<Item, number | null>();
  const scanOf = (item: Let): number | null => {
    const found = known.get(item);
    if (found !== undefined) return found;
    known.set(item, null);
    const { definition } = item;
    let scan: number | null = null;
    const loop = spots.get(item)?.scan ?? null;
    if (loop !== null && definition.kind === "result" && definition.reduction.loop === loop)
      scan = definition.reduction.node;
    for (const read of letsOf(item)) scan ??= scanOf(read);
    known.set(item, scan);
    return scan;
  };
  const readers = new Map<Item, number>();
  for (const [item, spot] of spots) {
    if (item.kind !== "let" || spot.scan === null) continue;
    const scan = scanOf(item);
    if (scan !== null) readers.set(item, scan);
  }
  return readers;
}

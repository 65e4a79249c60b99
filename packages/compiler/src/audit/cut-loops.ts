/**
 * Loops that tests cut into pieces, each with steps of its own. All that they compute takes longer, and what has the tests is what goes: if it
 * is stored, the loop is whole.
 */
import type { Block } from "../schedule/tree.ts";
import { type Audited, Excess, scanOf } from "./audited.ts";
import { guardsOf } from "./spots.ts";

/** By node that has tests: its share of what its loop takes longer. */
export function cutLoops(audited: Audited): Excess {
  const cuts = new Map<Block, { units: number; readonly by: Set<number> }>();
  for (const [item, { here }] of audited.units) {
    const { cut, runs } = audited.spots.get(item)!;
    if (cut === 0 || scanOf(item, audited) !== undefined) continue;
    const loop = cuts.get(item.block) ?? { units: 0, by: new Set() };
    loop.units += here * cut * runs;
    if (guardsOf(item).length > 0) loop.by.add(item.node);
    cuts.set(item.block, loop);
  }
  const excess = new Excess();
  for (const { units, by } of cuts.values()) for (const node of by) excess.add(node, units / by.size);
  return excess;
}

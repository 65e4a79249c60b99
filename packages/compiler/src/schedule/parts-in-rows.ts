/**
 * What is put together of parts, in rows that have other work beside them: a fold, a window, a place that is looked up. Stored, each part has
 * a nest of its own (boxes.ts), without tests. In such rows the loop is cut where another part begins, which rows pay for that have few
 * steps, or that are walked more than once.
 */
import type { Costs } from "./cost.ts";
import type { Spot } from "./spots.ts";
import type { Block, Item } from "./tree.ts";

/** The longest rows of few steps; units that an element takes longer in them, and in longer ones. */
const FEW_STEPS = 200;
const [CUT, LONG_CUT] = [6, 2.5];

type Excess = Map<number, number>;

/** By the node that is put together: the units lost in rows. Those of scans with few steps are counted apart, as they are exact. */
export const partsInRows = (spots: ReadonlyMap<Item, Spot>, costs: Costs): Excess =>
  excessIn(spots, costs, false);
export const partsInShortScans = (spots: ReadonlyMap<Item, Spot>, costs: Costs): Excess =>
  excessIn(spots, costs, true);

function excessIn(spots: ReadonlyMap<Item, Spot>, costs: Costs, inShortScans: boolean): Excess {
  const excess = new Map<number, number>();
  if (costs.step === 1) return excess;
  for (const [item, { runs, along, packed, scan }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "select" || along === null || packed) continue;
    if (item.definition.cases.length === 0 || !hasWorkBeside(item.block)) continue;
    const isShort = along.extent <= FEW_STEPS;
    if (inShortScans !== (isShort && scan !== null)) continue;
    const units = runs * (isShort ? CUT : LONG_CUT);
    excess.set(item.node, (excess.get(item.node) ?? 0) + units);
  }
  return excess;
}

/** True within the loop of a fold, a scan or a scatter, and beside a lookup or another loop. Alone, it has been seen that boxes do not pay. */
function hasWorkBeside({ loop }: Block): boolean {
  if (loop === null) return false;
  if (loop.role !== "parallel" || loop.ordered) return true;
  const { block } = loop;
  const isWork = (each: Item): boolean =>
    each.kind === "lookup" ||
    (each.kind === "loop" && each !== loop && (block.loop !== null || each.role === "reduce"));
  return block.items.some(isWork) || hasWorkBeside(block);
}

/**
 * What is put together of parts, in rows that have other work beside them: a fold, a window, a place that is looked up. Stored, each part has
 * a nest of its own (boxes.ts), without tests. In such rows the loop is cut where another part begins, which rows pay for that have few
 * steps, or that are walked more than once.
 */
import { type Block, type Definition, type Item, letOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";

/** The longest rows of few steps; units that an element takes longer in them, and in longer ones. */
const FEW_STEPS = 200;
const [CUT, LONG_CUT] = [6, 2.5];

/** By the node that is put together: the units lost in rows. Those of scans with few steps are counted apart, as they are exact. */
export const partsInRows = (audited: Audited): Excess => excessIn(audited, false);
export const partsInShortScans = (audited: Audited): Excess => excessIn(audited, true);

/** What the kernel is made for stays, so that what it is put together of goes. */
function excessIn({ made, spots }: Audited, inShortScans: boolean): Excess {
  const excess = new Excess();
  for (const [item, { runs, along, packed, scan }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "select" || along === null || packed) continue;
    if (item.definition.cases.length === 0 || !hasWorkBeside(item.block)) continue;
    const isShort = along.extent <= FEW_STEPS;
    if (inShortScans !== (isShort && scan !== null)) continue;
    const units = runs * (isShort ? CUT : LONG_CUT);
    const nodes = item.node === made ? partsOf(item.definition) : [item.node];
    for (const node of nodes) excess.add(node, units / nodes.length);
  }
  return excess;
}

/** The nodes of computed parts. */
function partsOf({ cases, otherwise }: Extract<Definition, { readonly kind: "select" }>): number[] {
  const values = [...cases.map(({ value }) => value), otherwise];
  return [...new Set(values.flatMap((value) => letOf(value)?.node ?? []))];
}

/**
 * What is put together of parts that are put together: of a picture padded along two axes that is padded again, an element of the outer
 * padding comes from one of nine places, each under tests. By node that is put together several times, the units of all times but one.
 */
export function partsOfParts({ spots }: Audited): Excess {
  const excess = new Excess();
  const seen = new Map<Block, Set<number>>();
  for (const [item, { runs, packed }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "select" || packed) continue;
    const parts = item.definition.cases.length + 1;
    const nodes = seen.get(item.block) ?? new Set();
    seen.set(item.block, nodes);
    if (parts > 1 && nodes.has(item.node)) excess.add(item.node, runs * parts * PART);
    nodes.add(item.node);
  }
  return excess;
}

/** Units of a load under a test that is decided for a piece of a loop. */
const PART = 1.5;

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

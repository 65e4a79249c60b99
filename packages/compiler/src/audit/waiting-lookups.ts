/**
 * Elements that are looked up in more memory than a cache holds, each in front of a row that is computed from it. A gather by itself waits for
 * many elements at once. With a row's work between two of them, a processor sees only the next few, and each row waits for its own.
 */
import { dtypes, elementCount, type Node } from "@fuseau/ir";
import type { Indirect } from "../indexing/index-expression.ts";
import type { Block, Item } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { lookupsAlone } from "./lookups.ts";
import type { Spot } from "./spots.ts";
import { unitsOfItem } from "./units.ts";

/** Bytes of a cache whose latency a row's work hides, for elements and for rows. */
const [HIDDEN, ROWS_HIDDEN] = [1 << 18, 1 << 21];

/** Nanoseconds of latency of an element in 1 MiB, and in memory that no cache holds. */
const [LATENCY, LONGEST] = [15, 120];

/** Units of work in front of the next lookup of which all of the latency is waited for. */
const FULL = 200;

/** Up to so many elements a row is gathered like an element. Of longer rows a gather by itself waits for this part of the latency. */
const [REGISTER, ROWS] = [4, 0.5];

/** The part that is waited for where elements are scattered one after another. */
const SCATTERED = 0.1;

/** By gather, what its elements are waited for, of which few lie beside each other. */
export const waitingElements = (audited: Audited): Excess => waits(audited, false);

/** The same, of rows. */
export const waitingRows = (audited: Audited): Excess => waits(audited, true);

/** What lookups cost more in front of work than in a gather by itself. */
function waits({ graph, spots, costs }: Audited, ofRows: boolean): Excess {
  const excess = new Excess();
  let memory: ReadonlyMap<Indirect, number> | null = null;
  let units: ReadonlyMap<Block, number> | null = null;
  for (const [item, { runs }] of spots) {
    if (item.kind !== "lookup" || item.gather === null) continue;
    const isScattered = item.block.loop?.ordered === true;
    if (!isScattered && !item.block.items.some(({ kind }) => kind === "loop")) continue;
    const { shape } = graph.nodes[item.gather] as Node;
    if (ofRows !== elementCount(shape) > REGISTER * lookupsAlone(graph, item.gather)) continue;
    memory ??= bytesLookedUp(spots);
    const bytes = memory.get(item.atom) ?? 0;
    if (bytes <= (ofRows ? ROWS_HIDDEN : HIDDEN)) continue;
    units ??= unitsBeneath(spots);
    const work = (units.get(item.block) ?? 0) / runs / FULL;
    const share = Math.min(1, work + (isScattered ? SCATTERED : 0)) - (ofRows ? ROWS : 0);
    const wait = Math.min(LONGEST, LATENCY * (bytes / 2 ** 20) ** 0.75) / costs.unit;
    excess.add(item.gather, runs * Math.max(0, share) * wait);
  }
  return excess;
}

/** By block, the units of everything in the loops beneath it. */
function unitsBeneath(spots: ReadonlyMap<Item, Spot>): Map<Block, number> {
  const units = new Map<Block, number>();
  for (const [item, { runs, slow }] of spots) {
    const each = isGuessed(item) ? GUESSED : unitsOfItem(item) * slow;
    // A row that is sorted is full of work. It stands beside its lookups, not in a loop.
    const own = (item.kind === "sort" ? FULL : each) * runs;
    if (item.kind === "sort") units.set(item.block, (units.get(item.block) ?? 0) + own);
    for (let loop = item.block.loop; own > 0 && loop !== null; loop = loop.block.loop)
      units.set(loop.block, (units.get(loop.block) ?? 0) + own);
  }
  return units;
}

/**
 * Units of an element at which a processor may guess wrong, and then looks up nothing before it knows better; and of one that waits for the
 * one before it.
 */
const GUESSED = 30;

/** True of the place of an extremum, and of a running value. */
const isGuessed = (item: Item): boolean =>
  item.kind === "accumulate" &&
  (item.reduction.loop.role === "scan" || item.reduction.fn === "argmax" || item.reduction.fn === "argmin");

/** The bytes of the largest buffer that is read at each place. A tensor that is computed where it is looked up is in no memory. */
function bytesLookedUp(spots: ReadonlyMap<Item, Spot>): Map<Indirect, number> {
  const bytes = new Map<Indirect, number>();
  for (const item of spots.keys()) {
    if (item.kind !== "let" || item.definition.kind !== "load") continue;
    const { at, buffer } = item.definition;
    for (const atom of at.indirect)
      bytes.set(atom, Math.max(bytes.get(atom) ?? 0, buffer.cells * dtypes[buffer.dtype].bytes));
  }
  return bytes;
}

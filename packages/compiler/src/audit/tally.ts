/** What each node of a kernel costs more than the same elements in a kernel of its own, and what it is computed of. */
import { elementCount, type Node } from "@fuseau/ir";
import type { Axis } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import { sourceOf } from "../schedule/movement.ts";
import { type Let, type Lookup, letsOf, readsOf } from "../schedule/tree.ts";
import { type Audited, scanOf } from "./audited.ts";
import { exactUnits } from "./exact.ts";
import { ROW_FOUND } from "./gathered.ts";
import { COMPARED, isDivided, isFoundTwice, isInShortMaximum, lookupsAlone, repeatsOf } from "./lookups.ts";
import { foldsInOrder, joinsRow, type Spot } from "./spots.ts";
import { placeUnits, storedUnits, strideAlong, type Units } from "./units.ts";

/** Costs in units. */
export interface Tally {
  /** How much more than the same elements would cost in a kernel of its own; and that with all that is stored together with it. */
  excess: number;
  total: number;
  /** The part of it that is as exact as the cost of storing: loads across memory order that would not be, and short rows that are folded. */
  exact: number;
  /** As exact, of what is in a cache: narrow elements that are widened few at a time. */
  widened: number;
  /** As exact: what expensive ops take longer in short steps. Behind folds and products that is counted for those. */
  stepped: number;
  /** How often it is computed, and how much more often than it has elements. */
  runs: number;
  again: number;
  /** What it costs alone each time, and with what it is computed of in a cache. */
  alone: number;
  cached: number;
  /** How much more a load at the same places would cost than one in order. */
  read: number;
  /** It reads the result of a fold in the same kernel. If it were stored, both kernels would read all inputs of the fold. */
  folded: boolean;
  /** It stands in a loop that stores, each time it is computed. */
  besideStore: boolean;
  /** It is made of what that loop reads out of order, or in rows that do not lie one behind the other: any loop over it would read it so. */
  readsApart: boolean;
  /** As {@link Spot} says, of any place where it is computed. */
  inShortRow: boolean;
  /** It is recomputed for each of these nodes. If there is only one, storing that one is enough. */
  readonly readers: Set<number>;
  readonly inputs: Set<number>;
}

/** Units of recomputation that loads and stores hide. */
const HIDDEN = 2;

/** By node, operands before what is computed of them. What stands in the loop of a scan is counted for the scan. */
export function talliesIn(audited: Audited): ReadonlyMap<number, Tally> {
  const { graph, spots, costs, units } = audited;
  const tallies = new Map<number, Tally>();
  const tallyOf = (node: number): Tally => {
    const tally = tallies.get(node) ?? emptyTally();
    tallies.set(node, tally);
    return tally;
  };
  for (const [item, each] of units) {
    if (scanOf(item, audited) !== undefined) continue;
    addValue(tallyOf(item.node), item, each, audited);
    for (const input of each.inputs) tallyOf(input).readers.add(item.node);
  }
  for (const [node, tally] of tallies) {
    tally.again = Math.max(0, tally.runs - elementCount((graph.nodes[node] as Node).shape));
    tally.excess += tally.again * Math.max(0, tally.alone - HIDDEN) * costs.again;
  }
  const found = new Map<number, { runs: number; isRow: boolean }>();
  for (const [item, spot] of spots) {
    if (item.kind !== "lookup" || item.gather === null) continue;
    const slower = unitsOfLookup(item, costs);
    if (slower > 0) tallyOf(item.gather).excess += slower * spot.runs;
    const gather = found.get(item.gather) ?? { runs: 0, isRow: false };
    gather.runs += spot.runs / repeatsOf(item);
    if (costs.step > 1 && item.block.items.some(({ kind }) => kind === "loop")) gather.isRow = true;
    found.set(item.gather, gather);
  }
  for (const [node, exact] of exactUnits(audited)) {
    const tally = tallies.get(node);
    if (tally !== undefined) tally.exact += exact;
  }
  for (const [node, { runs, isRow }] of found) {
    const again = runs - lookupsAlone(graph, node);
    const tally = tallyOf(node);
    tally.excess += again * (isRow ? ROW_FOUND : costs.scattered);
    if (isRow) tally.exact += again * ROW_FOUND;
  }
  const ascending = new Map([...tallies].sort(([a], [b]) => a - b));
  addInputs(ascending, audited);
  return ascending;
}

const emptyTally = (): Tally => ({
  excess: 0,
  total: 0,
  exact: 0,
  widened: 0,
  stepped: 0,
  runs: 0,
  again: 0,
  alone: 0,
  cached: 0,
  read: 0,
  folded: false,
  besideStore: true,
  readsApart: false,
  inShortRow: false,
  readers: new Set(),
  inputs: new Set(),
});

/** Adds a value at one of the places where its node is computed. */
function addValue(tally: Tally, item: Let, units: Units, audited: Audited): void {
  const { spots, costs } = audited;
  const spot = spots.get(item) as Spot;
  const { runs, slow, rows } = spot;
  tally.excess += (units.here * slow * rows - units.alone) * runs;
  tally.exact += (units.across + units.here * slow * (rows - 1)) * runs;
  tally.widened += units.widened * runs;
  if (slow >= costs.serial) tally.exact += units.branches * runs;
  // Beside accumulators in memory, steps are slow for other reasons than their number.
  if (slow < costs.serial && !item.block.items.some(joinsRow))
    tally.stepped += units.stepped * (Math.max(slow, units.jammed) - 1) * runs;
  tally.runs += runs;
  tally.alone = units.alone;
  tally.cached = units.cached;
  if (!spot.packed && !hasColumns(item, spot, audited))
    tally.read = Math.max(tally.read, (units.load * slow - 1) * runs);
  if (units.folded) tally.folded = true;
  if (!item.block.items.some(({ kind }) => kind === "store")) tally.besideStore = false;
  if (spot.along !== null && readsApart(item, spot.along, costs)) tally.readsApart = true;
  if (spot.inShortRow) tally.inShortRow = true;
  for (const input of units.inputs) tally.inputs.add(input);
}

function readsApart(item: Let, along: Axis, costs: Costs): boolean {
  const around = item.block.loop?.block.loop?.axes.at(-1);
  return letsOf(item).some(({ definition }) => {
    if (definition.kind !== "load") return false;
    const { at } = definition;
    if (placeUnits(at, along, costs) > 1) return true;
    return around !== undefined && strideAlong(at, around) !== strideAlong(at, along) * along.extent;
  });
}

function unitsOfLookup(item: Lookup, costs: Costs): number {
  const divided = isDivided(item) ? costs.quotient : 0;
  const twice = isFoundTwice(item) ? costs.scattered : 0;
  return divided + twice + (isInShortMaximum(item, costs) ? COMPARED : 0);
}

/**
 * True of what is folded in order along memory, though its own neighbours lie along another axis: stored, columns of it are folded, in lanes.
 */
function hasColumns(item: Let, { along }: Spot, { graph, costs }: Audited): boolean {
  if (!item.block.items.some((each) => foldsInOrder(each) && readsOf(each).includes(item))) return false;
  const { shape } = graph.nodes[item.node] as Node;
  return (storedUnits(item.definition, shape, along, costs) ?? 1) > 1;
}

/** Adds what is computed for a node alone: if it is stored, that is no longer in the kernel either. */
function addInputs(ascending: ReadonlyMap<number, Tally>, { graph, writes }: Audited): void {
  const written = new Set(writes.map(({ node }) => node));
  for (const [node, tally] of ascending) {
    tally.total = tally.excess;
    const direct = (graph.inputs[node] as readonly number[]).map((input) => sourceOf(graph, input));
    for (const input of tally.inputs) {
      const known = ascending.get(input) as Tally;
      if (known.readers.size === 1 && !written.has(input)) {
        tally.total += known.total;
        tally.exact += known.exact;
        tally.widened += known.widened;
        tally.stepped += known.stepped;
        if (known.runs >= tally.runs) tally.cached += known.cached;
      }
      // If the gather's result is stored, its readers load in order.
      if (direct.includes(input)) tally.read = Math.max(tally.read, known.read);
      if (known.folded) tally.folded = true;
      if (known.readsApart && known.besideStore) tally.readsApart = true;
    }
  }
}

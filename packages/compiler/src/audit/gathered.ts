/**
 * Gathers whose elements cost more where they are read than stored first: at places that are found by division, or in a fold over
 * rows that begin anywhere among its lanes, where what was gathered would be one stretch of memory. And elements that are looked up one
 * by one for the place of an extremum, or for a row of accumulators.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Axis, Index, IndexTable, Indirect } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import { isExpensiveRow } from "../schedule/rows.ts";
import { type Block, type Item, type Let, type Lookup, letsOf, readsOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { isExpensive } from "./rows-under-folds.ts";
import { foldsFloats, LANES, type Spot } from "./spots.ts";
import { placeUnits, quotientsAlong, unitsOfItem } from "./units.ts";

interface Gathered {
  readonly node: number;
  readonly spot: Spot;
  /** Where it is read, and where the index that it is looked up by. */
  readonly at: Index;
  readonly looked: Index;
  /** Where it would be read, were it stored. */
  readonly stored: Index;
}

/** Units of a row that is looked up, to be walked by itself: for a second time, or by a product that packs it. */
export const ROW_FOUND = 50;

/** By gather, the units that it costs more where it is read. */
export function gatheredAside({ graph, table, made, spots, costs }: Audited): Excess {
  const excess = new Excess();
  const lookups = new Map<Indirect, Lookup>();
  for (const item of spots.keys())
    if (item.kind === "lookup" && item.gather !== null) lookups.set(item.atom, item);
  if (lookups.size === 0) return excess;
  if (costs.step > 1)
    for (const [item, { runs, along }] of spots)
      if (item.kind === "lookup" && item.gather !== null && along !== null && item.place.axes.includes(along))
        excess.add(item.gather, runs * unitsBeside(item.block));
  const inBlocks = new Map<Block, Gathered[]>();
  for (const [item, spot] of spots) {
    const gathered = item.kind === "let" ? gatheredBy(graph, table, item, spot, lookups) : null;
    if (gathered === null) continue;
    const { node, at, looked, stored } = gathered;
    const places = quotientsAlong(at, spot.along) + quotientsAlong(looked, spot.along);
    excess.add(node, (places - quotientsAlong(stored, spot.along)) * costs.quotient * spot.runs);
    // No block of lookups is transposed in registers, as one of loads is.
    if (places === 0) excess.add(node, (placeUnits(looked, spot.along, costs) - 1) * spot.runs);
    inBlocks.set(item.block, [...(inBlocks.get(item.block) ?? []), gathered]);
  }
  if (costs.step > 1)
    for (const [block, gathers] of inBlocks) {
      const alone = unitsOfShortSteps(block, spots) / gathers.length;
      if (alone > 0) for (const { node } of gathers) excess.add(node, alone);
      const axes = rowsFoldedIn(block);
      if (axes === null || !areOneStretch(block, gathers, axes)) continue;
      const { extent } = axes.at(-1) as Axis;
      for (const { node, looked, spot } of gathers)
        excess.add(node, (spot.runs / extent) * (unitsOfRow(block, looked, axes, costs) / gathers.length));
    }
  if (made !== undefined) excess.delete(made);
  return excess;
}

/** Units that expensive ops take longer in rows of what is looked up: only rows that lie one behind the other are walked as one. */
function unitsOfShortSteps({ loop, items }: Block, spots: ReadonlyMap<Item, Spot>): number {
  if (loop === null || !isExpensiveRow(loop)) return 0;
  return items.filter(isExpensive).reduce((sum, item) => {
    const { slow, runs } = spots.get(item) as Spot;
    return sum + unitsOfItem(item) * (slow - 1) * runs;
  }, 0);
}

/** Units of an element that is looked up by itself, where it joins a place of an extremum, or one of a row of accumulators. */
const [PLACED, IN_ROW] = [4, 2.5];

function unitsBeside({ items }: Block): number {
  const folds = items.flatMap((item) => (item.kind === "accumulate" ? [item.reduction] : []));
  if (folds.some(({ fn }) => fn === "argmax" || fn === "argmin")) return PLACED;
  return folds.some(({ cells }) => cells > 1) ? IN_ROW : 0;
}

function gatheredBy(
  graph: Graph,
  table: IndexTable,
  { definition }: Let,
  spot: Spot,
  lookups: ReadonlyMap<Indirect, Lookup>,
): Gathered | null {
  if (definition.kind !== "load" || definition.guards.length > 0) return null;
  const { at } = definition;
  // Of a gather of a gather the inner one is read at random, stored or not.
  const [atom, ...others] = at.indirect;
  const lookup = atom && lookups.get(atom);
  if (lookup === undefined || others.length > 0 || lookup.gather === null) return null;
  const { gather: node, place: looked, value } = lookup;
  const sizeOf = (position: number): number => elementCount((graph.nodes[position] as Node).shape);
  const isEach = sizeOf(value.node) === sizeOf(node);
  // Rows that are looked up lie in the order of their list then.
  const stride = Math.abs(at.terms.find((term) => term.atom === atom)?.coefficient ?? 0);
  const length = (graph.nodes[node] as Node).shape[lookup.axis] as number;
  const parts = at.terms.map((term) => (term.atom === atom ? looked : table.of(term.atom)));
  const within = stride * lookup.size;
  const outside = at.terms.map(({ coefficient }) => coefficient).filter((each) => each >= within);
  // Of what was cut out of a larger tensor the rows that are looked up are as far apart as those of that tensor.
  const apart = outside.every((each) => each % within === 0) ? within : Math.min(...outside);
  const strides = at.terms.map(({ coefficient }) =>
    within > 0 && coefficient % apart === 0 ? (coefficient / apart) * stride * length : coefficient,
  );
  const stored = isEach ? looked : table.dot(parts, strides);
  return { node, spot, at, looked, stored };
}

/** The axes of a fold over rows into a single accumulator, whose body is the block. */
function rowsFoldedIn({ loop, items }: Block): readonly Axis[] | null {
  if (loop?.role !== "reduce" || loop.axes.length === 1 || items.some(({ kind }) => kind === "loop"))
    return null;
  const isFold = (item: Item): boolean =>
    item.kind === "accumulate" && item.reduction.fn !== "dot" && item.reduction.cells === 1;
  return items.some(isFold) ? loop.axes : null;
}

/** True where the loop over several axes would be one over memory, if what is gathered were stored. */
function areOneStretch({ items }: Block, gathers: readonly Gathered[], axes: readonly Axis[]): boolean {
  const known = new Map(gathers.map(({ at, stored }) => [at, stored]));
  // Stored, nothing is looked up any more.
  const places = beneath(items.filter(({ kind }) => kind === "lookup"));
  const elements = beneath(items.filter(({ kind }) => kind === "accumulate" || kind === "store"));
  return items.every((item) => {
    if (item.kind !== "let" || item.definition.kind !== "load") return true;
    if (places.has(item) && !elements.has(item)) return true;
    const { at } = item.definition;
    return walksAsOne(known.get(at) ?? at, axes);
  });
}

/** What the items are made of. */
function beneath(items: readonly Item[]): Set<Let> {
  const found = new Set<Let>();
  const visit = (item: Let): void => {
    if (found.has(item)) return;
    found.add(item);
    for (const read of letsOf(item)) visit(read);
  };
  for (const item of items) for (const read of readsOf(item)) visit(read);
  return found;
}

function walksAsOne({ terms, axes: used }: Index, axes: readonly Axis[]): boolean {
  const strides = axes.map((axis) => terms.find(({ atom }) => atom === axis)?.coefficient ?? 0);
  if (axes.some((axis, k) => strides[k] === 0 && used.includes(axis))) return false;
  return strides.every((stride, k) => k === 0 || strides[k - 1] === stride * (axes[k] as Axis).extent);
}

/** Units of a row of a sum, whose first lane must be found, and of each short step that leads to its whole steps or follows them. */
const [ROW, SHORT_STEP] = [60, 5];
/** The same units where rows begin amid vectors, and units of each of their elements more. */
const [ROW_AMID, AMID] = [110, 0.6];
/** Units of an element of a tiny row in a fold that has no order. */
const [TINY, TINY_ROW] = [6, 8];

/** Units that a row takes more than as many elements of one stretch of memory. */
function unitsOfRow({ items }: Block, looked: Index, axes: readonly Axis[], { step }: Costs): number {
  const along = axes.at(-1) as Axis;
  const { extent } = along;
  const isInOrder = items.some((item) => foldsFloats(item) && item.reduction.lanes === LANES);
  if (!isInOrder) return extent < TINY_ROW ? extent * TINY : 0;
  const isAmid = extent % 4 !== 0;
  if (extent <= step) return isAmid ? ROW_AMID : 0;
  // What is looked up by itself is loaded by itself.
  if (extent % LANES === 0 || looked.axes.includes(along)) return 0;
  const lead = (LANES - 1) / 2;
  const rest = (extent - lead) % step;
  const steps = lead + Math.floor(rest / 4) + (rest % 4);
  return SHORT_STEP * steps + (isAmid ? ROW_AMID + AMID * extent : ROW);
}

/**
 * Windows with other work in their loop. What is made of a window in the loop that folds it (`x.maxPool2d(2).gelu()`) is made in rows of the
 * result and between strided loads. If what the window gives is stored, nothing is read twice, and the rest has loops over memory. Where
 * windows are looked up (`x.maxPool2d(3).gather(2, i)`), each element is loaded by itself, and not beside its neighbour's. Two means of
 * windows, or one in a sum, have more partial sums and pointers than there are registers.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Axis, Index, Indirect } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import { elementsOf, foldsInLanes, SHORT_ROW } from "../schedule/rows.ts";
import {
  type Accumulate,
  type Block,
  type Item,
  type Let,
  type Loop,
  letOf,
  letsOf,
  type Reduction,
} from "../schedule/tree.ts";
import { type Audited, Excess, scanOf } from "./audited.ts";
import { ELEMENT, fewLanes, foldsFloats, isUnrolled, LANES, type Spot } from "./spots.ts";
import { placeUnits } from "./units.ts";

/** Units of an element of a window: a load and a fold. */
const WINDOW = 2;

/** Elements of a short fold: how the rows around it are taken matters. */
const SHORT_FOLD = 64;

/** By node of a fold: what it takes longer where its rows are not in lanes, and what is made of a window in the loop that folds it. */
export function misplacedWindows(audited: Audited): Excess {
  const { spots, costs, made, units } = audited;
  const excess = new Excess();
  for (const [item, { runs, misplaced, packed }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const { node, loop } = item.reduction;
    // A short fold has other rows in the lanes beside it, or at least their places by addition, unless they must come in their order, or the
    // fold is an operand of a product, made between its loops.
    const around = loop.block.loop;
    const areOrdered = around !== null && (around.ordered || around.role === "scan");
    const isByItself = packed || (elementsOf(loop) <= SHORT_FOLD && areOrdered);
    const slow =
      costs.step > 1 && isByItself ? costs.serial : Math.max(misplaced, fewLanes(loop, around, costs));
    if (slow > 1 && node !== made) excess.add(node, runs * WINDOW * (slow - 1));
  }
  const windowBefore = windowFinder(costs);
  for (const [item, { here, alone }] of units) {
    if (scanOf(item, audited) !== undefined) continue;
    const window = windowBefore(item);
    const { slow, runs } = spots.get(item) as Spot;
    if (window !== null) excess.add(window, (here * slow - alone) * runs);
  }
  return excess;
}

const gathersIn = (spots: ReadonlyMap<Item, Spot>): ReadonlyMap<Indirect, number> =>
  new Map(
    [...spots.keys()].flatMap((item) =>
      item.kind === "lookup" && item.gather !== null ? [[item.atom, item.gather]] : [],
    ),
  );

/** The longest rows that are looked up for less than adding them to columns in memory takes, and the units of each element there. */
const [SHORT, IN_COLUMNS] = [8, 6];

/** True of elements of a short row that are folded into columns, where several rows are looked up for one row of those. */
const isInColumns = ({ block: { loop }, reduction }: Accumulate): boolean =>
  loop !== null &&
  loop !== reduction.loop &&
  elementsOf(loop) <= SHORT &&
  loop.block.loop !== null &&
  loop.block.loop !== reduction.loop;

/** By the node of a gather whose short rows are folded as they come: how many units more they cost there. */
export function lookedUpRows({ spots }: Audited): Excess {
  const gathers = gathersIn(spots);
  const excess = new Excess();
  if (gathers.size === 0) return excess;
  for (const [item, { runs, rows }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const units = (rows - 1) * ELEMENT + (isInColumns(item) ? IN_COLUMNS : 0);
    if (units === 0) continue;
    const found = placesOf(item)
      .flatMap(({ indirect }) => indirect)
      .flatMap((atom) => gathers.get(atom) ?? []);
    for (const gather of found) excess.add(gather, runs * units);
  }
  return excess;
}

/** By node of a window that is looked up: how many units more it costs there. */
export function lookedUpWindows({ graph, spots, costs }: Audited): Excess {
  const gathers = gathersIn(spots);
  const excess = new Excess();
  if (gathers.size === 0) return excess;
  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const { node, loop } = item.reduction;
    const isLookedUp = (atom: Indirect): boolean => (gathers.get(atom) ?? 0) > node && isAcross(atom, item);
    if (!isUnrolled(loop, costs) || !placesOf(item).some(({ indirect }) => indirect.some(isLookedUp)))
      continue;
    const alone = elementCount((graph.nodes[node] as Node).shape) * elementsOf(loop);
    const units = runs * costs.scattered - Math.max(0, alone - runs) * WINDOW;
    excess.add(node, units);
  }
  return excess;
}

/** Units that an element takes longer in a window beside another one, in one of a strided pool, or in the loop of a sum. */
const [BESIDE, STRIDED, SUMMED] = [0.5, 1.4, 0.32];

/** By node of a window that has others in its loop: how many units more it costs there. The last of several stays. */
export function crowdedWindows({ spots }: Audited): Excess {
  const excess = new Excess();
  const last = new Map<Block, number>();
  const windows = [...spots.keys()].filter(isWideWindow);
  for (const { reduction } of windows) {
    const { block } = reduction.loop;
    last.set(block, Math.max(last.get(block) ?? 0, reduction.node));
  }
  for (const item of windows) {
    const { node, loop } = item.reduction;
    const beside = node === last.get(loop.block) ? 0 : isStrided(item) ? STRIDED : BESIDE;
    const summed = loop.block.items.some(foldsFloats) ? SUMMED : 0;
    const { runs } = spots.get(item) as Spot;
    if (beside + summed > 0) excess.add(node, runs * (beside + summed));
  }
  return excess;
}

/** Units that an element takes longer along its window than beside those of other windows, and where a sum takes four steps of extrema at once. */
const [ALONG, JAMMED] = [2, 1.5];

/** So many elements have more partial results in four steps than there are registers: three of each extremum, products in float64. */
const MANY: { readonly [fn in Reduction["fn"]]?: number } = { max: 16, min: 16, prod: 12 };

/**
 * By node of a window that is folded in the loop of another fold: how many units more it costs there. In a loop of their own, windows that lie
 * side by side are in lanes. In that of a fold, elements of one window are; or windows are in as many lanes as the order of that fold has.
 */
export function windowsInFolds({ spots, costs }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const { node, loop } = item.reduction;
    const outer = loop.block.loop;
    if (outer?.role !== "reduce") continue;
    if (!isUnrolled(loop, costs) && foldsInLanes(outer).includes(loop)) excess.add(node, runs * ALONG);
    else if (isJammed(item, outer, costs)) excess.add(node, runs * JAMMED);
  }
  return excess;
}

/** True of the elements of a window, which the next window has one step behind, if a sum of floats takes four steps of windows at once. */
function isJammed(item: Accumulate, outer: Loop, costs: Costs): boolean {
  const { loop, fn } = item.reduction;
  const along = outer.axes.at(-1) as Axis;
  return (
    elementsOf(loop) >= (MANY[fn] ?? Number.POSITIVE_INFINITY) &&
    elementsOf(loop) <= SHORT_ROW &&
    loop.axes.every(({ extent }) => extent <= costs.short) &&
    outer.body.items.some(foldsFloats) &&
    placesOf(item).some(({ terms }) =>
      terms.some(({ atom, coefficient }) => atom === along && coefficient === 1),
    )
  );
}

/**
 * By node of a window in another one: how many units more its loads cost there. Where the outer ones overlap it is folded again, and where
 * they are strided its elements are loaded one by one.
 */
export function windowsInWindows({ graph, spots, costs }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn === "dot") continue;
    const { node, loop } = item.reduction;
    const outer = loop.block.loop;
    const along = outer?.block.loop?.axes.at(-1);
    if (outer?.role !== "reduce" || along === undefined) continue;
    if (!isUnrolled(loop, costs) || elementsOf(outer) > costs.step) continue;
    const alone = elementCount((graph.nodes[node] as Node).shape) * elementsOf(loop);
    const loads = (axis: Axis): number =>
      placesOf(item).reduce((units, at) => units + placeUnits(at, axis, costs), 0);
    const units = runs * loads(along) - alone * loads(outer.axes.at(-1) as Axis);
    if (units > 0) excess.add(node, units);
  }
  return excess;
}

/** A window with a partial sum in each lane of the order, and more elements than that. */
function isWideWindow(item: Item): item is Accumulate {
  if (!foldsFloats(item) || item.reduction.lanes !== LANES || item.reduction.cells > 1) return false;
  const { axes, block, body, role } = item.reduction.loop;
  if (axes.length === 1 || block.loop === null || block.loop.role === "scan" || role !== "reduce")
    return false;
  return (
    elementsOf(item.reduction.loop) > LANES &&
    elementsOf(item.reduction.loop) <= SHORT_ROW &&
    body.items.every(({ kind }) => kind !== "loop")
  );
}

/** The places of what a window loads. */
const placesOf = ({ values }: Accumulate): readonly Index[] =>
  values.flatMap((value) => {
    const definition = letOf(value)?.definition;
    return definition?.kind === "load" ? [definition.at] : [];
  });

/** True where neighbouring windows begin several elements from each other. */
const isStrided = (item: Accumulate): boolean =>
  placesOf(item).some(({ terms }) =>
    terms.some(
      ({ atom, coefficient }) => atom === item.reduction.loop.block.loop?.axes.at(-1) && coefficient > 1,
    ),
  );

/** True where each lane looks up a window of its own. */
function isAcross({ axes }: Indirect, { reduction: { loop } }: Accumulate): boolean {
  const along = loop.block.loop?.axes.at(-1);
  return along !== undefined && axes.includes(along) && !loop.axes.some((axis) => axes.includes(axis));
}

/** The node of the window that a value depends on, in a loop that has nothing but windows; null for any other value. In program order. */
function windowFinder(costs: Costs): (item: Let) => number | null {
  const found = new Map<Let, number>();
  return (item) => {
    for (const read of letsOf(item)) {
      const { definition } = read;
      const isWindow = definition.kind === "result" && isBehindWindows(item, definition.reduction, costs);
      const node = isWindow ? definition.reduction.node : found.get(read);
      if (node === undefined || (!isWindow && read.block !== item.block)) continue;
      found.set(item, node);
      return node;
    }
    return null;
  };
}

const isBehindWindows = ({ block }: Let, { loop }: Reduction, costs: Costs): boolean =>
  loop.block === block &&
  block.items.every((item) => item.kind !== "loop" || (item.role === "reduce" && isUnrolled(item, costs)));

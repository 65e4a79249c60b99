/**
 * Expensive ops on the result of each row's reduction, or beside it, and on each row of a reduction over rows. Within the loop over rows
 * they run once for each row, in one lane; in a loop over stored results they fill all lanes. It applies to reductions whose loop is the
 * only one in the row and whose results are not read within it: others would have to store more.
 */
import { pointwiseOps } from "@fuseau/ir";
import { type Costs, EXPENSIVE } from "../schedule/cost.ts";
import { SHORT_ROW, sumsProduct } from "../schedule/rows.ts";
import {
  type Block,
  type Item,
  type Let,
  letsOf,
  type Reduction,
  reachedFrom,
  readsOf,
} from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { isUnrolled, joinsRow } from "./spots.ts";
import { CACHED_UNIT } from "./units.ts";

/** By the fold's node: the units lost by using single lanes. */
export function behindFolds({ spots, costs }: Audited): Excess {
  const excess = new Excess();
  const known = new Map<Let, ReadonlySet<Reduction>>();
  /** The folds of its block that a value depends on. */
  const foldsOf = (item: Let): ReadonlySet<Reduction> => {
    const found = known.get(item);
    if (found !== undefined) return found;
    const folds = new Set<Reduction>();
    known.set(item, folds);
    const { definition, block } = item;
    if (definition.kind === "result") {
      const { loop } = definition.reduction;
      // A short loop is unrolled: rows are then side by side in lanes.
      const alone = block.items.every((each) => each.kind !== "loop" || each === loop);
      if (loop.block === block && alone && !isUnrolled(loop, costs)) folds.add(definition.reduction);
    }
    for (const read of letsOf(item))
      if (read.block === block) for (const fold of foldsOf(read)) folds.add(fold);
    return folds;
  };
  const wantedWithin = new Set<Reduction>();
  /** What is computed for the loops in its row. */
  const given = new Set<Let>();
  const give = (item: Let): void => {
    if (given.has(item)) return;
    given.add(item);
    letsOf(item).forEach(give);
  };
  const taken = new Set<Let>();
  for (const item of spots.keys())
    for (const read of readsOf(item)) {
      if (read.block === item.block) continue;
      taken.add(read);
      give(read);
      for (const fold of foldsOf(read)) wantedWithin.add(fold);
    }
  for (const item of taken) {
    // Rows that are folded across are not blocked: each value is computed, and waited for, by itself.
    if (item.block.loop?.role !== "reduce" || foldsOf(item).size > 0) continue;
    const units = expensiveUnits(item, costs);
    if (units > 0) excess.set(item.node, units * (costs.serial - 1) * (spots.get(item)?.runs ?? 0));
  }
  for (const [item, { runs }] of spots) {
    if (item.kind !== "let") continue;
    const units = unitsIn(item, costs);
    const [own, other] = units < EXPENSIVE ? [] : foldsOf(item);
    const isBeside = own === undefined && units >= EXPENSIVE && !given.has(item);
    const fold = isBeside ? loneFoldIn(item.block, costs) : own;
    if (fold === undefined || other !== undefined || fold.fn === "dot" || wantedWithin.has(fold)) continue;
    excess.add(fold.node, units * (costs.serial - 1) * runs);
  }
  return excess;
}

/** Units that an element of a product's operand takes longer if its column's accumulator is read; and if its row's is, of one that is transposed. */
const [PACKED, PACKED_ACROSS] = [1.5, 4];

/**
 * By the node of a row of folds' results: the units that expensive ops in short rows behind it lose. In its kernel the rows are cut, and
 * walked one by one; where it is stored they are walked as one. And the units that operands of products lose: accumulators of sums are wider.
 */
export function shortRowsBehind({ spots, costs }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs, slow, scan, packed }] of spots) {
    const { loop, items } = item.block;
    if (item.kind !== "let" || scan !== null || loop === null) continue;
    const row = rowOfFolds(item);
    if (sumsProduct(loop)) {
      if (row !== null) excess.add(row, runs * PACKED);
      if (packed)
        for (const read of letsOf(item)) {
          const own = read.block === item.block ? null : rowOfFoldsOf(read);
          if (own !== null) excess.add(own, runs * PACKED_ACROSS);
        }
    }
    if (slow === 1 || unitsIn(item, costs) < EXPENSIVE) continue;
    if (loop.axes.length > 1 || loop.axes[0]!.extent > SHORT_ROW) continue;
    // Where rows are folded across, they stay apart.
    if (items.some(joinsRow) || sumsProduct(loop)) continue;
    const rows = new Set(items.map(rowOfFolds).filter((node) => node !== null));
    for (const node of rows)
      excess.add(node, (unitsIn(item, costs) * CACHED_UNIT * (slow - 1) * runs) / rows.size);
  }
  return excess;
}

/** The node of a row of folds' results, or of what was made of them, that is read in all rows. */
function rowOfFolds(item: Item): number | null {
  if (item.kind !== "let") return null;
  const { definition, block } = item;
  if (definition.kind === "result") {
    const { cells, fn, node } = definition.reduction;
    return cells > 1 && fn !== "dot" ? node : null;
  }
  const rows = block.loop?.block.loop?.axes ?? [];
  return definition.kind === "load" &&
    definition.buffer.role === "scratch" &&
    !definition.at.axes.some((axis) => rows.includes(axis))
    ? definition.buffer.node
    : null;
}

/** The same of what is computed of such a row's element. */
function rowOfFoldsOf(item: Let): number | null {
  for (const each of reachedFrom([item])) {
    const node = rowOfFolds(each);
    if (node !== null) return node;
  }
  return null;
}

const unitsIn = ({ definition }: Let, costs: Costs): number =>
  definition.kind === "pointwise" ? (costs.ops[definition.fn] ?? pointwiseOps[definition.fn].cost) : 0;

/** The units of the expensive ops in its block that it depends on, its own among them. */
const expensiveUnits = (last: Let, costs: Costs): number =>
  [...reachedFrom([last], ({ block }) => block === last.block)]
    .map((item) => unitsIn(item, costs))
    .filter((units) => units >= EXPENSIVE)
    .reduce((sum, units) => sum + units, 0);

/** The only fold of a row whose only loop it is. Where something is looked up, that may be at the place that the fold has found. */
function loneFoldIn({ items, loop: around }: Block, costs: Costs): Reduction | undefined {
  if (items.some(({ kind }) => kind === "lookup")) return undefined;
  const [loop, another] = items.filter((item) => item.kind === "loop");
  if (around === null || around.role === "scan" || loop?.role !== "reduce" || another !== undefined)
    return undefined;
  if (isUnrolled(loop, costs)) return undefined;
  const folds = new Set(
    loop.body.items.flatMap((item) => (item.kind === "accumulate" ? [item.reduction] : [])),
  );
  const [fold] = folds;
  return folds.size === 1 ? fold : undefined;
}

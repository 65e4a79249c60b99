/**
 * Rows that are folded, and then folded across with that result, or whose results are: norms whose mean is taken over all rows, the loss of a
 * batch. In the outer fold rows are walked one after another, each after the latency of the one before. If the rows' results are stored,
 * rows are blocked, and the outer fold takes several at a time. Where each row has one result, cheap ops hide that latency. But a fold of at
 * most one block of rows is one work item, however much work there is in a row: its results are stored so that threads share the rows.
 */
import { defaultOrder } from "@fuseau/ir";
import { type Costs, EXPENSIVE } from "../schedule/cost.ts";
import { elementsOf } from "../schedule/rows.ts";
import {
  type Block,
  type Item,
  type Let,
  type Loop,
  letOf,
  letsOf,
  reachedFrom,
  readsOf,
} from "../schedule/tree.ts";
import { isFlattened } from "../tactics/lane-steps.ts";
import { type Audited, Excess } from "./audited.ts";
import { isUnrolled, type Spot } from "./spots.ts";
import { unitsOfItem } from "./units.ts";

/** Units of latency for each walk of a row. */
export const WAIT = 100;

/** Units of reading an element once more. */
const AGAIN = 2;

/** By the node of the rows' results: how many units more it costs in the outer fold. */
export function rowsUnderFolds({ spots, costs }: Audited): Excess {
  const excess = new Excess();
  /** How often the rows of a block are walked, and the elements read in all walks. */
  const walked = new Map<Block, number>();
  const given = new Map<Block, Set<number>>();
  for (const [item, { runs }] of spots) {
    const { block } = item;
    const around = block.loop?.block;
    if (item.kind !== "accumulate" || block.loop?.role !== "parallel" || around === undefined) continue;
    if (item.reduction.loop === block.loop || !areWaitedFor(around)) continue;
    walked.set(around, Math.max(walked.get(around) ?? 0, runs));
    const nodes = given.get(around) ?? new Set();
    given.set(around, nodes);
    for (const each of valuesIn(block))
      for (const read of letsOf(each)) {
        const { definition } = read;
        if (definition.kind === "load" && definition.buffer.role === "scratch")
          nodes.add(definition.buffer.node);
        else if (read.block === around && restsOnFold(read)) nodes.add(read.node);
      }
  }
  for (const [block, nodes] of given) {
    const folds = block.items.filter(({ kind }) => kind === "loop").length - 1;
    const rows = Math.max(...block.items.map((item) => spots.get(item)?.runs ?? 0));
    for (const node of nodes) excess.set(node, rows * folds * WAIT - walked.get(block)! * AGAIN);
  }
  addResults(excess, spots, costs);
  addStages(excess, spots);
  return excess;
}

/** Units of work that are worth a second thread. */
export const SHARED = 1_000_000;

/** The part of them that counts: one thread must not lose much. */
export const GAINED = 0.2;

/** By the node of the rows' results that a fold takes which is one work item: the units that another thread would take. */
export function loneFolds({ spots, made }: Audited): Excess {
  const excess = new Excess();
  const work = new Map<Loop, number>();
  for (const [item, { runs }] of spots) {
    let loop = item.block.loop;
    while (loop !== null && loop.block.loop !== null) loop = loop.block.loop;
    if (loop !== null) work.set(loop, (work.get(loop) ?? 0) + runs * unitsOfItem(item));
  }
  for (const item of spots.keys()) {
    const { loop } = item.block;
    if (item.kind !== "accumulate" || loop === null || item.reduction.loop !== loop) continue;
    if (loop.role !== "reduce" || loop.block.loop !== null || elementsOf(loop) > defaultOrder.block) continue;
    const units = work.get(loop) as number;
    if (units < SHARED || elementsOf(loop) === 1) continue;
    for (const read of readsOf(item).filter(restsOnFold))
      if (read.node !== made) excess.add(read.node, units * GAINED);
  }
  return excess;
}

/** Adds the rows' results that the outer fold takes, by their node. */
function addResults(excess: Excess, spots: ReadonlyMap<Item, Spot>, costs: Costs): void {
  for (const [item, { runs }] of spots) {
    const { block } = item;
    if (item.kind !== "accumulate" || block.loop === null || item.reduction.loop.role !== "reduce") continue;
    // One accumulator, or a row of them.
    const isOver = item.reduction.loop === block.loop || item.reduction.loop === block.loop.block.loop;
    if (!isOver || !areWaitedFor(block)) continue;
    const rows = block.items.filter((each) => each.kind === "loop");
    // Short rows are in lanes, and what is behind a single fold is in behind-folds.ts.
    if (rows.length === 1 || rows.some((each) => isUnrolled(each, costs))) continue;
    const waits = rows.some(({ body }) => body.items.some(isExpensive)) ? rows.length * WAIT : 0;
    const alone = block.items.filter(isExpensive).length * EXPENSIVE * (costs.serial - 1);
    if (waits + alone === 0) continue;
    for (const { node } of readsOf(item).filter(restsOnFold)) excess.add(node, runs * (waits + alone));
  }
}

/** Adds rows that are kept for other loops beside them, as groups of rows are normalised behind their softmax: only rows of whole nests are blocked. */
function addStages(excess: Excess, spots: ReadonlyMap<Item, Spot>): void {
  for (const item of spots.keys()) {
    if (item.kind !== "store" || item.buffer.role !== "scratch") continue;
    const row = item.block.loop?.block;
    const rows = row?.loop;
    if (row === undefined || rows?.role !== "parallel" || rows.block.loop?.role !== "parallel") continue;
    if (!rows.block.items.some((each) => each.kind === "loop" && each !== rows)) continue;
    const folds = row.items.filter((each) => each.kind === "loop" && each.role === "reduce") as Loop[];
    if (!folds.some(({ body }) => body.items.some(isExpensive))) continue;
    const node = letOf(item.value)?.node;
    const runs = Math.max(...row.items.map((each) => spots.get(each)?.runs ?? 0));
    if (node !== undefined) excess.add(node, runs * folds.length * WAIT);
  }
}

/** True of an op that rows are laid behind each other for. */
export const isExpensive = (item: Item): boolean =>
  item.kind === "let" && item.definition.kind === "pointwise" && isFlattened(item.definition.fn);

const areWaitedFor = ({ items }: Block): boolean =>
  items.some((item) => item.kind === "loop" && item.role === "reduce");

const valuesIn = ({ items }: Block): Let[] => items.filter((item) => item.kind === "let");

/** True of what is computed from a fold's result in the fold's block. */
const restsOnFold = (item: Let): boolean =>
  [...reachedFrom([item], ({ block }) => block === item.block)].some(
    ({ definition }) => definition.kind === "result",
  );

/**
 * Rows that are folded, and then folded across with that result, or whose results are: norms whose mean is taken over all rows, the loss of a
 * batch. In the outer fold rows are walked one after another, each after the latency of the one before. If the rows' results are stored,
 * rows are blocked, and the outer fold takes several at a time. Where each row has one result, cheap ops hide that latency.
 */
import { isFlattened } from "../tactics/lane-steps.ts";
import { EXPENSIVE } from "./behind-folds.ts";
import type { Costs } from "./cost.ts";
import { isUnrolled, type Spot } from "./spots.ts";
import { type Block, type Item, type Let, letsOf, readsOf } from "./tree.ts";

/** Units of latency for each walk of a row, and the units of reading an element once more. */
const [WAIT, AGAIN] = [100, 2];

/** By the node of the rows' results: how many units more it costs in the outer fold. */
export function rowsUnderFolds(spots: ReadonlyMap<Item, Spot>, costs: Costs): Map<number, number> {
  const excess = new Map<number, number>();
  // Without lanes nothing is lost row by row.
  if (costs.step === 1) return excess;
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
  return excess;
}

/** Adds the rows' results that the outer fold takes, by their node. */
function addResults(excess: Map<number, number>, spots: ReadonlyMap<Item, Spot>, costs: Costs): void {
  for (const [item, { runs }] of spots) {
    const { block } = item;
    if (item.kind !== "accumulate" || block.loop === null || item.reduction.loop !== block.loop) continue;
    if (block.loop.role !== "reduce" || !areWaitedFor(block)) continue;
    const rows = block.items.filter((each) => each.kind === "loop");
    // Short rows are in lanes, and what is behind a single fold is in behind-folds.ts.
    if (rows.length === 1 || rows.some((each) => isUnrolled(each, costs))) continue;
    const waits = rows.some(({ body }) => body.items.some(isExpensive)) ? rows.length * WAIT : 0;
    const alone = block.items.filter(isExpensive).length * EXPENSIVE * (costs.serial - 1);
    if (waits + alone === 0) continue;
    for (const { node } of readsOf(item).filter(restsOnFold))
      excess.set(node, (excess.get(node) ?? 0) + runs * (waits + alone));
  }
}

const isExpensive = (item: Item): boolean =>
  item.kind === "let" && item.definition.kind === "pointwise" && isFlattened(item.definition.fn);

const areWaitedFor = ({ items }: Block): boolean =>
  items.some((item) => item.kind === "loop" && item.role === "reduce");

const valuesIn = ({ items }: Block): Let[] => items.filter((item) => item.kind === "let");

function restsOnFold(item: Let): boolean {
  return (
    item.definition.kind === "result" ||
    letsOf(item).some((read) => read.block === item.block && restsOnFold(read))
  );
}

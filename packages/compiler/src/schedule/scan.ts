/**
 * Scans. The running value is known in the iteration that folds its element. So a scan joins the loop that walks its axis in a reader's
 * kernel: that loop becomes a scan, its iterations run in order, and loops inside it have an accumulator for each iteration.
 */
import { type Node, pointwiseOps, type ScanNode } from "@fuseau/ir";
import { type Axis, plainAxis } from "../indexing/index-expression.ts";
import { EXPENSIVE } from "./cost.ts";
import { CACHED, NARROW_ROW } from "./rows.ts";
import { cellOf, cellsOf, type RowAxis } from "./stage.ts";
import {
  addLet,
  addLoop,
  addUse,
  axesOf,
  explainNotFused,
  factsAt,
  hoist,
  inputsAt,
  linkLookups,
  nodeAt,
  type Sweep,
} from "./sweep.ts";
import {
  type Accumulate,
  type Block,
  commonBlock,
  evaluations,
  type Kernel,
  type Loop,
  link,
  type NotFusedReason,
  type Reduction,
  type Value,
} from "./tree.ts";

/** The loop that folds, the innermost block in it, and the loops between: a row of accumulators. */
interface ScanPlace {
  readonly loop: Loop;
  readonly block: Block;
  readonly row: readonly RowAxis[];
}

/** Places a scan's values, all of one kernel, or gives the reason to store it. */
export function placeScan(sweep: Sweep, position: number, values: readonly Value[]): NotFusedReason | null {
  const [value] = values as [Value, ...Value[]];
  const { attributes, shape } = nodeAt(sweep, position) as ScanNode;
  if (shape[attributes.axis] === 1) {
    for (const one of values) foldOne(sweep, one);
    return null;
  }
  const place = values.length === 1 ? scanPlace(sweep, position, value) : null;
  if (place === null) {
    explainNotFused(sweep, position, "scanned along a loop that its reader has not", 1, 0);
    return "scanned along a loop that its reader has not";
  }
  const { loop, block, row } = place;
  const units = isWhole(sweep, position, place) ? unitsIn(sweep, value.kernel) : 0;
  if (units >= EXPENSIVE) {
    explainNotFused(sweep, position, "scanned by one thread", units, EXPENSIVE);
    return "scanned by one thread";
  }
  loop.role = "scan";
  const cell = cellOf(sweep, row, value.index);
  addFold(sweep, value, loop, block, cellsOf(row), cell, value.index);
  return null;
}

/** A scan of whole rows in front of all other loops: one thread walks them, with what the kernel makes of each element. */
function isWhole(sweep: Sweep, position: number, { loop, row }: ScanPlace): boolean {
  const isLong = cellsOf(row) > NARROW_ROW && factsAt(sweep, position).size > CACHED;
  return loop.block.loop === null && !sweep.buffers.has(position) && sweep.decide(isLong);
}

/** Units of the pointwise ops that the kernel has so far. */
function unitsIn(sweep: Sweep, kernel: Kernel): number {
  const nodes = new Set([...kernel.values.values()].flat().map(({ node }) => nodeAt(sweep, node)));
  let units = 0;
  for (const node of nodes) if (node.op === "pointwise") units += pointwiseOps[node.attributes.fn].cost;
  return units;
}

/** The loop in which the value can be scanned: over all of its axis, with nothing inside but parallel loops over its other axes. */
export function scanPlace(sweep: Sweep, position: number, value: Value): ScanPlace | null {
  const { attributes, shape } = nodeAt(sweep, position) as ScanNode;
  const { size, cost } = factsAt(sweep, position);
  const along = plainAxis(value.index[attributes.axis] as Value["index"][number]);
  if (value.guards.length > 0 || along === undefined || along.extent !== shape[attributes.axis]) return null;
  if (along.strip !== null) return null;
  if (value.index.some((part, axis) => axis !== attributes.axis && part.axes.includes(along))) return null;

  const block = hoist(commonBlock(value.users), axesOf(value.index, []));
  if (sweep.decide((evaluations(block) / size - 1) * cost > sweep.limits.recompute)) return null;
  const row: RowAxis[] = [];
  for (let { loop } = block; loop !== null; loop = loop.block.loop) {
    const [axis] = loop.axes as [Axis];
    if (axis === along)
      return isScannable(loop) && sweep.decide(cellsOf(row) <= sweep.limits.scratch)
        ? { loop, block, row }
        : null;
    const place = value.index.findIndex((part) => plainAxis(part) === axis);
    if (loop.role !== "parallel" || place < 0) return null;
    row.unshift({ axis: place, size: axis.extent, strip: axis.strip });
  }
  return null;
}

const isScannable = ({ role, axes }: Loop): boolean =>
  role === "scan" || (role === "parallel" && axes.length === 1);

/** Over a single place a scan is a fold. */
function foldOne(sweep: Sweep, value: Value): void {
  const block = hoist(commonBlock(value.users), axesOf(value.index, value.guards));
  const loop = addLoop(block, "reduce", [sweep.table.axis(1)]);
  addFold(sweep, value, loop, loop.body, 1, sweep.table.constant(0), value.index);
}

function addFold(
  sweep: Sweep,
  value: Value,
  loop: Loop,
  block: Block,
  cells: number,
  cell: Value["index"][number],
  index: Value["index"],
): void {
  const { node: position, kernel, guards } = value;
  const { attributes, dtype, inputs } = nodeAt(sweep, position) as ScanNode;
  const from = (inputs[0] as Node).dtype;
  const { fn, axis } = attributes;
  const reduction: Reduction = { node: position, fn, from, to: dtype, lanes: 1, loop, cells, crosses: false };
  const fold: Accumulate = {
    kind: "accumulate",
    block,
    needs: new Set(),
    reduction,
    values: [],
    cell,
    position: index[axis] as Value["index"][number],
  };
  block.items.push(fold);
  linkLookups(sweep, fold, [...index, cell, ...guards.map(({ at }) => at)]);
  const result = addLet(sweep, value, loop.role === "scan" ? block : loop.block, {
    kind: "result",
    reduction,
    cell,
  });
  link(result, fold);
  fold.values = [addUse(sweep, kernel, inputsAt(sweep, position)[0] as number, index, guards, [fold])];
}

/**
 * Reductions and contractions. Nested: the reduce loop stands inside the loops of the result's axes, with one accumulator. As a row: the
 * reduce loop stands outside, around an inner loop over the axes that are closer in memory, with one accumulator for each iteration of
 * it. The input is then read in memory order.
 */
import {
  type ContractNode,
  type DType,
  hasLanes,
  isFloat,
  type Node,
  type ReduceNode,
  type Reducer,
} from "@fuseau/ir";
import { type Axis, type Extent, type Index, plainAxis, sameExtents } from "../indexing/index-expression.ts";
import { rowMajorStrides } from "../indexing/strides.ts";
import { CACHED, NARROW_ROW, SHORT_NEST, SHORTEST_ROW } from "./rows.ts";
import { cellOf, cellsOf, fillScratch, findHome, mayPrecede, type RowAxis } from "./stage.ts";
import {
  addLet,
  addLoop,
  addNest,
  addUse,
  axesOf,
  explainNotFused,
  factsAt,
  hoist,
  inputsAt,
  isSum,
  linkLookups,
  nodeAt,
  type Sweep,
} from "./sweep.ts";
import {
  type Accumulate,
  ancestorIn,
  type Block,
  commonBlock,
  evaluations,
  type Guard,
  type Item,
  type Loop,
  link,
  type Nest,
  type NotFusedReason,
  type Reduction,
  reaches,
  type Value,
} from "./tree.ts";

export type FoldNode = ReduceNode | ContractNode;

/** Places a fold's values, all of one kernel, or gives the reason to store it. */
export function placeFold(sweep: Sweep, node: number, values: readonly Value[]): NotFusedReason | null {
  const [single] = values as [Value, ...Value[]];
  const { size, cost } = factsAt(sweep, node);
  if (values.length === 1) {
    const block = hoist(commonBlock(single.users), axesOf(single.index, single.guards));
    if (sweep.decide((evaluations(block) / size - 1) * cost <= sweep.limits.recompute)) {
      const row = rowBelow(sweep, node, single, block);
      if (row.length === 0) placeNested(sweep, single, block);
      else {
        const home = homeOutside(block, single, row);
        if (isWalkedAlone(sweep, node, home, row)) return "leaves the cache before it is read";
        placeRow(sweep, node, values, home, row);
      }
      return null;
    }
  }
  const home = findHome(sweep, node, values);
  if (typeof home === "string") return home;
  const guarded = values.some((value) => value.guards.length > 0);
  const row = guarded ? [] : memoryRow(sweep, node);
  const isRow = home.row.length === row.length && home.row.every(({ axis }) => row.includes(axis));
  if (isRow && row.length > 0 && fitsRow(sweep, node, home.row)) {
    if (isWalkedAlone(sweep, node, home.block, home.row)) return "leaves the cache before it is read";
    placeRow(sweep, node, values, home.block, home.row);
  } else {
    const value = fillScratch(sweep, node, values, home);
    placeNested(sweep, value, hoist(commonBlock(value.users), axesOf(value.index, value.guards)));
  }
  return null;
}

/**
 * A row of accumulators in front of all loops is filled by one thread, and one in a strip by a walk of its own. Where what is walked
 * leaves the cache before it is read again, the fold is better in a kernel of its own, whose threads have some of the columns each.
 */
function isWalkedAlone(sweep: Sweep, position: number, { loop }: Block, row: readonly RowAxis[]): boolean {
  if (sweep.buffers.has(position)) return false;
  if (loop !== null && !row.some(({ strip }) => strip?.axis === loop.axes[0])) return false;
  const node = nodeAt(sweep, position) as FoldNode;
  const cells = cellsOf(row);
  const elements = foldSizes(node).reduce((count, size) => count * size, cells);
  if (!sweep.decide(cells > NARROW_ROW && elements > CACHED)) return false;
  explainNotFused(sweep, position, "leaves the cache before it is read", elements, CACHED);
  return true;
}

/** The result's axes along which the input is closer in memory than along any reduced one; the closest is the last. */
export const memoryRow = (sweep: Sweep, position: number): readonly number[] =>
  sweep.decide(closestAxes(sweep, position));

/** As {@link SHORTEST_ROW}, of sums that take their elements in order. */
const SHORTEST_IN_ORDER = 3;

/** So few elements of each column are folded in registers, in a loop that is unrolled. */
const FEW = 4;

function closestAxes(sweep: Sweep, position: number): readonly number[] {
  const node = nodeAt(sweep, position) as FoldNode;
  const { operand, kept, reduced } = foldAxes(node);
  const input = inputsAt(sweep, position)[operand] as number;
  const { strides } = factsAt(sweep, input);
  const { shape } = nodeAt(sweep, input);
  const walked = reduced.filter((axis) => (shape[axis] as number) > 1).map((axis) => strides[axis] as number);
  const closest = Math.min(...walked.filter((stride) => stride > 0));
  if (!Number.isFinite(closest)) return [];
  const row: { result: number; stride: number }[] = [];
  let cells = 1;
  kept.forEach((axis, result) => {
    const stride = axis < 0 ? 0 : (strides[axis] as number);
    const size = axis < 0 ? 1 : (shape[axis] as number);
    if (stride === 0 || stride >= closest || size === 1) return;
    row.push({ result, stride });
    cells *= size;
  });
  const depth = reduced.reduce((product, axis) => product * (shape[axis] as number), 1);
  const least = waitsForLast(sweep, position, input) ? SHORTEST_IN_ORDER : SHORTEST_ROW;
  const isShort = walked.length === 1 && (depth <= FEW || cells * depth <= SHORT_NEST);
  if (cells < least || isShort) return [];
  return row.sort((a, b) => b.stride - a.stride).map(({ result }) => result);
}

/**
 * True of a sum without lanes: it waits for its last element, but not for the other sums of a row. Beside an extremum of the same elements,
 * which does not, both stay in one loop.
 */
function waitsForLast(sweep: Sweep, position: number, input: number): boolean {
  const node = nodeAt(sweep, position) as FoldNode;
  if (!isFloat(nodeAt(sweep, input).dtype) || lanesOf(node) > 1) return false;
  return isSum(node) && !sweep.foldedOtherwise.has(input);
}

/** Whether a row of accumulators, one for each lane and cell, fits the limit of scratch. */
const fitsRow = (sweep: Sweep, position: number, row: readonly RowAxis[]): boolean =>
  sweep.decide(cellsOf(row) * lanesOf(nodeAt(sweep, position) as FoldNode) <= sweep.limits.scratch);

/** The row of closest axes, when its loops are the innermost ones around `block` and nothing else needs them. */
function rowBelow(sweep: Sweep, node: number, value: Value, block: Block): RowAxis[] {
  if (value.guards.length > 0) return [];
  const { shape } = nodeAt(sweep, node);
  const row: RowAxis[] = [];
  const axes = new Set<Axis>();
  for (const axis of memoryRow(sweep, node)) {
    const plain = plainAxis(value.index[axis] as Index);
    if (plain === undefined || plain.extent !== shape[axis] || axes.has(plain)) return [];
    axes.add(plain);
    row.push({ axis, size: plain.extent, strip: plain.strip });
  }
  if (!fitsRow(sweep, node, row)) return [];
  const elsewhere = value.index.some(
    (part, axis) => !row.some((known) => known.axis === axis) && part.axes.some((used) => axes.has(used)),
  );
  let remaining = axes.size;
  for (let loop = block.loop; loop !== null && remaining > 0; loop = loop.block.loop) {
    if (loop.role !== "parallel" || !axes.has(loop.axes[0] as Axis)) return [];
    remaining--;
  }
  return elsewhere || remaining > 0 ? [] : row;
}

function homeOutside(block: Block, value: Value, row: readonly RowAxis[]): Block {
  const axes = new Set(row.flatMap(({ axis }) => (value.index[axis] as Index).axes));
  let home = block;
  while (home.loop?.axes.some((axis) => axes.has(axis))) home = home.loop.block;
  return home;
}

function placeNested(sweep: Sweep, value: Value, block: Block): void {
  const node = nodeAt(sweep, value.node) as FoldNode;
  const found = findFoldLoop(block, foldSizes(node), [], value.users, lookupsOf(sweep, value));
  const { loop } = found ?? addFoldNest(sweep, block, node, []);
  const reduction = beginReduction(value.node, node, loop, 1, memoryRow(sweep, value.node).length > 0);
  addAccumulate(sweep, value, value.guards, loop.body, reduction, value.index, sweep.table.constant(0));
  const result = addLet(sweep, value, block, { kind: "result", reduction, cell: sweep.table.constant(0) });
  link(result, loop);
}

function placeRow(
  sweep: Sweep,
  position: number,
  values: readonly Value[],
  home: Block,
  row: readonly RowAxis[],
): void {
  const node = nodeAt(sweep, position) as FoldNode;
  const [first] = values as [Value, ...Value[]];
  const users = values.flatMap((value) => value.users);
  const found = findFoldLoop(
    home,
    foldSizes(node),
    row,
    users,
    values.flatMap((value) => lookupsOf(sweep, value)),
  );
  const { loop, nest } = found ?? addFoldNest(sweep, home, node, row);
  const index = first.index.map((part, axis) => {
    const place = row.findIndex((known) => known.axis === axis);
    return place < 0 ? part : (nest.index[place] as Index);
  });
  const reduction = beginReduction(position, node, loop, cellsOf(row), false);
  addAccumulate(sweep, first, [], nest.block, reduction, index, cellOf(sweep, row, index));
  for (const value of values) {
    const cell = cellOf(sweep, row, value.index);
    const place = hoist(commonBlock(value.users), axesOf([cell], value.guards), home);
    link(addLet(sweep, value, place, { kind: "result", reduction, cell }), loop);
  }
}

function beginReduction(
  position: number,
  node: FoldNode,
  loop: Loop,
  cells: number,
  crosses: boolean,
): Reduction {
  const from = (node.inputs[0] as Node).dtype as DType;
  const fn = node.op === "reduce" ? node.attributes.fn : "dot";
  return { node: position, fn, from, to: node.dtype, lanes: lanesOf(node), loop, cells, crosses };
}

function addAccumulate(
  sweep: Sweep,
  { kernel, node: position }: Value,
  guards: readonly Guard[],
  block: Block,
  reduction: Reduction,
  index: readonly Index[],
  cell: Index,
): void {
  const node = nodeAt(sweep, position) as FoldNode;
  const { axes } = reduction.loop;
  const along = axes.map((axis) => sweep.table.of(axis));
  const at = sweep.table.dot(along, rowMajorStrides(axes.map((axis) => axis.extent)));
  const item: Accumulate = {
    kind: "accumulate",
    block,
    needs: new Set(),
    reduction,
    values: [],
    cell,
    position: at,
  };
  block.items.push(item);
  linkLookups(sweep, item, [...index, cell, ...guards.map((guard) => guard.at)]);
  item.values = foldInputs(sweep, node, index, along).map((inputIndex, k) =>
    addUse(sweep, kernel, inputsAt(sweep, position)[k] as number, inputIndex, guards, [item]),
  );
}

/** The index at which each input of the fold is read, given the result's index and the axes of the reduce loop. */
export function foldInputs(
  sweep: Sweep,
  node: FoldNode,
  index: readonly Index[],
  along: readonly Index[],
): Index[][] {
  if (node.op === "contract") {
    const batch = index.slice(0, -2);
    const [row, column] = index.slice(-2) as [Index, Index];
    const [inner] = along as [Index];
    return [
      [...batch, row, inner],
      [...batch, inner, column],
    ];
  }
  const { shape } = node.inputs[0] as Node;
  const kept = [...index];
  const folded = [...along];
  return [
    shape.map((size, axis) => {
      if (!node.attributes.axes.includes(axis)) return kept.shift() as Index;
      return size === 1 ? sweep.table.constant(0) : (folded.shift() as Index);
    }),
  ];
}

/**
 * Which of its own axes each result axis is (−1: none), and which are reduced, of the operand whose order of memory counts: of a product the
 * right one, and the left one if the right one is a single column.
 */
function foldAxes(node: FoldNode): { operand: 0 | 1; kept: number[]; reduced: readonly number[] } {
  if (node.op === "contract") {
    const rank = node.shape.length;
    const isColumn = node.shape[rank - 1] === 1;
    const absent = isColumn ? rank - 1 : rank - 2;
    const kept = node.shape.map((_, axis) => (axis === absent ? -1 : axis));
    return { operand: isColumn ? 0 : 1, kept, reduced: [absent] };
  }
  const { axes } = node.attributes;
  const kept = (node.inputs[0] as Node).shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  return { operand: 0, kept, reduced: axes };
}

/** The sizes of the reduce loop; axes of size 1 are left out. */
export function foldSizes(node: FoldNode): number[] {
  const { shape } = node.inputs[0] as Node;
  if (node.op === "contract") return [shape.at(-1) as number];
  const sizes = node.attributes.axes.map((axis) => shape[axis] as number).filter((size) => size !== 1);
  return sizes.length === 0 ? [1] : sizes;
}

/** The accumulation order: 8 interleaved lanes or one. Argmax and argmin need the order of places. */
function lanesOf(node: FoldNode): 1 | 8 {
  if (node.op === "contract" || !laned.has(node.attributes.fn)) return 1;
  return hasLanes((node.inputs[0] as Node).shape, node.attributes.axes) ? 8 : 1;
}

const laned: ReadonlySet<Reducer> = new Set(["sum", "prod", "max", "min"]);

function addFoldNest(sweep: Sweep, block: Block, node: FoldNode, row: readonly Extent[]): FoldNest {
  const axes = foldSizes(node).map((size) => sweep.table.axis(size));
  const loop = addLoop(block, "reduce", axes);
  const nest = addNest(sweep, loop.body, row);
  loop.nests.push(nest);
  return { loop, nest };
}

/** A reduce loop of the same sizes in `block` that has an inner nest of the row's extents and may precede the users. */
function findFoldLoop(
  block: Block,
  sizes: readonly number[],
  row: readonly Extent[],
  users: readonly Item[],
  lookups: readonly Item[],
): FoldNest | undefined {
  for (const loop of block.items) {
    if (loop.kind !== "loop" || loop.role !== "reduce" || !walks(loop.axes, sizes)) continue;
    const nest = loop.nests.find((known) => sameExtents(known.extents, row));
    if (nest !== undefined && mayPrecede(block, loop, users) && mayFollow(loop, lookups))
      return { loop, nest };
  }
  return undefined;
}

/** True when the loop may precede all of the items, each in a block that sees the loop's results. */
const mayFollow = (loop: Loop, items: readonly Item[]): boolean =>
  items.every((item) => {
    const block = commonBlock([loop, item]);
    return !reaches(ancestorIn(block, item), ancestorIn(block, loop));
  });

/** The key of the value's place. */
const lookupsOf = (sweep: Sweep, { index, guards }: Value): Item[] =>
  [...index, ...guards.map(({ at }) => at)].flatMap((part) =>
    part.indirect.map((atom) => sweep.lookups.get(atom) as Item),
  );

interface FoldNest {
  readonly loop: Loop;
  readonly nest: Nest;
}

const walks = (axes: readonly Axis[], sizes: readonly number[]): boolean =>
  axes.length === sizes.length && axes.every((axis, k) => axis.extent === sizes[k]);

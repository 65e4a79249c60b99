/**
 * Which products cost more in the loops where they were placed than in a kernel of their own, and which of their operands cost more
 * computed between the loops of a product than stored.
 */
import { elementCount, type Node, pointwiseOps } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Axis, Index } from "../indexing/index-expression.ts";
import {
  COPIED,
  type Comparison,
  type Costs,
  EXPENSIVE,
  hasRowsInLanes,
  multiplications,
  productTime,
  productTimeAlone,
  type Tiles,
} from "../schedule/cost.ts";
import { sourceOf } from "../schedule/movement.ts";
import { aroundMatrix, elementsOf } from "../schedule/rows.ts";
import {
  type Block,
  type Buffer,
  type Guard,
  type Item,
  type Kernel,
  type Let,
  type Loop,
  letOf,
  type Reduction,
} from "../schedule/tree.ts";
import type { ProductLoops } from "../tactics/products/loops.ts";
import type { Prices } from "./audited.ts";
import { chainedUnits } from "./chained-products.ts";
import { ROW_FOUND } from "./gathered.ts";
import { respot } from "./product-spots.ts";
import { GAINED, SHARED } from "./rows-under-folds.ts";
import { unitsInRows } from "./separate-rows.ts";
import { fewLanes, guardsOf, isUnrolled, NEARLY_WHOLE, type Spot, stepsOf } from "./spots.ts";
import { placeUnits, quotientsAlong, strideAlong, unitsOfItem } from "./units.ts";

/** How the emitter makes a product: in loops of its own, in plain ones that are as fast, or element by element. */
export type Placed = (reduction: Reduction) => ProductLoops | "plain" | "single";

/** Units of the latency of a walk. */
const WALK = 185;

/** By node. Operands' spots become those of the products' own loops. */
export function costlierProducts(
  graph: Graph,
  { writes, reads }: Kernel,
  spots: Map<Item, Spot>,
  costs: Costs,
  placed: Placed,
  prices: Prices,
): Map<number, Comparison> {
  const found = new Map<number, Comparison>();
  const isJoined = (node: number): boolean => graph.nodes[node]?.op === "concat";
  const beside = workBeside(spots);
  for (const [item, spot] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn !== "dot") continue;
    const { node } = item.reduction;
    const loops = placed(item.reduction);
    // Without tiles, operands are computed as often as the loops run.
    if (loops !== "single" && costs.tiles !== null) respot(graph, item, loops, costs, spots);
    const own = aloneLoops(graph, node);
    const alone = productTimeAlone(own, costs) * NEARLY_WHOLE;
    if (loops === "plain") {
      const plain = alone * fewRows(item.reduction.loop, costs);
      if (plain > alone + prices.storing(node))
        found.set(node, { fused: plain, stored: alone + prices.storing(node) });
      continue;
    }
    const computed = computedOperands(graph, node, reads);
    const inLanes = computed.length === 0 && isInLanes(item.reduction, spot, costs);
    const isAlone = writes.length === 1 && writes[0]?.node === node;
    const across = loops === "single" || isAlone ? 0 : windowsAcross(item.reduction, costs);
    const fused =
      loops === "single"
        ? singleTime(item.reduction, spot, inLanes, costs) * fewRows(item.reduction.loop, costs)
        : Math.max(
            timeHere(item.reduction, loops, costs) * walksOf(loops, graph.nodes[node] as Node),
            alone * partOf(loops, graph.nodes[node] as Node),
          ) +
          rowsBeside(item.reduction, loops, costs) +
          lanesUnused(item.reduction, loops, costs) +
          unevenOperands(item.reduction, isBesideLater(item.reduction, spots), costs) +
          (loops.count * loops.rows <= ONE_BLOCK ? beside * costs.unit : 0) +
          joinedUnits(graph, computed.filter(isJoined)) * costs.unit +
          across;
    // A node in a kernel of its own: what counts is the operands computed between its loops, and other results stored there.
    const isOwn = writes[0]?.node === node && across === 0;
    const moved = isOwn ? [...computed, ...storedBeside(writes, loops)] : [node];
    const stored = moved.reduce(
      (sum, each) => sum + prices.storing(each, isJoined(each) ? COPIED : 1),
      alone,
    );
    const padded = loops === "single" || isOwn ? 0 : paddedTime(loops, own, costs);
    if (fused > stored || padded > stored - alone)
      for (const each of moved) found.set(each, { fused: Math.max(fused, alone + padded), stored });
  }
  return found;
}

/** How many times as long each row takes by itself, as where all share the memory that it is stored to. */
const BY_ITSELF = 6;

/** How many times as long a product in plain loops takes where few rows are in lanes. */
function fewRows(depth: Loop, costs: Costs): number {
  const columns = depth.block.loop;
  if (columns === null) return 1;
  if (columns.body.items.some((item) => item.kind === "store" && item.buffer.role === "scratch"))
    return BY_ITSELF;
  return fewLanes(depth, columns.block.loop, costs, elementsOf(columns) * elementsOf(depth));
}

/** Units of an element of what is joined, under the tests that say of which part it is. */
const JOINED = 2.5;

const joinedUnits = (graph: Graph, joined: readonly number[]): number =>
  joined.reduce((sum, node) => sum + elementCount((graph.nodes[node] as Node).shape) * JOINED, 0);

/** The most rows of a product that are one work item. */
const ONE_BLOCK = 48;

/** Units that another thread would take of what is beside the products, where that is worth it. */
function workBeside(spots: ReadonlyMap<Item, Spot>): number {
  let units = 0;
  for (const [item, { runs }] of spots)
    if (item.kind !== "accumulate" || item.reduction.fn !== "dot") units += runs * unitsOfItem(item);
  return units < SHARED ? 0 : units * GAINED;
}

/** Nanoseconds that tiles take longer in loops that go across the product's own: its few rows are columns there, and padded to more. */
function paddedTime(loops: ProductLoops, own: ProductLoops, { tiles, product }: Costs): number {
  if (tiles === null || loops.rows !== own.columns || loops.columns !== own.rows) return 0;
  return Math.max(0, multiplications(loops, tiles) - multiplications(own, tiles)) * product;
}

/** Nanoseconds of a product in its loops. One that has all it reads and stores in order along its columns takes as long as alone. */
function timeHere(reduction: Reduction, loops: ProductLoops, costs: Costs): number {
  const tiled = productTime(loops, costs);
  const { places, columns } = loadsOf(reduction);
  const { items } = reduction.loop.block;
  if (columns === undefined || items.some(({ kind }) => kind === "lookup")) return tiled;
  const walked = items.flatMap((item) => {
    if (item.kind === "store") return [item.at];
    return item.kind === "let" && item.definition.kind === "load" ? [item.definition.at] : [];
  });
  walked.push(...places.map(({ at }) => at));
  const isRead = ({ at, guards, isComputed }: Place): boolean =>
    !isComputed && guards.length === 0 && at.indirect.length === 0;
  if (!places.every(isRead) || walked.some((at) => placeUnits(at, columns, costs) > 1)) return tiled;
  const alone = productTimeAlone(loops, costs);
  if (!hasRowsInLanes(loops.columns, loops.depth, costs)) return alone;
  return (alone + timeApart(reduction, loops, costs)) * fewRows(reduction.loop, costs);
}

/** Nanoseconds that rows in lanes take longer as they do not lie one behind the other. */
function timeApart({ loop }: Reduction, { count, rows, columns, depth }: ProductLoops, costs: Costs): number {
  const along = loop.block.loop;
  const around = along?.block.loop ?? null;
  if (along === null || around === null || aroundMatrix(along) !== around) return 0;
  return count * rows * columns * depth * rowsApart(loop, along, around) * costs.strided * costs.unit;
}

/** The part of a product's sums that its loops make: fewer than all where some rows are looked up. */
const partOf = ({ count, rows, columns }: ProductLoops, { shape }: Node): number =>
  Math.min(1, (count * rows * columns) / elementCount(shape));

/** How many times as long sums take whose columns are walked one by one, as where each column has rows of its own looked up. */
const BY_COLUMN = 2;

const walksOf = ({ count, columns }: ProductLoops, { shape }: Node): number =>
  columns === 1 && count > 1 && (shape.at(-1) as number) > 1 ? BY_COLUMN : 1;

/** A short sum that is unrolled in loops of which the outer one has its rows in lanes: nothing there takes places one by one. */
function isInLanes({ loop }: Reduction, { scan }: Spot, costs: Costs): boolean {
  const columns = loop.block.loop;
  if (costs.tiles === null || scan !== null || columns?.role !== "parallel") return false;
  const along = columns.axes.at(-1) as Axis;
  const isInRows = loop.body.items.every(
    (item) =>
      item.kind !== "let" ||
      item.definition.kind !== "load" ||
      placeUnits(item.definition.at, along, costs) === 1,
  );
  return isInRows && isUnrolled(loop, costs) && [loop.body, loop.block, columns.block].every(isPlain);
}

/** Nanoseconds that each walk along a row of such sums begins with. */
const ROW = 1.5;

/** Nanoseconds of a product without loops of its own. */
const singleTime = (reduction: Reduction, spot: Spot, inLanes: boolean, costs: Costs): number =>
  inLanes ? lanesTime(reduction, spot, costs) : spot.runs * costs.productSingle;

/** Nanoseconds of sums in lanes. Where their lanes are columns, one row is walked after the other, and no two share what is loaded. */
function lanesTime({ loop }: Reduction, { runs }: Spot, costs: Costs): number {
  const columns = loop.block.loop as Loop;
  const { small, smallByRow } = costs.tiles as Tiles;
  const { extent } = columns.axes.at(-1) as Axis;
  const rows = columns.block.loop;
  if (rows === null || (rows.role === "parallel" && hasRowsInLanes(extent, elementsOf(loop), costs)))
    return runs * (small + unitsInRows(columns.body) * SINGLE_BYTES * costs.unit);
  const lanes = costs.step / 4;
  const padded = (Math.ceil(extent / lanes) * lanes) / extent;
  return runs * padded * smallByRow + timesOf(columns.block) * ROW;
}

/**
 * How many elements for each multiplication are loaded or stored by themselves, as rows do not lie one behind the other: such rows are
 * transposed in registers.
 */
function rowsApart(depth: Loop, columns: Loop, rows: Loop): number {
  const row = rows.axes.at(-1) as Axis;
  const apart = ({ body }: Loop, length: number): number =>
    body.items.filter((item) => {
      const at = placeOf(item);
      const stride = at === null ? 0 : strideAlong(at, row);
      return stride !== 0 && stride !== length;
    }).length;
  const [inDepth, inColumns] = [elementsOf(depth), elementsOf(columns)];
  return apart(depth, inDepth) / inColumns + apart(columns, inColumns) / inDepth;
}

const placeOf = (item: Item): Index | null => {
  if (item.kind === "store") return item.at;
  return item.kind === "let" && item.definition.kind === "load" ? item.definition.at : null;
};

/** Bytes of a sum in float32, as most are. */
const SINGLE_BYTES = 4;

const isPlain = ({ items }: Block): boolean =>
  items.every((item) => item.kind !== "lookup" && (item.kind !== "let" || !isTested(item)));

const isTested = (item: Let): boolean =>
  guardsOf(item).length > 0 || (item.definition.kind === "load" && item.definition.guards.length > 0);

/**
 * Nanoseconds of the latency of the loops that walk a row of a product or of its operands, one row after the other: those beside its own
 * loops over columns and depth, and a fold around it. If the product or its operands are stored, several rows are walked at once.
 */
function rowsBeside(reduction: Reduction, loops: ProductLoops, { unit }: Costs): number {
  const { loop, cells } = reduction;
  const columns = loop.block.loop;
  if (loops.count * loops.rows === 1 || columns === null) return 0;
  // The first loop over a row of sums is what the product has in any kernel.
  const beside = othersBeside(loop).slice(cells > 1 ? 1 : 0);
  const walks = [...beside, ...(columns.block.loop === null ? [] : othersBeside(columns))];
  // Rows that another product takes, as in attention, come in blocks.
  if (walks.some(multiplies)) return chainedUnits(loop, walks, loops) * unit;
  if (columns.role === "reduce") walks.push(columns);
  return walks.reduce((sum, { block }) => sum + timesOf(block), 0) * WALK * unit;
}

const othersBeside = (loop: Loop): Loop[] =>
  loop.block.items.filter((item) => item.kind === "loop" && item !== loop) as Loop[];

/** How often a block runs. */
function timesOf({ loop }: Block): number {
  let times = 1;
  for (let around = loop; around !== null; around = around.block.loop)
    for (const { extent } of around.axes) times *= extent;
  return times;
}

/** Elements of a sum that is unrolled, and has no blocks. */
const FEW = 8;

/** True of the loops of another product, unless it takes a few values of each row. */
const multiplies = ({ body }: Loop): boolean =>
  body.items.some((item) => {
    if (item.kind === "loop") return multiplies(item);
    return item.kind === "accumulate" && item.reduction.fn === "dot" && elementsOf(item.reduction.loop) > FEW;
  });

/** The part of an expensive op's time that is latency, which the short steps of a row do not hide. */
const LATENCY = 0.3;

/** Nanoseconds that expensive ops take longer on rows of few whole steps, or of fewer elements than lanes, than on the same elements stored. */
function lanesUnused({ loop }: Reduction, { count, rows, columns }: ProductLoops, costs: Costs): number {
  const { ops, serial, unit } = costs;
  // Ops on a row of sums are in a loop behind it.
  const behind = loop.block.items.flatMap((item) =>
    item.kind === "loop" && item !== loop && item.role === "parallel" ? item.body.items : [item],
  );
  let units = 0;
  for (const item of behind) {
    if (item.kind !== "let" || item.definition.kind !== "pointwise") continue;
    const { fn } = item.definition;
    const own = ops[fn] ?? pointwiseOps[fn].cost;
    if (own >= EXPENSIVE) units += own;
  }
  const waited = columns * (stepsOf(columns, costs) - 1) * LATENCY;
  return count * rows * units * Math.max(serial - columns, waited) * unit;
}

/**
 * Units of an element that is packed from a window at a column that is looked up, or under tests: no table has its place. Of one in a product
 * that looks up something else or reads the window backwards, or shares its loops with another: it is packed element by element, and not
 * read where it is. And of any other element under tests.
 */
const [LOOKED_UP, UNEVEN, BESIDE, TESTED] = [60, 3, 6, 6];

/** Units of an element of a row that is looked up, and packed by itself; and of one in columns that are read backwards. */
const [FOUND, BACKWARDS] = [2.5, 4];

/** Units of each quotient or remainder along the depth, where an element is computed: only those that are loaded have a table of places. */
const COMPUTED = 18;

interface Place {
  readonly at: Index;
  readonly guards: readonly Guard[];
  /** An operand is computed of what is loaded here. */
  readonly isComputed: boolean;
}

/** The loads of a product, its columns and its depth. */
function loadsOf({ loop }: Reduction): {
  readonly places: readonly Place[];
  readonly columns: Axis | undefined;
  readonly depth: Axis;
} {
  // The loop over columns is around the sum, or in it where each column has an accumulator of its own.
  const inner = loop.body.items.find((item) => item.kind === "loop");
  const items = [...loop.body.items, ...(inner?.body.items ?? [])];
  const taken = new Set(
    items.flatMap((item) =>
      item.kind === "accumulate" && item.reduction.fn === "dot" ? item.values.map(letOf) : [],
    ),
  );
  const places = items.flatMap((item) =>
    item.kind === "let" && item.definition.kind === "load"
      ? [{ at: item.definition.at, guards: item.definition.guards, isComputed: !taken.has(item) }]
      : [],
  );
  const columns = (inner ?? loop.block.loop)?.axes.at(-1);
  return { places, columns, depth: loop.axes.at(-1) as Axis };
}

const elementsAt = ({ axes }: Index): number => axes.reduce((count, { extent }) => count * extent, 1);

/**
 * Nanoseconds that windows take longer in the order of a transposed result: no loop over columns goes along the rows of an image, so windows
 * are packed element by element.
 */
function windowsAcross(reduction: Reduction, { unit }: Costs): number {
  const { places, columns, depth } = loadsOf(reduction);
  let units = 0;
  for (const { at } of places) {
    if (quotientsAlong(at, depth) === 0) continue;
    const rows = at.terms.filter(
      ({ atom, coefficient }) => atom.kind === "axis" && Math.abs(coefficient) === 1,
    );
    if (rows.some(({ atom }) => atom !== depth) && rows.every(({ atom }) => atom !== columns))
      units += elementsAt(at) * UNEVEN;
  }
  return units * unit;
}

/**
 * True where another product, of a later node, has the same loops, or takes the rows of this one as they come: then neither is one of
 * windows that are read where they are.
 */
function isBesideLater({ node, loop }: Reduction, spots: ReadonlyMap<Item, Spot>): boolean {
  for (const item of spots.keys()) {
    if (item.kind !== "accumulate" || item.reduction.fn !== "dot" || item.reduction.node <= node) continue;
    const { block } = item.reduction.loop;
    if (block === loop.block || block.loop?.block === loop.block) return true;
  }
  return false;
}

/** Nanoseconds that packing such elements takes, or windows beside another product. */
function unevenOperands(reduction: Reduction, isBeside: boolean, { unit }: Costs): number {
  const { places, columns, depth } = loadsOf(reduction);
  const isLookedUp = places.some(({ at }) => at.indirect.length > 0);
  const found = FOUND + ROW_FOUND / depth.extent;
  const unitsAt = ({ at, guards, isComputed }: Place): number => {
    const isTested = guards.length > 0;
    const isBackwards = columns !== undefined && strideAlong(at, columns) < 0;
    if (quotientsAlong(at, depth) === 0)
      return isTested ? TESTED : isBackwards ? BACKWARDS : at.indirect.length > 0 ? found : 0;
    const isByItself = at.indirect.some(({ axes }) => axes.some((axis) => axis === columns));
    if (isByItself || isTested) return LOOKED_UP;
    if (isComputed) return COMPUTED * quotientsAlong(at, depth);
    if (isBeside) return BESIDE;
    if (isBackwards) return BACKWARDS;
    return isLookedUp || at.terms.some(({ coefficient }) => coefficient < 0) ? UNEVEN : 0;
  };
  return places.reduce((sum, place) => sum + elementsAt(place.at) * unitsAt(place), 0) * unit;
}

/** The loops of a product in a kernel of its own. Left operands that share a right operand count as rows of one product. */
function aloneLoops(graph: Graph, position: number): ProductLoops {
  const { shape, inputs } = graph.nodes[position] as Node;
  const [rows, columns] = shape.slice(-2) as [number, number];
  const depth = inputs[0]?.shape.at(-1) as number;
  const count = elementCount(shape.slice(0, -2));
  const right = (graph.inputs[position] as readonly number[])[1] as number;
  const own = elementCount((graph.nodes[sourceOf(graph, right)] as Node).shape);
  const isShared = own * count === elementCount((graph.nodes[right] as Node).shape);
  return isShared ? { count: 1, rows: rows * count, columns, depth } : { count, rows, columns, depth };
}

/** Results that a kernel stores for a product that has no loops of its own there. */
const storedBeside = ([, ...others]: readonly Buffer[], loops: ProductLoops | "single"): number[] =>
  loops === "single" ? others.map(({ node }) => node) : [];

/** The operands of a product, beneath movements, that are computed in its kernel. */
function computedOperands(graph: Graph, position: number, reads: ReadonlySet<Buffer>): number[] {
  const loaded = new Set([...reads].map(({ node }) => node));
  return (graph.inputs[position] as readonly number[])
    .map((input) => sourceOf(graph, input))
    .filter((source) => !loaded.has(source) && !isGiven(graph.nodes[source] as Node));
}

const isGiven = ({ op }: Node): boolean => op === "input" || op === "constant" || op === "scalar";

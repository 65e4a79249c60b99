/**
 * Which nodes a finished schedule computes although storing them would cost less. The costs are known only when everything has been
 * placed: whether the loops around a node have lanes, how long they are, how memory lies along them, and whether a product in them has
 * tiles.
 */
import { dtypes, elementCount, type Node, pointwiseOps } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { IndexTable } from "../indexing/index-expression.ts";
import type { ProductLoops } from "../tactics/products/loops.ts";
import { behindFolds, EXPENSIVE } from "./behind-folds.ts";
import { type Comparison, type Costs, productTime, productTimeAlone } from "./cost.ts";
import { gatheredAside } from "./gathered.ts";
import { isMovement } from "./movement.ts";
import { rowsUnderFolds } from "./rows-under-folds.ts";
import {
  guardsOf,
  isUnrolled,
  NEARLY_WHOLE,
  respot,
  type Spot,
  scanReaders,
  scansIn,
  spotsIn,
} from "./spots.ts";
import {
  type Block,
  type Buffer,
  type Kernel,
  type Lookup,
  type Loop,
  letOf,
  type Reduction,
} from "./tree.ts";
import { placeUnits, unitsOf } from "./units.ts";

/** How the emitter makes a product: in loops of its own, in plain ones that are as fast, or element by element. */
export type Placed = (reduction: Reduction) => ProductLoops | "plain" | "single";

/** The cost of one node in a kernel, in units. */
interface Tally {
  /** How much more than the same elements would cost in a kernel of its own. */
  excess: number;
  /** How often it is computed, and how much more it costs each time than to be read in order. */
  runs: number;
  anew: number;
  /** How much more a load at the same places would cost than one in order. */
  read: number;
  /** It reads the result of a fold in the same kernel. If it were stored, both kernels would read all inputs of the fold. */
  folded: boolean;
  /** As {@link Spot} says, of any place where it is computed. */
  inShortRow: boolean;
  /** It is recomputed for each of these nodes. If there is only one, storing that one is enough. */
  readonly readers: Set<number>;
  readonly inputs: Set<number>;
}

export function audit(
  graph: Graph,
  table: IndexTable,
  { root, writes, reads }: Kernel,
  costs: Costs,
  placed: Placed,
  unfused: ReadonlyMap<number, Comparison>,
): Map<number, Comparison> {
  const spots = spotsIn(root, costs);
  const found = new Map<number, Comparison>();
  const storing = (node: number, bytes = 1): number => {
    const { shape, dtype } = graph.nodes[node] as Node;
    return elementCount(shape) * dtypes[dtype].bytes * costs.byte * bytes + costs.kernel;
  };

  for (const [item, spot] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn !== "dot") continue;
    const { node } = item.reduction;
    const loops = placed(item.reduction);
    // Without tiles, operands are computed as often as the loops run.
    if (loops !== "single" && costs.tiles !== null) respot(graph, item, loops, costs, spots);
    const alone = productTimeAlone(aloneLoops(graph, node), costs) * NEARLY_WHOLE;
    if (loops === "plain") continue;
    const computed = computedOperands(graph, node, reads);
    if (computed.length === 0 && isInLanes(item.reduction, spot, costs)) continue;
    const fused =
      loops === "single"
        ? spot.runs * costs.productSingle
        : Math.max(productTime(loops, costs), alone) +
          rowsBeside(item.reduction, loops, costs) +
          lanesUnused(item.reduction, loops, costs);
    // A node in a kernel of its own: what counts is the operands computed between its loops, and other results stored there.
    const isOwn = writes[0]?.node === node;
    const moved = isOwn ? [...computed, ...storedBeside(writes, loops)] : [node];
    const stored = moved.reduce((sum, each) => sum + storing(each), alone);
    if (fused > stored) for (const each of moved) found.set(each, { fused, stored });
  }

  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || !item.reduction.crosses || item.reduction.fn === "dot") continue;
    const { node } = item.reduction;
    const comparison = { fused: runs * costs.across * costs.unit, stored: storing(node) };
    if (writes[0]?.node !== node && comparison.fused > comparison.stored) found.set(node, comparison);
  }

  const windows = new Map<number, number>();
  for (const [item, { runs, misplaced }] of spots) {
    if (item.kind !== "accumulate" || misplaced === 1 || item.reduction.fn === "dot") continue;
    const { node } = item.reduction;
    windows.set(node, (windows.get(node) ?? 0) + runs * WINDOW * (misplaced - 1));
  }

  const tallies = new Map<number, Tally>();
  const tallyOf = (node: number): Tally => {
    let tally = tallies.get(node);
    if (tally === undefined) {
      tally = {
        excess: 0,
        runs: 0,
        anew: 0,
        read: 0,
        folded: false,
        inShortRow: false,
        readers: new Set(),
        inputs: new Set(),
      };
      tallies.set(node, tally);
    }
    return tally;
  };
  const made = writes[0]?.node;
  const behindScan = scanReaders(spots);
  const scans = scansIn(spots);
  const scanExcess = new Map<number, number>();
  const cuts = new Map<Block, { excess: number; readonly by: Set<number> }>();
  const lookups = new Map<number, number>();
  for (const [item, spot] of spots) {
    if (item.kind === "lookup" && item.gather !== null) {
      lookups.set(item.gather, (lookups.get(item.gather) ?? 0) + spot.runs / repeatsOf(item));
    }
    const addToScan = (scan: number, units: number): void => {
      scanExcess.set(scan, (scanExcess.get(scan) ?? 0) + units * spot.runs);
    };
    if (item.kind === "store") {
      const value = letOf(item.value);
      const scan = value === null ? undefined : behindScan.get(value);
      if (scan !== undefined) addToScan(scan, placeUnits(item.at, spot.along, costs) - 1);
    }
    if (item.kind !== "let") continue;
    const units = unitsOf(item, spot, costs, (graph.nodes[item.node] as Node).shape);
    if (units === null) continue;
    // What the kernel is made for stays in it: a scan that came along with its reader is what goes.
    const joined = item.node === made && spot.scan !== null ? scans.get(spot.scan) : undefined;
    const scan = behindScan.get(item) ?? joined;
    if (scan !== undefined) {
      addToScan(scan, units.here * spot.slow - units.alone);
      continue;
    }
    if (spot.cut > 0) {
      const loop = cuts.get(item.block) ?? { excess: 0, by: new Set() };
      loop.excess += units.here * spot.cut * spot.runs;
      if (guardsOf(item).length > 0) loop.by.add(item.node);
      cuts.set(item.block, loop);
    }
    const tally = tallyOf(item.node);
    tally.excess += (units.here * spot.slow - units.alone) * spot.runs;
    tally.runs += spot.runs;
    tally.anew = Math.max(0, units.alone - HIDDEN);
    tally.read = Math.max(tally.read, (units.load * spot.slow - 1) * spot.runs);
    if (units.folded) tally.folded = true;
    if (spot.inShortRow) tally.inShortRow = true;
    for (const input of units.inputs) {
      tally.inputs.add(input);
      tallyOf(input).readers.add(item.node);
    }
  }
  if (costs.again > 0)
    for (const [node, tally] of tallies) {
      const again = tally.runs - elementCount((graph.nodes[node] as Node).shape);
      tally.excess += Math.max(0, again) * tally.anew * costs.again;
    }
  for (const [node, runs] of lookups)
    tallyOf(node).excess += (runs - lookupsAlone(graph, node)) * costs.scattered;

  const cutExcess = new Map<number, number>();
  for (const { excess, by } of cuts.values())
    for (const node of by) cutExcess.set(node, (cutExcess.get(node) ?? 0) + excess / by.size);
  const behind = [...behindFolds(spots, costs), ...rowsUnderFolds(spots, costs)];
  for (const [node, excess] of [...scanExcess, ...cutExcess, ...windows, ...behind]) {
    const comparison = { fused: excess * costs.unit, stored: storing(node) };
    if (comparison.fused > comparison.stored) found.set(node, comparison);
  }
  // What is stored with a reader is not considered by itself.
  const covered = new Set<number>();
  const cover = (node: number): void => {
    for (const nodes = [node]; nodes.length > 0; ) {
      const next = nodes.pop() as number;
      if (covered.has(next)) continue;
      covered.add(next);
      nodes.push(...(tallies.get(next)?.inputs ?? []));
    }
  };
  // A node that was stored for a chain, and whose kernel contains the chain again: storing the next link must pay by itself.
  const coverChain = (from: number): void => {
    for (const links = [from]; links.length > 0; ) {
      const { inputs } = tallies.get(links.pop() as number) ?? { inputs: [] };
      for (const input of inputs) {
        const { readers, excess } = tallyOf(input);
        if (covered.has(input) || readers.size !== 1 || excess * costs.unit > storing(input)) continue;
        covered.add(input);
        links.push(input);
      }
    }
  };
  for (const { node } of writes) if (unfused.has(node)) coverChain(node);
  const totals = new Map<number, number>();
  const ascending = [...tallies.keys()].sort((a, b) => a - b);
  for (const node of ascending) {
    const tally = tallies.get(node) as Tally;
    let total = tally.excess;
    const direct = (graph.inputs[node] as readonly number[]).map((input) => sourceOf(graph, input));
    for (const input of tally.inputs) {
      const known = tallies.get(input);
      if (known?.readers.size === 1) total += totals.get(input) ?? 0;
      // If the gather's result is stored, its readers load in order.
      if (direct.includes(input)) tally.read = Math.max(tally.read, known?.read ?? 0);
      if (known?.folded) tally.folded = true;
    }
    totals.set(node, total);
  }
  // Behind a fold, reads and stores across memory order are not transposed in registers. So the node that uses the fold is stored in its
  // own order.
  for (const [item, { runs, along, scan }] of spots) {
    if (item.kind !== "store" || scan !== null) continue;
    const tally = tallies.get(letOf(item.value)?.node ?? -1);
    const units = placeUnits(item.at, along, costs);
    if (tally === undefined || units === 1) continue;
    const fused = ((units - 1) * runs + tally.excess) * costs.unit;
    for (const input of tally.inputs)
      if (tallies.get(input)?.folded && fused > storing(input))
        found.set(input, { fused, stored: storing(input) });
  }
  let iterations = 0;
  for (const { runs } of spots.values()) iterations = Math.max(iterations, runs);
  const notable = NOTABLE * iterations * costs.unit;
  for (const node of ascending.reverse()) {
    if (node === made || covered.has(node) || !isComputed(graph.nodes[node] as Node)) continue;
    const isStored = writes.some((buffer: Buffer) => buffer.node === node);
    const { read, folded, inShortRow } = tallies.get(node) as Tally;
    const fused = ((totals.get(node) as number) - read) * costs.unit;
    const stored = storing(node, (isStored ? 0.5 : 1) * (folded && !inShortRow ? FOLDED_TWICE : 1));
    if (fused - stored <= notable) continue;
    found.set(node, { fused, stored });
    cover(node);
  }
  // Where something else is stored, it may be what reads the gather.
  if (found.size > 0) return found;
  for (const [node, excess] of gatheredAside(graph, table, spots, costs)) {
    const comparison = { fused: excess * costs.unit, stored: storing(node, COPIED) };
    if (node !== made && comparison.fused > comparison.stored) found.set(node, comparison);
  }
  return found;
}

/** A short sum that is unrolled in loops of which the outer one has its rows in lanes: nothing there takes places one by one. */
function isInLanes({ loop }: Reduction, { scan }: Spot, costs: Costs): boolean {
  const columns = loop.block.loop;
  if (costs.tiles === null || scan !== null || columns?.role !== "parallel") return false;
  return isUnrolled(loop, costs) && [loop.body, loop.block, columns.block].every(isPlain);
}

const isPlain = ({ items }: Block): boolean =>
  items.every((item) => item.kind !== "lookup" && (item.kind !== "let" || guardsOf(item).length === 0));

/**
 * Nanoseconds of the latency of the loops that walk a row of a product or of its operands, one row after the other: those beside its own
 * loops over columns and depth, and a fold around it. If the product or its operands are stored, several rows are walked at once.
 */
function rowsBeside({ loop, cells }: Reduction, { count, rows }: ProductLoops, { unit }: Costs): number {
  const columns = loop.block.loop;
  if (count * rows === 1 || columns === null) return 0;
  // The first loop over a row of sums is what the product has in any kernel.
  const beside = othersBeside(loop).slice(cells > 1 ? 1 : 0);
  const walks = [...beside, ...(columns.block.loop === null ? [] : othersBeside(columns))];
  // Rows that another product takes, as in attention, come in blocks.
  if (walks.some(multiplies)) return 0;
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

const multiplies = ({ body }: Loop): boolean =>
  body.items.some((item) =>
    item.kind === "loop" ? multiplies(item) : item.kind === "accumulate" && item.reduction.fn === "dot",
  );

/** Nanoseconds that expensive ops take longer on rows of fewer elements than lanes than on the same elements stored. */
function lanesUnused(
  { loop }: Reduction,
  { count, rows, columns }: ProductLoops,
  { ops, serial, unit }: Costs,
): number {
  let units = 0;
  for (const item of loop.block.items) {
    if (item.kind !== "let" || item.definition.kind !== "pointwise") continue;
    const { fn } = item.definition;
    const own = ops[fn] ?? pointwiseOps[fn].cost;
    if (own >= EXPENSIVE) units += own;
  }
  return count * rows * units * Math.max(0, serial - columns) * unit;
}

/** Units of the latency of a walk. */
const WALK = 100;

/** Units of recomputation that loads and stores hide. */
const HIDDEN = 2;

/** The part of its bytes that storing a gather costs: it is copied row by row, and read again in order. */
const COPIED = 1 / 4;

/** Units of an element of a window: a load and a fold. */
const WINDOW = 2;

/** A kernel is split only for at least this share of the least time that its longest loop takes. */
const NOTABLE = 0.01;

/** A chain on both sides of a fold runs in few loops. It is split only where storing saves this many times as much. */
const FOLDED_TWICE = 12;

/** How many elements of its loop have the place that is looked up: it is looked up in front of the innermost axes of a fold. */
function repeatsOf({ place, block }: Lookup): number {
  let repeats = 1;
  for (const axis of [...(block.loop?.axes ?? [])].reverse()) {
    if (place.axes.includes(axis)) break;
    repeats *= axis.extent;
  }
  return repeats;
}

/** How often a gather looks places up in a kernel of its own: once for each row, where its index was expanded. */
function lookupsAlone(graph: Graph, position: number): number {
  const { op, shape, attributes } = graph.nodes[position] as Node;
  const [, looked] = graph.inputs[position] as readonly number[];
  const own = elementCount((graph.nodes[sourceOf(graph, looked as number)] as Node).shape);
  const size = elementCount(shape);
  return op !== "gather" || own === size ? size : elementCount(shape.slice(0, attributes.axis + 1));
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

/** The node beneath a chain of movements. */
function sourceOf(graph: Graph, position: number): number {
  let source = position;
  while (isMovement(graph.nodes[source] as Node)) source = graph.inputs[source]?.[0] as number;
  return source;
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

const isComputed = ({ op }: Node): boolean =>
  op === "pointwise" || op === "pad" || op === "concat" || op === "gather";

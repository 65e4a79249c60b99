/**
 * Which nodes a finished schedule computes although storing them would cost less. The costs are known only when everything has been
 * placed: whether the loops around a node have lanes, how long they are, how memory lies along them, and whether a product in them has
 * tiles.
 */
import { dtypes, elementCount, type Node, type ScanNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { IndexTable } from "../indexing/index-expression.ts";
import { COPIED, type Comparison, type Costs } from "../schedule/cost.ts";
import { sourceOf } from "../schedule/movement.ts";
import { CACHED, elementsOf, SHORT_ROW, SHORTEST_ROW } from "../schedule/rows.ts";
import {
  type Accumulate,
  type Block,
  type Buffer,
  type Kernel,
  type Let,
  letOf,
  reachedFrom,
  readsOf,
} from "../schedule/tree.ts";
import { behindFolds, shortRowsBehind } from "./behind-folds.ts";
import { exactUnits } from "./exact.ts";
import { gatheredAside, ROW_FOUND } from "./gathered.ts";
import { COMPARED, isDivided, isFoundTwice, isInShortMaximum, lookupsAlone, repeatsOf } from "./lookups.ts";
import { partsInRows, partsInShortScans, partsOfParts } from "./parts-in-rows.ts";
import { costlierProducts, type Placed } from "./products.ts";
import { roundedResults } from "./rounded-results.ts";
import { loneFolds, rowsUnderFolds } from "./rows-under-folds.ts";
import { scatteredWork } from "./scattered-work.ts";
import { separateRows } from "./separate-rows.ts";
import {
  fewLanes,
  foldsInOrder,
  guardsOf,
  joinsRow,
  type Spot,
  scanReaders,
  scansIn,
  spotsIn,
} from "./spots.ts";
import { stagedRows } from "./staged-rows.ts";
import { transposedOperands } from "./transposed-operands.ts";
import { turnedFolds } from "./turned-folds.ts";
import { CACHED_UNIT, placeUnits, storedUnits, unitsOf, WORD } from "./units.ts";
import { waitingLookups } from "./waiting-lookups.ts";
import {
  crowdedWindows,
  lookedUpRows,
  lookedUpWindows,
  WINDOW,
  windowFinder,
  windowsInWindows,
} from "./windows.ts";

/** The cost of one node in a kernel, in units. */
interface Tally {
  /** How much more than the same elements would cost in a kernel of its own. */
  excess: number;
  /** The part of it that is as exact as the cost of storing: loads across memory order that would not be, and short rows that are folded. */
  exact: number;
  /** As exact, of what is in a cache: narrow elements that are widened few at a time. */
  widened: number;
  /** As exact: what expensive ops take longer in short steps. Behind folds and products that is counted for those. */
  stepped: number;
  /** How often it is computed, what it costs alone each time, and with what it is computed of in a cache. */
  runs: number;
  alone: number;
  cached: number;
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
  kernel: Kernel,
  costs: Costs,
  placed: Placed,
  unfused: ReadonlyMap<number, Comparison>,
): Map<number, Comparison> {
  const { root, writes } = kernel;
  const spots = spotsIn(root, costs);
  const storing = (node: number, bytes = 1): number => {
    const { shape, dtype } = graph.nodes[node] as Node;
    return elementCount(shape) * dtypes[dtype].bytes * costs.byte * bytes + costs.kernel;
  };
  /** Nanoseconds of a unit: elements of eight bytes have half the lanes. */
  const unitOf = (node: number): number =>
    costs.step > 1 && dtypes[(graph.nodes[node] as Node).dtype].bytes > WORD ? 2 * costs.unit : costs.unit;
  const isCached = (node: number): boolean => elementCount((graph.nodes[node] as Node).shape) <= CACHED;
  /** As `storing`, less where it is read again while it is in a cache. It is compared with exact costs only: others are too high for it. */
  const keeping = (node: number): number => storing(node, isCached(node) ? costs.cachedByte / costs.byte : 1);
  const found = costlierProducts(graph, kernel, spots, costs, placed, storing);

  for (const [item, { runs }] of spots) {
    if (item.kind !== "accumulate" || !item.reduction.crosses || item.reduction.fn === "dot") continue;
    const { node } = item.reduction;
    const comparison = { fused: runs * costs.across * unitOf(node), stored: storing(node) };
    if (writes[0]?.node !== node && comparison.fused > comparison.stored) found.set(node, comparison);
  }

  const windows = new Map<number, number>();
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
    if (slow > 1 && node !== writes[0]?.node)
      windows.set(node, (windows.get(node) ?? 0) + runs * WINDOW * (slow - 1));
  }

  const tallies = new Map<number, Tally>();
  const tallyOf = (node: number): Tally => {
    let tally = tallies.get(node);
    if (tally === undefined) {
      tally = {
        excess: 0,
        exact: 0,
        widened: 0,
        stepped: 0,
        runs: 0,
        alone: 0,
        cached: 0,
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
  const windowBefore = windowFinder(costs);
  const behindScan = scanReaders(spots);
  const scans = scansIn(spots);
  const scanExcess = new Map<number, number>();
  const cuts = new Map<Block, { excess: number; readonly by: Set<number> }>();
  const lookups = new Map<number, number>();
  const rowsFound = new Set<number>();
  for (const [item, spot] of spots) {
    if (item.kind === "lookup" && item.gather !== null) {
      lookups.set(item.gather, (lookups.get(item.gather) ?? 0) + spot.runs / repeatsOf(item));
      if (item.block.items.some(({ kind }) => kind === "loop")) rowsFound.add(item.gather);
      if (isDivided(item)) tallyOf(item.gather).excess += spot.runs * costs.quotient;
      if (isFoundTwice(item)) tallyOf(item.gather).excess += spot.runs * costs.scattered;
      if (isInShortMaximum(item, costs)) tallyOf(item.gather).excess += spot.runs * COMPARED;
    }
    const addToScan = (scan: number, units: number): void => {
      scanExcess.set(scan, (scanExcess.get(scan) ?? 0) + units * spot.runs);
    };
    const walked = item.kind === "lookup" && spot.scan !== null ? scans.get(spot.scan) : undefined;
    if (walked !== undefined && costs.step > 1) addToScan(walked, LOOKED_UP);
    if (item.kind === "accumulate" && costs.step > 1 && isCalledAlone(item, graph))
      addToScan(item.reduction.node, CALLED_ALONE);
    if (item.kind === "accumulate" && spot.scan !== null && item.reduction.loop !== spot.scan) {
      const scan = scans.get(spot.scan);
      // What the kernel is made for stays in it: then the fold goes.
      const apart = scan === made ? item.reduction.node : scan;
      if (apart !== undefined && costs.step > 1) addToScan(apart, FOLDED_ALONE);
    }
    // What is scanned across memory order, for a reader that has it in another one: by itself it would have a row of running values.
    const isScanned = item.kind === "accumulate" && item.reduction.loop === spot.scan;
    if (isScanned && item.reduction.node !== made && costs.step > 1)
      for (const read of item.values.map(letOf)) {
        const units =
          read?.definition.kind === "load" ? placeUnits(read.definition.at, spot.along, costs) : 1;
        if (units > 1) addToScan(item.reduction.node, units - 1 + IN_LANES);
      }
    if (item.kind === "store") {
      const value = letOf(item.value);
      const scan = value === null ? undefined : behindScan.get(value);
      if (scan !== undefined) addToScan(scan, placeUnits(item.at, spot.along, costs) - 1);
    }
    if (item.kind !== "let") continue;
    const units = unitsOf(item, spot, costs, (graph.nodes[item.node] as Node).shape, table);
    if (units === null) continue;
    // What the kernel is made for stays in it: a scan that came along with its reader is what goes.
    const joined = item.node === made && spot.scan !== null ? scans.get(spot.scan) : undefined;
    const scan = behindScan.get(item) ?? joined;
    if (scan !== undefined) {
      // Beside running values, as beside sums in memory, an expensive op has too few registers.
      const slow = spot.slow * (units.stepped > 0 ? costs.beside : 1);
      addToScan(scan, units.here * slow + units.branches - units.alone);
      continue;
    }
    if (spot.cut > 0) {
      const loop = cuts.get(item.block) ?? { excess: 0, by: new Set() };
      loop.excess += units.here * spot.cut * spot.runs;
      if (guardsOf(item).length > 0) loop.by.add(item.node);
      cuts.set(item.block, loop);
    }
    const window = windowBefore(item);
    if (window !== null) {
      const excess = (units.here * spot.slow - units.alone) * spot.runs;
      windows.set(window, (windows.get(window) ?? 0) + excess);
    }
    const tally = tallyOf(item.node);
    tally.excess += (units.here * spot.slow * spot.rows - units.alone) * spot.runs;
    tally.exact += (units.across + units.here * spot.slow * (spot.rows - 1)) * spot.runs;
    tally.widened += units.widened * spot.runs;
    if (spot.slow >= costs.serial) tally.exact += units.branches * spot.runs;
    // Beside accumulators in memory, steps are slow for other reasons than their number.
    if (spot.slow < costs.serial && !item.block.items.some(joinsRow))
      tally.stepped += units.stepped * (Math.max(spot.slow, units.jammed) - 1) * spot.runs;
    tally.runs += spot.runs;
    tally.alone = units.alone;
    tally.cached = units.cached;
    if (!spot.packed && !hasColumns(item, spot, costs, graph))
      tally.read = Math.max(tally.read, (units.load * spot.slow - 1) * spot.runs);
    if (units.folded) tally.folded = true;
    if (spot.inShortRow) tally.inShortRow = true;
    for (const input of units.inputs) {
      tally.inputs.add(input);
      tallyOf(input).readers.add(item.node);
    }
  }
  const againOf = (node: number, { runs }: Tally): number =>
    Math.max(0, runs - elementCount((graph.nodes[node] as Node).shape));
  for (const [node, tally] of tallies)
    tally.excess += againOf(node, tally) * Math.max(0, tally.alone - HIDDEN) * costs.again;
  for (const [node, units] of exactUnits(graph, spots, costs)) {
    const tally = tallies.get(node);
    if (tally !== undefined) tally.exact += units;
  }
  for (const [node, runs] of lookups) {
    const again = runs - lookupsAlone(graph, node);
    const isRow = costs.step > 1 && rowsFound.has(node);
    tallyOf(node).excess += again * (isRow ? ROW_FOUND : costs.scattered);
    if (isRow) tallyOf(node).exact += again * ROW_FOUND;
  }

  const cutExcess = new Map<number, number>();
  for (const { excess, by } of cuts.values())
    for (const node of by) cutExcess.set(node, (cutExcess.get(node) ?? 0) + excess / by.size);
  const waits = waitingLookups(graph, spots, costs);
  const behind = [
    ...behindFolds(spots, costs),
    ...shortRowsBehind(spots, costs),
    ...crowdedWindows(spots, costs),
    ...rowsUnderFolds(spots, costs),
    ...stagedRows(spots, costs),
    ...separateRows(graph, made, spots, costs),
    ...partsInRows(made, spots, costs),
    ...partsOfParts(spots, costs),
    ...turnedFolds(made, spots, costs),
    ...waits.elements,
    ...(costs.step > 1 ? scatteredWork(spots) : []),
  ];
  const asExact = [
    ...partsInShortScans(made, spots, costs),
    ...lookedUpRows(spots, costs),
    ...lookedUpWindows(graph, spots, costs),
    ...windowsInWindows(graph, spots, costs),
    ...transposedOperands(graph, made, spots, costs),
    ...roundedResults(spots, costs),
  ];
  const compare = (node: number, excess: number, stored: number): void => {
    const comparison = { fused: excess * unitOf(node), stored };
    if (comparison.fused > comparison.stored) found.set(node, comparison);
  };
  for (const [node, excess] of [...scanExcess, ...cutExcess, ...windows, ...behind])
    compare(node, excess, storing(node));
  for (const [node, excess] of asExact) compare(node, excess, keeping(node));
  for (const [node, excess] of waits.rows) compare(node, excess, storing(node, COPIED));
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
  // A node that was stored for a chain, and whose kernel contains the chain again: storing the next link must pay by itself. What a fold
  // takes too is no link: if it is stored, both have it.
  const taken = new Set(
    [...spots.keys()].flatMap((item) =>
      item.kind === "accumulate" ? item.values.map((value) => letOf(value)?.node ?? -1) : [],
    ),
  );
  const coverChain = (from: number): void => {
    for (const links = [from]; links.length > 0; ) {
      const { inputs } = tallies.get(links.pop() as number) ?? { inputs: [] };
      for (const input of inputs) {
        const { readers, excess } = tallyOf(input);
        if (
          covered.has(input) ||
          readers.size !== 1 ||
          taken.has(input) ||
          excess * unitOf(input) > storing(input)
        )
          continue;
        covered.add(input);
        links.push(input);
      }
    }
  };
  for (const { node } of writes) if (unfused.has(node)) coverChain(node);
  const totals = new Map<number, number>();
  const ascending = [...tallies.keys()].sort((a, b) => a - b);
  const isWritten = (node: number): boolean => writes.some((buffer: Buffer) => buffer.node === node);
  for (const node of ascending) {
    const tally = tallies.get(node) as Tally;
    let total = tally.excess;
    const direct = (graph.inputs[node] as readonly number[]).map((input) => sourceOf(graph, input));
    for (const input of tally.inputs) {
      const known = tallies.get(input);
      if (known?.readers.size === 1 && !isWritten(input)) {
        total += totals.get(input) ?? 0;
        tally.exact += known.exact;
        tally.widened += known.widened;
        tally.stepped += known.stepped;
        if (known.runs >= tally.runs) tally.cached += known.cached;
      }
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
    const stores = letOf(item.value)?.node ?? -1;
    const tally = tallies.get(stores);
    const units = placeUnits(item.at, along, costs);
    if (tally === undefined || units === 1) continue;
    const fused = ((units - 1) * runs + tally.excess) * unitOf(stores);
    for (const input of tally.inputs)
      if (tallies.get(input)?.folded && fused > storing(input))
        found.set(input, { fused, stored: storing(input) });
    // Squares of short rows are transposed on the way, in blocks of many rows, unless places take quotients. Of longer ones the fold is
    // stored, though its input is read twice.
    if (along === null) continue;
    const lost = along.extent <= SHORT_ROW ? (totals.get(stores) as number) * unitOf(stores) : fused;
    for (const { definition } of reachedFrom([letOf(item.value) as Let])) {
      if (definition.kind !== "result" || definition.reduction.cells > 1) continue;
      const { node } = definition.reduction;
      const stored = storing(node) + runs * costs.unit;
      if (lost > stored) found.set(node, { fused: lost, stored });
    }
  }
  // What neighbours recompute is limited by each sweep. Compared for each, steps of a long recording would take a sweep each.
  const folds = [...spots.keys()].some(({ kind }) => kind === "accumulate");
  let iterations = 0;
  for (const { runs } of spots.values()) iterations = Math.max(iterations, runs);
  const notable = NOTABLE * iterations * costs.unit;
  for (const node of ascending.reverse()) {
    if (node === made || covered.has(node) || !isComputed(graph.nodes[node] as Node)) continue;
    const tally = tallies.get(node) as Tally;
    const { read, folded, inShortRow } = tally;
    const fused = ((totals.get(node) as number) - read) * unitOf(node);
    const stored = storing(node, (isWritten(node) ? 0.5 : 1) * (folded && !inShortRow ? FOLDED_TWICE : 1));
    // Stored, it is loaded each time.
    const again = folds ? againOf(node, tally) : 0;
    const exact =
      tally.exact +
      (isCached(node) ? tally.widened : 0) +
      (folded ? 0 : tally.stepped) +
      again * (tally.cached - CACHED_UNIT);
    const inCache = { fused: exact * unitOf(node), stored: keeping(node) };
    const comparison = inCache.fused - inCache.stored > notable ? inCache : { fused, stored };
    if (comparison.fused - comparison.stored <= notable) continue;
    found.set(node, comparison);
    cover(node);
  }
  // Where something else is stored, it may be what reads the gather, or leaves little to share.
  if (found.size > 0) return found;
  for (const [node, excess] of loneFolds(spots)) {
    const comparison = { fused: excess * unitOf(node), stored: storing(node) };
    if (node !== made && comparison.fused > comparison.stored) found.set(node, comparison);
  }
  if (found.size > 0) return found;
  for (const [node, excess] of gatheredAside(graph, table, spots, costs)) {
    const comparison = { fused: excess * unitOf(node), stored: storing(node, COPIED) };
    if (node !== made && comparison.fused > comparison.stored) found.set(node, comparison);
  }
  return found;
}

/**
 * True of what is folded in order along memory, though its own neighbours lie along another axis: stored, columns of it are folded, in lanes.
 */
function hasColumns(item: Let, { along }: Spot, costs: Costs, graph: Graph): boolean {
  if (!item.block.items.some((each) => foldsInOrder(each) && readsOf(each).includes(item))) return false;
  const { shape } = graph.nodes[item.node] as Node;
  return (storedUnits(item.definition, shape, along, costs) ?? 1) > 1;
}

/** Units of recomputation that loads and stores hide. */
const HIDDEN = 2;

/** Units that an element takes longer which a function folds, where it is one of the only running value, as in front of a sort. */
const CALLED_ALONE = 300;

/** Units that a running value takes longer by itself than in a row of them. */
const IN_LANES = 5;

/** True where such a scan would have a row of running values in a kernel of its own. */
function isCalledAlone({ reduction: { fn, loop, cells, node } }: Accumulate, graph: Graph): boolean {
  if (fn !== "logaddexp" || loop.role !== "scan" || cells > 1) return false;
  const { shape, attributes } = graph.nodes[node] as ScanNode;
  return elementCount(shape.slice(attributes.axis + 1)) >= SHORTEST_ROW;
}

/** Units of an element that is folded in the loop of a scan, one by one; and of one that is looked up there, or placed. */
const [FOLDED_ALONE, LOOKED_UP] = [5, 20];

/** Elements of a fold up to which the order of the rows around it matters. */
const SHORT_FOLD = 64;

/** A kernel is split only for at least this share of the least time that its longest loop takes. */
const NOTABLE = 0.01;

/** A chain on both sides of a fold runs in few loops. It is split only where storing saves this many times as much. */
const FOLDED_TWICE = 12;

const isComputed = ({ op }: Node): boolean =>
  op === "pointwise" || op === "pad" || op === "concat" || op === "gather";

/**
 * Which nodes a finished schedule computes where that costs more than storing them. The loops that a node ends up in are known
 * only when everything else has been placed: whether they are walked in steps, how long they are, how memory lies along them,
 * and whether a product in them has tiles.
 */
import { dtypes, elementCount, isFloat, type Node, pointwiseOps } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { type Axis, type Index, shareOf, widthOf } from "../layout/index-expression.ts";
import type { Comparison, Costs } from "./cost.ts";
import type { Accumulate, Block, Buffer, Guard, Item, Kernel, Let, Loop, Reduction, Value } from "./tree.ts";

/** How the emitter makes a product: in tiles, by streaming past a single row or column, or element by element. */
export type ProductForm = "tiles" | "stream" | "apart";

/** Where an item stands. */
interface Spot {
  /** How often it runs, and how much slower than in a loop over memory. */
  readonly runs: number;
  readonly slow: number;
  /** The axis that its loop steps along. */
  readonly along: Axis | null;
  /** The scan in whose loop it stands. */
  readonly scan: Loop | null;
}

/** What one node takes in a kernel, in units. */
interface Tally {
  /** More than as many elements would take in a kernel of its own. What is computed again is the sweep's business. */
  excess: number;
  /** What reading it from memory at the same places would take more than in their order. */
  read: number;
  /** It reads the result of a fold that is made in the kernel too: stored, both would read all inputs again. */
  folded: boolean;
  /** It is made again for each of these nodes; of one alone, storing that one stores it too. */
  readonly readers: Set<number>;
  readonly inputs: Set<number>;
}

export function audit(
  graph: Graph,
  { root, writes }: Kernel,
  costs: Costs,
  formOf: (reduction: Reduction) => ProductForm,
): Map<number, Comparison> {
  const spots = new Map<Item, Spot>();
  visitBlock(root, null, { runs: 1, slow: 1, along: null, scan: null }, costs, spots);
  const found = new Map<number, Comparison>();
  const storing = (node: number, bytes = 1): number => {
    const { shape, dtype } = graph.nodes[node] as Node;
    return elementCount(shape) * dtypes[dtype].bytes * costs.byte * bytes + costs.kernel;
  };

  for (const [item, spot] of spots) {
    if (item.kind !== "accumulate" || item.reduction.fn !== "dot") continue;
    const { node } = item.reduction;
    const { shape, inputs } = graph.nodes[node] as Node;
    const form = formOf(item.reduction);
    if (form !== "apart") {
      respot(graph, item, form, costs, spots);
      continue;
    }
    const depth = inputs[0]?.shape.at(-1) as number;
    const fused = spot.runs * costs.productApart;
    const stored = elementCount(shape) * depth * costs.product + storing(node);
    if (fused > stored) found.set(node, { fused, stored });
  }

  const tallies = new Map<number, Tally>();
  const tallyOf = (node: number): Tally => {
    let tally = tallies.get(node);
    if (tally === undefined) {
      tally = { excess: 0, read: 0, folded: false, readers: new Set(), inputs: new Set() };
      tallies.set(node, tally);
    }
    return tally;
  };
  const behindScan = scanReaders(spots);
  const scanExcess = new Map<number, number>();
  const lookups = new Map<number, number>();
  for (const [item, spot] of spots) {
    if (item.kind === "lookup" && item.gather !== null) {
      lookups.set(item.gather, (lookups.get(item.gather) ?? 0) + spot.runs);
    }
    if (item.kind !== "let") continue;
    const units = unitsOf(item, spot, costs);
    if (units === null) continue;
    const scan = behindScan.get(item);
    if (scan !== undefined) {
      scanExcess.set(scan, (scanExcess.get(scan) ?? 0) + units.here * spot.runs * (spot.slow - 1));
      continue;
    }
    const tally = tallyOf(item.node);
    tally.excess += (units.here * spot.slow - units.alone) * spot.runs;
    tally.read = Math.max(tally.read, (units.load * spot.slow - 1) * spot.runs);
    if (units.folded) tally.folded = true;
    for (const input of units.inputs) {
      tally.inputs.add(input);
      tallyOf(input).readers.add(item.node);
    }
  }
  for (const [node, runs] of lookups)
    tallyOf(node).excess += (runs - elementCount((graph.nodes[node] as Node).shape)) * costs.scattered;

  for (const [node, excess] of scanExcess) {
    const comparison = { fused: excess * costs.unit, stored: storing(node) };
    if (comparison.fused > comparison.stored) found.set(node, comparison);
  }
  // What is stored with a reader is not looked at by itself.
  const covered = new Set<number>();
  const cover = (node: number): void => {
    if (covered.has(node)) return;
    covered.add(node);
    for (const input of tallies.get(node)?.inputs ?? []) cover(input);
  };
  const totals = new Map<number, number>();
  const ascending = [...tallies.keys()].sort((a, b) => a - b);
  for (const node of ascending) {
    const tally = tallies.get(node) as Tally;
    let total = tally.excess;
    for (const input of tally.inputs) {
      const known = tallies.get(input);
      if (known?.readers.size === 1) total += totals.get(input) ?? 0;
      tally.read = Math.max(tally.read, known?.read ?? 0);
      if (known?.folded) tally.folded = true;
    }
    totals.set(node, total);
  }
  const made = writes[0]?.node;
  let iterations = 0;
  for (const { runs } of spots.values()) iterations = Math.max(iterations, runs);
  const notable = NOTABLE * iterations * costs.unit;
  for (const node of ascending.reverse()) {
    if (node === made || covered.has(node) || !isComputed(graph.nodes[node] as Node)) continue;
    const isStored = writes.some((buffer: Buffer) => buffer.node === node);
    const { read, folded } = tallies.get(node) as Tally;
    const fused = ((totals.get(node) as number) - read) * costs.unit;
    const stored = storing(node, (isStored ? 0.5 : 1) * (folded ? FOLDED_TWICE : 1));
    if (fused - stored <= notable) continue;
    found.set(node, { fused, stored });
    cover(node);
  }
  return found;
}

/** A kernel is not cut for less than this share of the least that its longest loop takes. */
const NOTABLE = 0.01;

/** What lies on both sides of a fold is kept in few loops as it is: how many times as much storing must save there. */
const FOLDED_TWICE = 12;

const isComputed = ({ op }: Node): boolean =>
  op === "pointwise" || op === "pad" || op === "concat" || op === "gather";

function visitBlock(block: Block, loop: Loop | null, spot: Spot, costs: Costs, spots: Map<Item, Spot>): void {
  for (const item of block.items) {
    if (item.kind !== "loop") {
      spots.set(item, spot);
      continue;
    }
    const runs = item.axes.reduce(
      // Panels have been cut: within one, the extent is its width.
      (count, { extent, panel }) => count * shareOf({ size: panel?.size ?? extent, panel }),
      spot.runs,
    );
    const along = item.axes.at(-1) ?? null;
    const scan = item.role === "scan" ? item : spot.scan;
    visitBlock(item.body, item, { runs, slow: slowness(item, loop, costs), along, scan }, costs, spots);
  }
}

/** How much slower than in a long loop over memory elements are computed in the body of a loop. */
function slowness({ role, axes, body }: Loop, around: Loop | null, costs: Costs): number {
  if (role === "scan") return costs.serial;
  // What stands beside loops is computed once for all that they do.
  if (body.items.some(({ kind }) => kind === "loop")) return 1;
  if (body.items.some(foldsInOrder)) return costs.serial;
  const { extent, panel } = axes.at(-1) as Axis;
  const length = widthOf({ size: extent, panel });
  const isShort = axes.length === 1 && length <= costs.step && around !== null;
  // Sums of a short row that is stored meanwhile are made one by one.
  if (isShort && role === "reduce" && body.items.some(({ kind }) => kind === "store"))
    return costs.step * costs.shortStep;
  const steps = isShort ? costs.unrolled : stepsOf(length, costs);
  const joins = body.items.some(
    (item) => item.kind === "accumulate" && item.reduction.cells > 1 && item.reduction.loop.role === "reduce",
  );
  return steps * (joins ? costs.beside : 1);
}

/** A sum of floats along any axis but the last is made in order, in a single place. */
const foldsInOrder = (item: Item): boolean =>
  item.kind === "accumulate" &&
  item.reduction.cells === 1 &&
  item.reduction.lanes === 1 &&
  (item.reduction.fn === "sum" || item.reduction.fn === "prod") &&
  isFloat(item.reduction.from);

/** What is so little slower is not worth a kernel. */
const NEARLY_WHOLE = 1.15;

/** What the steps of a loop cost, against steps that are all whole. */
function stepsOf(length: number, { step, shortStep }: Costs): number {
  const rest = length % step;
  const short = Math.floor(rest / 4) + (rest % 4);
  const slow = ((Math.floor(length / step) + short * shortStep) * step) / length;
  return step === 1 || slow < NEARLY_WHOLE ? 1 : slow;
}

/** What the operands of a product are made of is computed once for each element of theirs, not for each multiplication. */
function respot(
  graph: Graph,
  { reduction, values }: Accumulate,
  form: ProductForm,
  costs: Costs,
  spots: Map<Item, Spot>,
): void {
  const { inputs } = graph.nodes[reduction.node] as Node;
  const { axes } = reduction.loop;
  values.forEach((value, k) => {
    const along = axes[0] as Axis;
    const runs = elementCount((inputs[k] as Node).shape);
    const slow = form === "stream" ? costs.serial : stepsOf(along.extent, costs);
    const seen = new Set<Item>();
    const visit = (item: Let): void => {
      const known = spots.get(item);
      if (seen.has(item) || known === undefined) return;
      seen.add(item);
      // What stands outside of the loops of the product is where it is.
      if (!isInside(item.block, reduction.loop)) return;
      spots.set(item, { runs, slow, along: known.along === along ? along : known.along, scan: null });
      for (const read of letsOf(item)) visit(read);
    };
    const root = letOf(value);
    if (root !== null) visit(root);
  });
}

function isInside(block: Block, loop: Loop): boolean {
  for (let around = block.loop; around !== null; around = around.block.loop) if (around === loop) return true;
  return false;
}

/** The `let` that a value turned out to be. */
function letOf(value: Value): Let | null {
  let { place } = value;
  while (place?.kind === "same") place = place.as.place;
  return place?.kind === "let" ? place.item : null;
}

const letsOf = ({ definition }: Let): Let[] => {
  const values =
    definition.kind === "pointwise"
      ? definition.args
      : definition.kind === "select"
        ? [...definition.cases.map(({ value }) => value), definition.otherwise]
        : [];
  return values.map(letOf).filter((item) => item !== null);
};

/** By item, the scan whose loop it stands in and whose result it reads. */
function scanReaders(spots: ReadonlyMap<Item, Spot>): Map<Item, number> {
  const known = new Map<Item, number | null>();
  const scanOf = (item: Let): number | null => {
    const found = known.get(item);
    if (found !== undefined) return found;
    known.set(item, null);
    const { definition } = item;
    let scan: number | null = null;
    const loop = spots.get(item)?.scan ?? null;
    if (loop !== null && definition.kind === "result" && definition.reduction.loop === loop)
      scan = definition.reduction.node;
    for (const read of letsOf(item)) scan ??= scanOf(read);
    known.set(item, scan);
    return scan;
  };
  const readers = new Map<Item, number>();
  for (const [item, spot] of spots) {
    if (item.kind !== "let" || spot.scan === null) continue;
    const scan = scanOf(item);
    if (scan !== null) readers.set(item, scan);
  }
  return readers;
}

interface Units {
  /** What it costs where it stands, and in a loop over memory. */
  readonly here: number;
  readonly alone: number;
  /** The dearest of its loads. */
  readonly load: number;
  /** The nodes that it reads and that are computed in the kernel too. */
  readonly inputs: readonly number[];
  /** It reads the result of a fold. */
  readonly folded: boolean;
}

/** Null for what is no work of a node's own: loads, results. */
function unitsOf(item: Let, { along }: Spot, costs: Costs): Units | null {
  const { definition } = item;
  if (definition.kind !== "pointwise" && definition.kind !== "select") return null;
  const own =
    definition.kind === "pointwise" ? (costs.ops[definition.fn] ?? pointwiseOps[definition.fn].cost) : 1;
  let here = own;
  let alone = own;
  const inputs: number[] = [];
  let folded = false;
  let load = 1;
  if (definition.kind === "select")
    for (const { guards } of definition.cases) here += testUnits(guards, along, costs);
  for (const read of letsOf(item)) {
    if (read.definition.kind === "load") {
      const units = loadUnits(read.definition.at, along, costs);
      here += units;
      load = Math.max(load, units);
      alone++;
    } else if (read.definition.kind === "result") folded = true;
    else inputs.push(read.node);
  }
  return { here, alone, load, inputs, folded };
}

/** A test along a plain axis cuts its loop; any other is asked for each element. */
const testUnits = (guards: readonly Guard[], along: Axis | null, costs: Costs): number =>
  guards.reduce((sum, { at }) => sum + (changesPlainly(at, along) ? 0 : costs.test), 0);

const changesPlainly = ({ terms }: Index, along: Axis | null): boolean =>
  terms.every(({ atom }) => {
    if (atom.kind === "axis" || atom.kind === "bound") return true;
    return atom.kind !== "indirect" && !dependsOn(atom.of, along);
  });

const dependsOn = ({ axes }: Index, axis: Axis | null): boolean => axis !== null && axes.includes(axis);

function loadUnits(at: Index, along: Axis | null, costs: Costs): number {
  if (along === null || !dependsOn(at, along)) return 1;
  if (!changesPlainly(at, along) || at.indirect.length > 0) return costs.scattered;
  const stride = at.terms.find(({ atom }) => atom === along)?.coefficient ?? 0;
  return Math.abs(stride) <= 1 ? 1 : costs.apart;
}

/** What the rules of an audit read, and what they give. */
import { dtypes, elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { IndexTable } from "../indexing/index-expression.ts";
import type { Costs } from "../schedule/cost.ts";
import { CACHED } from "../schedule/rows.ts";
import type { Buffer, Item, Kernel, Let, Loop } from "../schedule/tree.ts";
import { scanReaders, scansIn } from "./scans.ts";
import type { Spot } from "./spots.ts";
import { type Units, unitsOf, WORD } from "./units.ts";

/** By node: how many units more it costs where it is computed than in a kernel of its own. */
export class Excess extends Map<number, number> {
  add(node: number, units: number): void {
    this.set(node, (this.get(node) ?? 0) + units);
  }
}

/** One way in which values cost more where they were placed. */
export type Rule = (audited: Audited) => Excess;

/** A kernel, and what it costs. */
export interface Audited {
  readonly graph: Graph;
  readonly table: IndexTable;
  readonly costs: Costs;
  readonly prices: Prices;
  /** The spot of each item; of what a product's loops compute, as those take it. */
  readonly spots: ReadonlyMap<Item, Spot>;
  readonly writes: readonly Buffer[];
  /** The node that the kernel is made for: it stays, whatever it costs. */
  readonly made: number | undefined;
  /** What values cost where they are computed; without those that do no work of a node's own. */
  readonly units: ReadonlyMap<Let, Units>;
  /** By loop, the scan that it is the loop of. */
  readonly scans: ReadonlyMap<Loop, number>;
  /** By item, the scan in whose loop it stands and whose result it reads. */
  readonly behindScan: ReadonlyMap<Item, number>;
}

export function auditedOf(
  graph: Graph,
  table: IndexTable,
  { writes }: Kernel,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
  prices: Prices,
): Audited {
  const units = new Map<Let, Units>();
  for (const [item, spot] of spots) {
    if (item.kind !== "let") continue;
    const found = unitsOf(item, spot, costs, (graph.nodes[item.node] as Node).shape, table);
    if (found !== null) units.set(item, found);
  }
  const made = writes[0]?.node;
  const [scans, behindScan] = [scansIn(spots), scanReaders(spots)];
  return { graph, table, costs, prices, spots, writes, made, units, scans, behindScan };
}

/** The scan that goes if a value in its loop costs too much: what the kernel is made for stays, and the scan came along with it. */
export function scanOf(item: Let, { spots, made, scans, behindScan }: Audited): number | undefined {
  const loop = (spots.get(item) as Spot).scan;
  return behindScan.get(item) ?? (item.node === made && loop !== null ? scans.get(loop) : undefined);
}

/** Nanoseconds of units, and of storing. */
export class Prices {
  readonly #graph: Graph;
  readonly #costs: Costs;

  constructor(graph: Graph, costs: Costs) {
    this.#graph = graph;
    this.#costs = costs;
  }

  /** Of one unit: elements of eight bytes have half the lanes. */
  unitOf(node: number): number {
    const { unit, step } = this.#costs;
    return step > 1 && dtypes[this.#node(node).dtype].bytes > WORD ? 2 * unit : unit;
  }

  /** Of storing a node, where `part` of its bytes counts. */
  storing(node: number, part = 1): number {
    const { shape, dtype } = this.#node(node);
    return elementCount(shape) * dtypes[dtype].bytes * this.#costs.byte * part + this.#costs.kernel;
  }

  /** The same, less where it is read again while it is in a cache. It is compared with exact costs only: others are too high for it. */
  keeping(node: number): number {
    return this.storing(node, this.isCached(node) ? this.#costs.cachedByte / this.#costs.byte : 1);
  }

  isCached(node: number): boolean {
    return elementCount(this.#node(node).shape) <= CACHED;
  }

  #node(node: number): Node {
    return this.#graph.nodes[node] as Node;
  }
}

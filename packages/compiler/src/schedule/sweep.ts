/** The state of one sweep over a graph, and the functions that record uses and add items to a kernel. */
import { type DType, mix, type Node } from "@fuseau/ir";
import type { Decide } from "../decisions.ts";
import { type Condition, type Graph, storedAs } from "../graph.ts";
import {
  type Axis,
  type Extent,
  type Index,
  IndexTable,
  type Indirect,
  plainAxis,
} from "../indexing/index-expression.ts";
import { rowMajorStrides } from "../indexing/strides.ts";
import type { Comparison } from "./cost.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import type { Limits } from "./limits.ts";
import { isMovement, moveIndex } from "./movement.ts";
import {
  type Block,
  type Buffer,
  type Definition,
  type Guard,
  type Item,
  type Kernel,
  type Let,
  type Lookup,
  type Loop,
  link,
  type Nest,
  type NotFused,
  type NotFusedReason,
  type Store,
  type Value,
} from "./tree.ts";

export interface Sweep {
  readonly graph: Graph;
  readonly facts: readonly Facts[];
  readonly limits: Limits;
  /** Nodes for which the audit found that storing them costs less. */
  readonly unfused: ReadonlyMap<number, Comparison>;
  /**
   * Nodes that an earlier sweep has stored, for the reason given, though boxes or the order of loops of their readers were chosen as if they
   * were computed there.
   */
  readonly kept: ReadonlyMap<number, NotFused>;
  /** Nodes that are stored before what they read is overwritten through a window. */
  readonly apart: ReadonlySet<number>;
  /** Nodes that boxes or an order of loops were chosen for as if they were computed there. */
  readonly thoughtComputed: Set<number>;
  /** Receives each decision that depends on costs; its answer is the one that counts. */
  readonly decide: Decide;
  /** False on the eager path: every computed node gets a kernel and a buffer of its own. */
  readonly fuse: boolean;
  readonly table: IndexTable;
  readonly wanted: ReadonlySet<number>;
  /** values[node] are the uses of a node, complete when the sweep reaches it. */
  readonly values: Value[][];
  readonly buffers: Map<number, Buffer>;
  readonly kernels: Kernel[];
  readonly notFused: NotFused[];
  /** Where what is read of a pad, or of what is joined, lies (`Graph.conditions`). */
  readonly conditions: Condition[];
  /** The lookup of each index that is read from data. */
  readonly lookups: Map<Indirect, Lookup>;
  /** By the position of an argsort: the elements in that order, which the argsort's kernel stores too. */
  readonly sorted: Map<number, { readonly buffer: Buffer; readonly readers: readonly Value[] }>;
  /** Products that are stored with their axes turned, by a movement. */
  readonly turned: Set<number>;
  /** What is reduced by anything but a sum or a product of its elements. */
  readonly foldedOtherwise: ReadonlySet<number>;
  /** By node: how many nodes read it. */
  readonly readers: Uint32Array;
}

export function beginSweep(
  graph: Graph,
  limits: Limits,
  fuse: boolean,
  unfused: ReadonlyMap<number, Comparison>,
  kept: ReadonlyMap<number, NotFused>,
  apart: ReadonlySet<number>,
  stored: ReadonlySet<number>,
  decide: Decide,
): Sweep {
  const readers = new Uint32Array(graph.nodes.length);
  for (const inputs of graph.inputs) for (const input of new Set(inputs)) readers[input]!++;
  return {
    graph,
    readers,
    facts: gatherFacts(graph, stored, 0, { unfused, kept }),
    limits,
    decide,
    fuse,
    unfused,
    kept,
    apart,
    thoughtComputed: new Set(),
    table: new IndexTable(),
    wanted: new Set(graph.outputs.map((output) => storedAs(graph, output))),
    values: graph.nodes.map(() => []),
    buffers: new Map(),
    kernels: [],
    notFused: [],
    conditions: [],
    lookups: new Map(),
    sorted: new Map(),
    turned: new Set(),
    foldedOtherwise: new Set(
      graph.inputs.flatMap((inputs, k) => {
        const node = graph.nodes[k] as Node;
        return node.op === "reduce" && !isSum(node) ? inputs : [];
      }),
    ),
  };
}

export const isSum = ({ attributes }: Node): boolean =>
  attributes !== null && "fn" in attributes && (attributes.fn === "sum" || attributes.fn === "prod");

export const nodeAt = (sweep: Sweep, position: number): Node => sweep.graph.nodes[position] as Node;
export const factsAt = (sweep: Sweep, position: number): Facts => sweep.facts[position] as Facts;
export const inputsAt = (sweep: Sweep, position: number): readonly number[] =>
  sweep.graph.inputs[position] as readonly number[];

/** Records a use of a node's element at an index within a kernel. Equal uses are one value. */
export function addUse(
  sweep: Sweep,
  kernel: Kernel,
  node: number,
  index: readonly Index[],
  guards: readonly Guard[],
  users: readonly Item[],
): Value {
  let hash = node;
  for (const part of index) hash = mix(hash, part.id);
  for (const guard of guards) hash = mix(mix(mix(hash, guard.at.id), guard.low), guard.high);
  const known = kernel.values.get(hash);
  let value = known?.find((one) => one.node === node && isAt(one, index, guards));
  if (value === undefined) {
    value = { kernel, node, index, guards, users: [], place: null };
    if (known === undefined) kernel.values.set(hash, [value]);
    else known.push(value);
    (sweep.values[node] as Value[]).push(value);
    const { source } = factsAt(sweep, node);
    if (isStream(sweep, kernel, source)) kernel.streams.add(source);
  }
  value.users.push(...users);
  return value;
}

function isAt(value: Value, index: readonly Index[], guards: readonly Guard[]): boolean {
  for (let k = 0; k < index.length; k++) if (value.index[k] !== index[k]) return false;
  return (
    value.guards.length === guards.length &&
    value.guards.every(
      ({ at, low, high }, k) => at === guards[k]?.at && low === guards[k].low && high === guards[k].high,
    )
  );
}

/** True when reading the node takes about as much memory traffic as the kernel's largest input. */
export function isStream(sweep: Sweep, kernel: Kernel, node: number): boolean {
  const { work, reads } = factsAt(sweep, node);
  return reads && sweep.decide(work > 1 && work * 2 >= kernel.size);
}

/** The axes that a value depends on. */
export function axesOf(index: readonly Index[], guards: readonly Guard[]): Set<Axis> {
  const axes = new Set<Axis>();
  for (const part of index) for (const axis of part.axes) axes.add(axis);
  for (const guard of guards) for (const axis of guard.at.axes) axes.add(axis);
  return axes;
}

/** The outermost block between `within` and `block` in which all of `axes` are known. */
export function hoist(block: Block, axes: ReadonlySet<Axis>, within?: Block): Block {
  let home = block;
  while (home !== within && home.loop !== null && !home.loop.axes.some((axis) => axes.has(axis)))
    home = home.loop.block;
  return home;
}

/** A fresh loop in `block`, with an empty body. */
export function addLoop(block: Block, role: Loop["role"], axes: readonly Axis[], ordered = false): Loop {
  const body: Block = { loop: null, depth: block.depth + 1, items: [] };
  const loop: Loop = { kind: "loop", block, needs: new Set(), role, ordered, axes, nests: [], body };
  body.loop = loop;
  block.items.push(loop);
  return loop;
}

/** Nested parallel loops over the extents; axes of size 1 get no loop. Gives the innermost block and the index. */
export function addNest(sweep: Sweep, block: Block, extents: readonly Extent[], ordered = false): Nest {
  let innermost = block;
  const index = extents.map(({ size, strip }) => {
    const axis = sweep.table.axis(size, strip);
    if (size !== 1) innermost = addLoop(innermost, "parallel", [axis], ordered).body;
    return sweep.table.of(axis);
  });
  return { extents, block: innermost, index };
}

/** Puts a `let` for the value into `block`, in front of everything that uses it. */
export function addLet(
  sweep: Sweep,
  value: Value,
  block: Block,
  definition: Definition,
  dtype: DType = nodeAt(sweep, value.node).dtype,
): Let {
  const item: Let = { kind: "let", block, needs: new Set(), dtype, node: value.node, definition };
  block.items.push(item);
  value.place = { kind: "let", item };
  for (const user of value.users) link(user, item);
  linkLookups(sweep, item, [...value.index, ...value.guards.map(({ at }) => at)]);
  return item;
}

/** Orders the item after the lookups that its indexes depend on. */
export function linkLookups(sweep: Sweep, item: Item, indexes: readonly Index[]): void {
  for (const index of indexes) {
    for (const atom of index.indirect) link(item, sweep.lookups.get(atom) as Lookup);
  }
}

/** Puts a store of `node` at `index` into `block`, and records the use of the value. */
export function addStore(
  sweep: Sweep,
  kernel: Kernel,
  block: Block,
  buffer: Buffer,
  at: Index,
  index: readonly Index[],
  node: number = buffer.node,
  combine: Store["combine"] = "set",
): Store {
  const value = addUse(sweep, kernel, node, index, [], []);
  const item: Store = { kind: "store", block, needs: new Set(), buffer, at, value, combine, holds: false };
  block.items.push(item);
  if (buffer.role !== "scratch") kernel.stores.push(item);
  linkLookups(sweep, item, [at]);
  value.users.push(item);
  return item;
}

/** The node that a lookup reads, and the axis and the number of places that its result is an index of. */
interface LookedUp {
  readonly node: number;
  readonly index: readonly Index[];
  readonly guards: readonly Guard[];
  readonly size: number;
  readonly axis: number;
  readonly gather: number | null;
}

/** Reads an index from data in `block`, and checks it. In index expressions the item's atom stands for it. */
export function addLookup(sweep: Sweep, kernel: Kernel, block: Block, wanted: LookedUp): Lookup {
  const { node, index, guards, size, axis, gather } = wanted;
  const { dtype, shape } = nodeAt(sweep, node);
  const atom = sweep.table.indirect(size, [...axesOf(index, guards)]);
  const place = offsetIn(sweep, shape, index);
  const value = addUse(sweep, kernel, node, index, guards, []);
  const item: Lookup = {
    kind: "lookup",
    block,
    needs: new Set(),
    atom,
    value,
    dtype,
    size,
    axis,
    gather,
    place,
  };
  block.items.push(item);
  sweep.lookups.set(atom, item);
  linkLookups(sweep, item, index);
  value.users.push(item);
  return item;
}

/** The source of a chain of movements: the node beneath it, and the index into that node. */
export function beneathMovements(
  sweep: Sweep,
  node: number,
  index: readonly Index[],
): { node: number; index: readonly Index[] } {
  let [source, at] = [node, index];
  for (let moved = nodeAt(sweep, source); isMovement(moved); moved = nodeAt(sweep, source)) {
    at = moveIndex(sweep.table, moved, at);
    source = inputsAt(sweep, source)[0] as number;
  }
  return { node: source, index: at };
}

/** The position of an index in a row-major buffer of the node's shape. */
export const offsetIn = (sweep: Sweep, shape: readonly number[], index: readonly Index[]): Index =>
  sweep.table.dot(index, rowMajorStrides(shape));

/** True of an index whose parts are different whole axes: loops over those visit every place of the shape exactly once. */
export function isBijection(shape: readonly number[], index: readonly Index[]): boolean {
  const seen = new Set<Axis>();
  for (let k = 0; k < shape.length; k++) {
    if (shape[k] === 1) continue;
    const axis = plainAxis(index[k] as Index);
    if (axis === undefined || axis.extent !== shape[k] || seen.has(axis)) return false;
    seen.add(axis);
  }
  return true;
}

export function explainNotFused(
  sweep: Sweep,
  producer: number,
  reason: NotFusedReason,
  measured: number,
  limit: number,
): void {
  sweep.notFused.push({ producer, reason, measured, limit });
}

/**
 * Which values share a kernel. One sweep goes from results to inputs, so all uses of a node are known when it is reached. The node is
 * then either computed where it is used or given a buffer, and its own inputs get uses. docs/schedule.md gives the reasons.
 */
import {
  type ConcatNode,
  type DType,
  elementCount,
  type GatherNode,
  InternalError,
  type Node,
  type PadNode,
} from "@fuseau/ir";
import { asFound, type Decide } from "../decisions.ts";
import { endsIn, type Graph, inputPositions } from "../graph.ts";
import type { Comparison } from "./cost.ts";
import { type Facts, isInOrder, mayFail } from "./facts.ts";
import { failingFirst } from "./failing.ts";
import { placeFold } from "./fold.ts";
import { blockedUpdates, writeInPlace, writersLast } from "./in-place.ts";
import { bufferFor, isPaddedFactor, materialise, materialiseSink, materialiseSort } from "./kernels.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { broadcastIndex, isMovement, moveIndex, sourceOf } from "./movement.ts";
import { orderItems } from "./order.ts";
import { placeScan } from "./scan.ts";
import { isSink } from "./sinks.ts";
import { orderOfSorted } from "./sorts.ts";
import { fillScratch, findHome } from "./stage.ts";
import {
  addLet,
  addLookup,
  addUse,
  axesOf,
  beginSweep,
  beneathMovements,
  explainNotFused,
  factsAt,
  hoist,
  inputsAt,
  nodeAt,
  offsetIn,
  type Sweep,
} from "./sweep.ts";
import {
  type Buffer,
  type Case,
  commonBlock,
  type Definition,
  evaluations,
  type Guard,
  type Kernel,
  link,
  type NotFused,
  type NotFusedReason,
  type Schedule,
  type Value,
} from "./tree.ts";
import { DEEPEST_INDEX, depthOf, isTooDeep, turnsProduct, whyStored } from "./why-stored.ts";

/** The sweeps after which more may be stored for boxes and orders of loops: a long recording would take one for each of its steps. */
const MORE_ROUNDS = 2;

/** What sweeps found about the order of loops, and a later sweep begins with. */
export interface Found {
  /** Nodes that a loop's order was made for, and that were not computed in it. */
  readonly kept: Map<number, NotFused>;
  /** Nodes that were stored, and thought to lie in memory as their inputs do. */
  readonly across: Set<number>;
  /** Nodes that are stored before what they read is overwritten through a window. */
  readonly apart: Set<number>;
}

export const nothingFound = (): Found => ({ kept: new Map(), across: new Set(), apart: new Set() });

interface ScheduleOptions {
  readonly limits?: Limits;
  /** False where every node has a kernel of its own. */
  readonly fuse?: boolean;
  /** Inputs, counted among the graph's, whose memory the caller gives up. */
  readonly donated?: readonly number[] | undefined;
  /** Nodes that have kernels of their own. */
  readonly unfused?: ReadonlyMap<number, Comparison>;
  readonly decide?: Decide;
  /** What the sweeps begin with; what they find is added to it. */
  readonly found?: Found;
  /** False to stop after one sweep. */
  readonly settles?: boolean;
}

export function schedule(
  graph: Graph,
  {
    limits = defaultLimits,
    fuse = true,
    donated = [],
    unfused = new Map(),
    decide = asFound,
    found = nothingFound(),
    settles = true,
  }: ScheduleOptions = {},
): Schedule {
  const { kept, across, apart } = found;
  const computed = [...graph.nodes.keys()].filter((node) => !isMovement(graph.nodes[node] as Node));
  const stored = new Set([...(fuse ? unfused.keys() : computed), ...across]);
  const given = inputPositions(graph);
  const free = new Set(donated.map((input) => given[input] as number));
  for (let round = 0; ; round++) {
    const sweep = beginSweep(graph, limits, fuse, unfused, kept, apart, stored, decide);
    for (let node = graph.nodes.length - 1; node >= 0; node--) visit(sweep, node);
    const others = thoughtAcross(sweep, stored);
    const leaves = (round < MORE_ROUNDS ? sweep.notFused : []).filter(
      ({ producer }) => sweep.thoughtComputed.has(producer) && !kept.has(producer),
    );
    const early = fuse ? readEarly(sweep, free).filter((node) => !apart.has(node)) : [];
    const isSettled = others.length === 0 && leaves.length === 0 && early.length === 0;
    if (isSettled) return finished(sweep, free, true);
    for (const node of early) apart.add(node);
    for (const node of others) {
      stored.add(node);
      across.add(node);
    }
    for (const leaf of leaves) kept.set(leaf.producer, leaf);
    if (!settles) return finished(sweep, free, false);
  }
}

/**
 * The nodes that the sweep has stored, and that were thought to lie in memory as their inputs do: loops over them may have a wrong order.
 * Readers look through movements.
 */
function thoughtAcross({ buffers, graph, facts, decide }: Sweep, stored: ReadonlySet<number>): number[] {
  const isThought = (node: number): boolean => {
    const known = graph.nodes[node] as Node;
    if (stored.has(node) || isMovement(known) || known.op === "input") return false;
    return decide(!isInOrder(facts[node] as Facts, known.shape));
  };
  return [...buffers.keys()].filter(isThought);
}

/** With at most this part of the elements, what is written is stored rather than the base copied. */
const WINDOW = 1 / 4;

/** What updates write, where that keeps them from being in place, and is little beside a copy of the base. */
function readEarly(sweep: Sweep, given: ReadonlySet<number>): number[] {
  const isFree = (buffer: Buffer): boolean =>
    buffer.role === "intermediate" || isGivenUp(sweep, given, buffer);
  return blockedUpdates(sweep.kernels, isFree).flatMap((update) => {
    const [, value] = inputsAt(sweep, update) as [number, number];
    const size = (node: number): number => elementCount(nodeAt(sweep, node).shape);
    if (nodeAt(sweep, update).op !== "update" || !sweep.decide(size(value) <= size(update) * WINDOW))
      return [];
    const source = sourceOf(sweep.graph, value);
    // A part of the base itself is stored as it is moved.
    return [isSink(nodeAt(sweep, source)) || nodeAt(sweep, source).op === "input" ? value : source];
  });
}

/** `given` are the inputs whose memory the caller gives up; one that is a result too stays. */
const isGivenUp = ({ wanted }: Sweep, given: ReadonlySet<number>, { role, node }: Buffer): boolean =>
  role === "input" && !wanted.has(node) && given.has(node);

function finished(sweep: Sweep, given: ReadonlySet<number>, isSettled: boolean): Schedule {
  const { graph, fuse } = sweep;
  // Ranks fall along every edge from a kernel to its readers, so descending ranks are an order of execution.
  const ranked = [...sweep.kernels].sort((a, b) => b.rank - a.rank);
  const { kernels: early, safe } = failingFirst(graph, ranked);
  const buffers = [...sweep.buffers.values()];
  const free = new Set(buffers.filter((buffer) => isGivenUp(sweep, given, buffer)));
  const kernels = fuse ? writersLast(early, free, safe) : early;
  // The eager path stores the result of every op.
  const inPlace = fuse ? writeInPlace(kernels, free, safe) : new Map<Buffer, Buffer>();
  for (const kernel of kernels) orderItems(kernel.root);
  const { notFused, conditions, table } = sweep;
  return { kernels, safe, buffers, donated: free, inPlace, notFused, conditions, table, isSettled };
}

function visit(sweep: Sweep, position: number): void {
  const values = sweep.values[position] as Value[];
  const wanted = sweep.wanted.has(position);
  if (values.length === 0 && !wanted && !sweep.sorted.has(position)) return;
  const node = nodeAt(sweep, position);
  if (factsAt(sweep, position).size === 0) visitEmpty(sweep, position, values, wanted);
  else if (node.op === "input") visitInput(sweep, position, values);
  else if (isSink(node)) visitSink(sweep, position, values);
  else if (node.op === "argsort") visitArgsort(sweep, position, values);
  else if (node.op === "constant" || node.op === "scalar" || isMovement(node)) {
    // A movement does no work: if it is a result it is stored, and all readers look through it.
    const known = sweep.unfused.get(position);
    if (isTooDeep(values)) {
      explainNotFused(sweep, position, "index too deep", depthOf(values), DEEPEST_INDEX);
      visitStored(sweep, position, values);
    } else {
      if (wanted) materialise(sweep, position);
      else if (sweep.apart.has(position) && values.length > 0) {
        explainNotFused(sweep, position, "reads what is overwritten", 1, 0);
        visitStored(sweep, position, values);
        return;
      } else if (known !== undefined && values.length > 0) {
        explainNotFused(sweep, position, "costs more here than stored", known.fused, known.stored);
        visitStored(sweep, position, values);
        return;
      } else if (sweep.fuse && turnsProduct(sweep, position, values)) {
        sweep.turned.add(sourceOf(sweep.graph, position));
        visitStored(sweep, position, values);
        return;
      }
      for (const value of sweep.values[position] as Value[]) lookThrough(sweep, value);
    }
  } else {
    const order = orderOfSorted(sweep, position);
    if (order !== undefined) visitSorted(sweep, position, values, order);
    else visitComputed(sweep, position, values, wanted);
  }
}

/** No element of an empty node is read; its value stands inside loops of no iterations. */
function visitEmpty(sweep: Sweep, position: number, values: readonly Value[], wanted: boolean): void {
  const { dtype } = nodeAt(sweep, position);
  for (const value of values) value.place = { kind: "constant", value: dtype === "int64" ? 0n : 0 };
  if (wanted) sweep.buffers.set(position, { role: "output", dtype, cells: 0, node: position });
}

function visitInput(sweep: Sweep, position: number, values: readonly Value[]): void {
  const { dtype } = nodeAt(sweep, position);
  const buffer: Buffer = { role: "input", dtype, cells: factsAt(sweep, position).size, node: position };
  sweep.buffers.set(position, buffer);
  for (const value of values) addLoad(sweep, value, buffer);
}

function addLoad(sweep: Sweep, value: Value, buffer: Buffer): void {
  const at = offsetIn(sweep, nodeAt(sweep, value.node).shape, value.index);
  value.kernel.reads.add(buffer);
  const block = hoist(commonBlock(value.users), axesOf([at], value.guards));
  const load = addLet(sweep, value, block, { kind: "load", buffer, at, guards: value.guards });
  const known = value.kernel.loads.get(buffer);
  if (known === undefined) value.kernel.loads.set(buffer, [load]);
  else known.push(load);
}

function lookThrough(sweep: Sweep, value: Value): void {
  const node = nodeAt(sweep, value.node);
  if (node.op === "constant") value.place = { kind: "constant", value: node.attributes.value };
  else if (node.op === "scalar") value.place = { kind: "scalar", node: value.node };
  else if (isMovement(node)) {
    const index = moveIndex(sweep.table, node, value.index);
    const input = inputsAt(sweep, value.node)[0] as number;
    value.place = { kind: "same", as: addUse(sweep, value.kernel, input, index, value.guards, value.users) };
  }
}

/** A movement that is stored, as one of movements that has no strides, is read from memory. */
function visitStored(sweep: Sweep, position: number, values: readonly Value[]): void {
  const readers = [...values];
  const { kernel, buffer } = materialise(sweep, position);
  for (const value of readers) if (value.kernel !== kernel) addLoad(sweep, value, buffer);
  for (const value of [...(sweep.values[position] as Value[])])
    if (value.kernel === kernel) lookThrough(sweep, value);
}

/** Only the stores of its own kernel use the sink's value; all other readers load it from the buffer. */
function visitSink(sweep: Sweep, position: number, values: readonly Value[]): void {
  const readers = [...values];
  if (readers.length > 0) explainNotFused(sweep, position, "writes in an order of its own", 1, 0);
  const buffer = materialiseSink(sweep, position);
  for (const value of readers) addLoad(sweep, value, buffer);
}

function visitArgsort(sweep: Sweep, position: number, values: readonly Value[]): void {
  const readers = [...values];
  if (readers.length > 0) explainNotFused(sweep, position, "writes in an order of its own", 1, 0);
  const buffer = materialiseSort(sweep, position);
  if (buffer !== null) for (const value of readers) addLoad(sweep, value, buffer);
}

/** The kernel that finds the order also stores the elements in it, when the sweep reaches it. */
function visitSorted(sweep: Sweep, position: number, values: readonly Value[], order: number): void {
  const readers = [...values];
  if (readers.length > 0) explainNotFused(sweep, position, "writes in an order of its own", 1, 0);
  const buffer = bufferFor(sweep, position);
  sweep.sorted.set(order, { buffer, readers });
  for (const value of readers) addLoad(sweep, value, buffer);
}

function visitComputed(sweep: Sweep, position: number, values: readonly Value[], wanted: boolean): void {
  const reason = wanted ? null : whyStored(sweep, position, values);
  if (!wanted && reason === null && place(sweep, position, values) === null) return;
  const readers = [...values];
  const { kernel, buffer } = materialise(sweep, position);
  for (const value of readers) if (value.kernel !== kernel) addLoad(sweep, value, buffer);
  const own = (sweep.values[position] as Value[]).filter((value) => value.kernel === kernel);
  const refused = place(sweep, position, own);
  if (refused !== null)
    throw new InternalError(`node ${position} has no place in its own kernel: ${refused}`);
}

/** Computes the node inside the kernels of its values, or gives the reason to store it. */
function place(sweep: Sweep, position: number, values: readonly Value[]): NotFusedReason | null {
  const byKernel = new Map<Kernel, Value[]>();
  for (const value of values) {
    const known = byKernel.get(value.kernel);
    if (known === undefined) byKernel.set(value.kernel, [value]);
    else known.push(value);
  }
  for (const [kernel, own] of byKernel) {
    const reason = placeInKernel(sweep, position, own);
    // Only a cheap node has values in several kernels here, and such a node is never refused.
    if (reason !== null) return reason;
    // The text of a concat grows with its operands.
    kernel.ops += nodeAt(sweep, position).op === "concat" ? inputsAt(sweep, position).length : 1;
    kernel.streams.delete(position);
  }
  return null;
}

function placeInKernel(sweep: Sweep, position: number, values: readonly Value[]): NotFusedReason | null {
  const node = nodeAt(sweep, position);
  if (values.some((value) => value.guards.length > 0) && mayFail(node)) {
    explainNotFused(sweep, position, "may fail where it is not read", 1, 0);
    return "may fail where it is not read";
  }
  if (isPaddedFactor(node, values)) {
    explainNotFused(sweep, position, "padding in a product", values.length, 0);
    return "padding in a product";
  }
  if (node.op === "reduce" || node.op === "contract") return placeFold(sweep, position, values);
  if (node.op === "scan") return placeScan(sweep, position, values);
  const { size, cost } = factsAt(sweep, position);
  const blocks = values.map((value) => hoist(commonBlock(value.users), axesOf(value.index, value.guards)));
  const runs = blocks.reduce((sum, block) => sum + evaluations(block), 0);
  if (sweep.decide((runs / size - 1) * cost <= sweep.limits.recompute)) {
    for (const value of values) placeLet(sweep, value);
    return null;
  }
  const home = findHome(sweep, position, values);
  if (typeof home === "string") return home;
  placeLet(sweep, fillScratch(sweep, position, values, home));
  return null;
}

/** Computes the value in the outermost block in which its index is known, and records the uses of its operands there. */
function placeLet(sweep: Sweep, value: Value): void {
  const node = nodeAt(sweep, value.node);
  if (node.op === "gather") {
    placeGather(sweep, node, value);
    return;
  }
  const block = hoist(commonBlock(value.users), axesOf(value.index, value.guards));
  const inputs = inputsAt(sweep, value.node);
  const operands: Value[] = [];
  const operand: OperandAt = (k, index, guards) => {
    const found = addUse(sweep, value.kernel, inputs[k] as number, index, guards, []);
    operands.push(found);
    return found;
  };
  const definition = defined(sweep, node, value, operand);
  if (definition.kind === "select" && definition.cases.length === 0) {
    value.place = { kind: "same", as: definition.otherwise };
    for (const { users } of operands) users.push(...value.users);
    return;
  }
  const item = addLet(sweep, value, block, definition);
  for (const { users } of operands) users.push(item);
}

/** The expression of the value, with uses of its operands. */
function defined(sweep: Sweep, node: Node, value: Value, operand: OperandAt): Definition {
  switch (node.op) {
    case "pointwise": {
      const args = node.inputs.map((input, k) =>
        operand(k, broadcastIndex(sweep.table, input.shape, value.index), value.guards),
      );
      const from = (node.inputs[node.inputs.length - 1] as Node).dtype;
      return { kind: "pointwise", fn: node.attributes.fn, from, args };
    }
    case "iota":
      return { kind: "index", at: value.index[0] as Value["index"][number] };
    case "pad":
      return padded(sweep, node, value, operand);
    case "concat":
      return concatenated(sweep, node, value, operand);
    default:
      throw new InternalError(`${node.op} is placed elsewhere`);
  }
}

/** A gather reads its input at an index that is itself read: it becomes a lookup, and a use of the input at its result. */
function placeGather(sweep: Sweep, node: GatherNode, value: Value): void {
  const [source, given] = inputsAt(sweep, value.node) as [number, number];
  const { axis } = node.attributes;
  const size = nodeAt(sweep, source).shape[axis] as number;
  // An expanded index is looked up once for each different place, not for each copy.
  const { node: looked, index } = beneathMovements(sweep, given, value.index);
  const block = hoist(commonBlock(value.users), axesOf(index, value.guards));
  const lookup = addLookup(sweep, value.kernel, block, {
    node: looked,
    index,
    guards: value.guards,
    size,
    axis,
    gather: value.node,
  });
  for (const user of value.users) link(user, lookup);
  const at = value.index.map((part, k) => (k === axis ? sweep.table.of(lookup.atom) : part));
  value.place = { kind: "same", as: addUse(sweep, value.kernel, source, at, value.guards, value.users) };
}

type OperandAt = (k: number, index: Value["index"], guards: readonly Guard[]) => Value;

function padded(sweep: Sweep, node: PadNode, value: Value, operand: OperandAt): Definition {
  const [input] = node.inputs as [Node, Node];
  const { before } = node.attributes;
  const index = value.index.map((part, axis) => sweep.table.shift(part, -(before[axis] as number)));
  const size = (axis: number): number => input.shape[axis] as number;
  const held = index.flatMap(({ low, high }, axis) => [high < 0, low >= size(axis)]).indexOf(true);
  sweep.conditions.push([held, ...index.flatMap(({ low, high }, axis) => endsIn(low, high, 0, size(axis)))]);
  if (held >= 0) return { kind: "select", cases: [], otherwise: operand(1, [], value.guards) };
  const guards = index.flatMap((at, axis) => guardUnlessSure(sweep, { at, low: 0, high: size(axis) }));
  const inside = operand(0, index, [...value.guards, ...guards]);
  if (guards.length === 0) return { kind: "select", cases: [], otherwise: inside };
  return { kind: "select", cases: [{ guards, value: inside }], otherwise: operand(1, [], value.guards) };
}

function concatenated(sweep: Sweep, node: ConcatNode, value: Value, operand: OperandAt): Definition {
  const { axis } = node.attributes;
  const at = value.index[axis] as Value["index"][number];
  const cases: Case[] = [];
  let start = 0;
  node.inputs.forEach((input, k) => {
    const size = input.shape[axis] as number;
    if (at.low < start + size && at.high >= start) {
      const guards = guardUnlessSure(sweep, { at, low: start, high: start + size });
      const index = value.index.map((part, other) =>
        other === axis ? sweep.table.shift(part, -start) : part,
      );
      sweep.conditions.push([k, ...endsIn(at.low, at.high, start, start + size)]);
      cases.push({ guards, value: operand(k, index, [...value.guards, ...guards]) });
    }
    start += size;
  });
  // It is read out of range alone, where its value is never used.
  if (cases.length === 0) return { kind: "select", cases, otherwise: nothing(value, node.dtype) };
  // One of the cases holds, so the last needs no test of its own.
  return { kind: "select", cases: cases.slice(0, -1), otherwise: (cases.at(-1) as Case).value };
}

/** A placeholder whose value is never used. */
const nothing = ({ kernel, node }: Value, dtype: DType): Value => ({
  kernel,
  node,
  index: [],
  guards: [],
  users: [],
  place: { kind: "constant", value: dtype === "int64" ? 0n : 0 },
});

/**
 * The guard, unless it always holds. If one bound has to be tested, the constant of the index moves into it: tests of places that move
 * together are equal.
 */
function guardUnlessSure({ table }: Sweep, { at, low, high }: Guard): Guard[] {
  const [isAbove, isBelow] = [low <= at.low, at.high < high];
  if (isAbove && isBelow) return [];
  const by = isAbove || isBelow ? at.constant : 0;
  return [{ at: table.shift(at, -by), low: low - by, high: high - by }];
}

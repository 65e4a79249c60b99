/** Which kernel computes a stored node: one that reads it, a recent one of the same shape, or a new one. */
import { type Node, sameNumbers } from "@fuseau/ir";
import { plainAxis } from "../indexing/index-expression.ts";
import { isFlattened } from "../tactics/lane-steps.ts";
import { boxesOf, storeInBoxes } from "./boxes.ts";
import { isInOrder, mayFail } from "./facts.ts";
import { addOrderedNest } from "./loop-order.ts";
import { sumsProduct } from "./rows.ts";
import { scanPlace } from "./scan.ts";
import { fillSink } from "./sinks.ts";
import { fillSort } from "./sorts.ts";
import { addStageNest } from "./stage.ts";
import {
  addStore,
  axesOf,
  explainNotFused,
  factsAt,
  hoist,
  inputsAt,
  isBijection,
  isStream,
  nodeAt,
  offsetIn,
  type Sweep,
} from "./sweep.ts";
import {
  type Block,
  type Buffer,
  commonBlock,
  evaluations,
  type Kernel,
  type Loop,
  type Space,
  type Value,
} from "./tree.ts";

/** Gives the node a buffer, and a place in one kernel where it is computed and stored. */
export function materialise(sweep: Sweep, node: number): { kernel: Kernel; buffer: Buffer } {
  const { shape } = nodeAt(sweep, node);
  const values = sweep.values[node] as Value[];
  const buffer = bufferFor(sweep, node);

  const mayJoin = sweep.fuse && !sweep.unfused.has(node) && !sweep.apart.has(node);
  // A node that is never computed where a product reads it can't be stored there either.
  const inReader = mayJoin && !isPaddedFactor(nodeAt(sweep, node), values);
  const host = inReader ? findHost(sweep, node, values) : undefined;
  if (host !== undefined) {
    addStore(
      sweep,
      host.value.kernel,
      host.block,
      buffer,
      offsetIn(sweep, shape, host.value.index),
      host.value.index,
    );
    host.value.kernel.writes.push(buffer);
    return { kernel: host.value.kernel, buffer };
  }
  const reader = inReader ? findReader(sweep, node, values) : undefined;
  if (reader !== undefined) {
    // A nest of its own in the reader's kernel: the node becomes a stage, filled where it is stored.
    const nest = addStageNest(sweep, node, values);
    addStore(sweep, reader, nest.block, buffer, offsetIn(sweep, shape, nest.index), nest.index);
    reader.writes.push(buffer);
    return { kernel: reader, buffer };
  }
  const known = sweep.unfused.get(node);
  if (sweep.wanted.has(node) && known !== undefined)
    explainNotFused(sweep, node, "costs more here than stored", known.fused, known.stored);
  if (sweep.wanted.has(node) && values.length > 0 && mayJoin) {
    explainNotFused(
      sweep,
      node,
      "wanted as a result and read at other indexes",
      factsAt(sweep, node).size,
      sweep.limits.scratch,
    );
  }
  const rank = rankAbove(values);
  const boxes = boxesOf(sweep, node);
  if (boxes !== null) {
    const kernel = emptyKernel(sweep, node, rank);
    storeInBoxes(sweep, kernel, node, boxes, buffer);
    kernel.writes.push(buffer);
    return { kernel, buffer };
  }
  const { kernel, space } = (mayJoin && joinSpace(sweep, node, rank)) || newKernel(sweep, node, rank);
  addStore(sweep, kernel, space.block, buffer, offsetIn(sweep, shape, space.index), space.index);
  kernel.writes.push(buffer);
  return { kernel, buffer };
}

/** Gives a node that writes in an order of its own a buffer and a kernel. */
export function materialiseSink(sweep: Sweep, node: number): Buffer {
  const rank = rankAbove(sweep.values[node] as Value[]);
  const buffer = bufferFor(sweep, node);
  const kernel = emptyKernel(sweep, node, rank);
  kernel.writes.push(buffer);
  kernel.ops++;
  fillSink(sweep, node, kernel, buffer);
  return buffer;
}

/** Gives an argsort, and the elements in its order, a kernel; and the order a buffer if it is read. */
export function materialiseSort(sweep: Sweep, node: number): Buffer | null {
  const values = sweep.values[node] as Value[];
  const sorted = sweep.sorted.get(node);
  const rank = rankAbove([...values, ...(sorted?.readers ?? [])]);
  const order = values.length > 0 || sweep.wanted.has(node) ? bufferFor(sweep, node) : null;
  const kernel = emptyKernel(sweep, node, rank);
  for (const buffer of [order, sorted?.buffer ?? null]) if (buffer !== null) kernel.writes.push(buffer);
  kernel.ops++;
  fillSort(sweep, node, kernel, order, sorted?.buffer ?? null);
  return order;
}

/** A buffer for all elements of the node. */
export function bufferFor(sweep: Sweep, node: number): Buffer {
  const role = sweep.wanted.has(node) ? "output" : "intermediate";
  const buffer: Buffer = { role, dtype: nodeAt(sweep, node).dtype, cells: factsAt(sweep, node).size, node };
  sweep.buffers.set(node, buffer);
  return buffer;
}

/** The rank of a kernel whose results these values read: above those of all their kernels. */
const rankAbove = (values: readonly Value[]): number =>
  values.reduce((needed, value) => Math.max(needed, value.kernel.rank + 1), 0);

/**
 * A kernel that reads the node once at each of its places can store it at the same time: its only use there is a bijection, and every
 * other reader runs later (has a lower rank).
 */
function findHost(
  sweep: Sweep,
  node: number,
  values: readonly Value[],
): { value: Value; block: Block } | undefined {
  const [value, ...others] = [...values].sort((a, b) => b.kernel.rank - a.kernel.rank);
  if (value === undefined || others.some((other) => other.kernel.rank === value.kernel.rank))
    return undefined;
  // A lone reader that could have fused the value is reached only if the value is a result.
  if ((others.length === 0 && !sweep.wanted.has(node)) || value.kernel.ops >= sweep.limits.ops)
    return undefined;
  if (value.guards.length > 0 || !isBijection(nodeAt(sweep, node).shape, value.index)) return undefined;
  if (nodeAt(sweep, node).op === "scan" && scanPlace(sweep, node, value) === null) return undefined;
  const block = hoist(commonBlock(value.users), axesOf(value.index, value.guards));
  const { loop } = block;
  // The loops of a product do nothing else; otherwise they have no tiles.
  if (loop !== null && holdsProduct(block)) return undefined;
  if (loop !== null && (takesKeysDown(loop, value) || isStoredAcross(sweep, node, loop, value)))
    return undefined;
  if (isFolded(block) && readsAcross(sweep, node)) return undefined;
  if (isBetweenLoops(sweep, node, block)) return undefined;
  return evaluations(block) === factsAt(sweep, node).size ? { value, block } : undefined;
}

/**
 * True if neighbours in the host's loop are strided in the node's own memory. Loops transpose in registers what they load, or what they
 * store, and not both: a value and its transpose took two to three times as long together as one after the other.
 */
function isStoredAcross(sweep: Sweep, node: number, { axes }: Loop, { index }: Value): boolean {
  const at = offsetIn(sweep, nodeAt(sweep, node).shape, index);
  const along = at.terms.find(({ atom }) => atom === axes.at(-1));
  const isAcross = along !== undefined && Math.abs(along.coefficient) > 1;
  return isAcross && sweep.decide(factsAt(sweep, node).size > SMALL);
}

/**
 * True if an operand of the node's size is strided where the node is not. Alone it is transposed in blocks, and in no loop of a fold or a
 * scan.
 */
function readsAcross(sweep: Sweep, node: number): boolean {
  const { size } = factsAt(sweep, node);
  const isStrided = (input: number): boolean =>
    factsAt(sweep, input).size === size && !isInOrder(factsAt(sweep, input), nodeAt(sweep, input).shape);
  return sweep.decide(size > SMALL && inputsAt(sweep, node).some(isStrided));
}

/**
 * True of an op that would be computed once for each row of other loops, where it has no lanes: an expensive one, or one that makes the
 * rows of a product.
 */
function isBetweenLoops(sweep: Sweep, node: number, { items }: Block): boolean {
  const { op, attributes } = nodeAt(sweep, node);
  if (op !== "pointwise") return false;
  const { folds, size } = factsAt(sweep, node);
  const isAlone = (item: Block["items"][number]): boolean =>
    item.kind === "loop" && (isFlattened(attributes.fn) || (!folds && sumsProduct(item)));
  return items.some(isAlone) && sweep.decide(size > SMALL);
}

/** True within the loop of a fold or a scan. */
function isFolded({ loop }: Block): boolean {
  return loop !== null && (loop.role !== "parallel" || isFolded(loop.block));
}

/** Keys of a sort are taken one by one. Down columns, each store would be in another page. */
const takesKeysDown = ({ axes, block }: Loop, { index }: Value): boolean =>
  block.items.some(({ kind }) => kind === "sort") &&
  plainAxis(index.at(-1) as Value["index"][number]) !== axes.at(-1);

const holdsProduct = ({ loop, items }: Block): boolean =>
  loop?.role === "reduce" &&
  items.some(
    (item) =>
      (item.kind === "accumulate" && item.reduction.fn === "dot") ||
      (item.kind === "loop" &&
        item.body.items.some((inner) => inner.kind === "accumulate" && inner.reduction.fn === "dot")),
  );

/** A padded operand of a product. Fused, every tap of a convolution would test whether it is within the image. */
export const isPaddedFactor = (node: Node, values: readonly Value[]): boolean =>
  node.op === "pad" &&
  values.some(({ users }) => users.some((user) => user.kind === "accumulate" && user.reduction.fn === "dot"));

/** The only kernel that reads a result, when the node is small enough to be a stage there. */
function findReader(sweep: Sweep, node: number, values: readonly Value[]): Kernel | undefined {
  const kernel = values[0]?.kernel;
  if (kernel === undefined || !sweep.wanted.has(node) || values.some((value) => value.kernel !== kernel))
    return undefined;
  // A scan needs loops of its own shape, which a reader need not have.
  if (nodeAt(sweep, node).op === "scan") return undefined;
  if (mayFail(nodeAt(sweep, node)) && values.some((value) => value.guards.length > 0)) return undefined;
  const small = sweep.decide(factsAt(sweep, node).size <= sweep.limits.scratch);
  return small && kernel.ops < sweep.limits.ops ? kernel : undefined;
}

/** A recent kernel with loops over the same shape, or with small results, that shares an input and is below the limits. */
function joinSpace(sweep: Sweep, node: number, rank: number): { kernel: Kernel; space: Space } | undefined {
  const { op, shape } = nodeAt(sweep, node);
  if (op === "scan") return undefined;
  const { leaves, fails, size } = factsAt(sweep, node);
  const oldest = Math.max(0, sweep.kernels.length - sweep.limits.window);
  for (let k = sweep.kernels.length - 1; k >= oldest; k--) {
    const kernel = sweep.kernels[k] as Kernel;
    if (kernel.rank < rank || kernel.ops >= sweep.limits.ops || (kernel.leaves & leaves) === 0) continue;
    // What is looked up has half as many lanes, or none, and would leave no more to what is computed beside it.
    const looksUp = kernel.writes.some((each) => factsAt(sweep, each.node).fails);
    if (fails !== looksUp && sweep.decide(size > SMALL)) continue;
    const grows = isStream(sweep, kernel, node) && !kernel.streams.has(factsAt(sweep, node).source) ? 1 : 0;
    if (kernel.streams.size + grows > sweep.limits.streams) continue;
    const known = kernel.spaces.find((space) => sameNumbers(space.shape, shape));
    if (
      known === undefined ? !isSmall(sweep, kernel, node) : isFolded(known.block) && readsAcross(sweep, node)
    )
      continue;
    const space = known ?? addSpace(sweep, kernel, node);
    kernel.leaves |= leaves;
    return { kernel, space };
  }
  return undefined;
}

/** So few elements that one kernel stores the results although their loops differ: a call would take longer. */
const SMALL = 1024;

/** Small results share a kernel. Those that may fail do not: they would prevent writes in place. */
function isSmall(sweep: Sweep, kernel: Kernel, node: number): boolean {
  const isOne = (position: number): boolean => {
    const { size, fails } = factsAt(sweep, position);
    return size <= SMALL && !fails;
  };
  const isEach = isOne(node) && kernel.writes.every((each) => isOne(each.node));
  return kernel.spaces.length > 0 && sweep.decide(isEach);
}

function addSpace(sweep: Sweep, kernel: Kernel, node: number): Space {
  const space: Space = { shape: nodeAt(sweep, node).shape, ...addOrderedNest(sweep, kernel.root, node) };
  kernel.spaces.push(space);
  return space;
}

function newKernel(sweep: Sweep, node: number, rank: number): { kernel: Kernel; space: Space } {
  const kernel = emptyKernel(sweep, node, rank);
  return { kernel, space: addSpace(sweep, kernel, node) };
}

function emptyKernel(sweep: Sweep, node: number, rank: number): Kernel {
  const { work, leaves } = factsAt(sweep, node);
  const kernel: Kernel = {
    rank,
    root: { loop: null, depth: 0, items: [] },
    spaces: [],
    values: new Map(),
    reads: new Set(),
    writes: [],
    stores: [],
    loads: new Map(),
    copies: new Map(),
    ops: 0,
    size: work,
    leaves,
    streams: new Set(),
  };
  sweep.kernels.push(kernel);
  return kernel;
}

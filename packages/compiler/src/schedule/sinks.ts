/**
 * Ops that write in an order of their own and so share no loops: updates through a window and scatters (sorts are in sorts.ts). Their
 * operands may be computed inside them; their results are in memory.
 */
import type { Node, ScatterNode, UpdateNode } from "@fuseau/ir";
import { whole } from "../indexing/index-expression.ts";
import { boxesOf, isStored, storeInBoxes } from "./boxes.ts";
import { addOrderedNest } from "./loop-order.ts";
import { beginning, sourceOf } from "./movement.ts";
import { addLookup, addNest, addStore, inputsAt, nodeAt, offsetIn, type Sweep } from "./sweep.ts";
import { type Buffer, type Kernel, link, type Store } from "./tree.ts";

type SinkNode = UpdateNode | ScatterNode;

export function isSink(node: Node): node is SinkNode {
  return node.op === "update" || node.op === "scatter";
}

/** Fills an empty kernel with the loops that compute the node into the buffer. */
export function fillSink(sweep: Sweep, position: number, kernel: Kernel, buffer: Buffer): void {
  const node = nodeAt(sweep, position) as SinkNode;
  const inputs = inputsAt(sweep, position);
  switch (node.op) {
    case "update":
      fillUpdate(sweep, node, inputs, kernel, buffer);
      break;
    case "scatter":
      fillScatter(sweep, node, inputs, kernel, buffer);
      break;
    default:
      node satisfies never;
  }
}

/** First stores all old elements: a copy of them, or what they are computed of, in the loops that they would have alone. */
function storeBase(sweep: Sweep, base: number, kernel: Kernel, buffer: Buffer): void {
  const source = sourceOf(sweep.graph, base);
  const isCopied = isStored(sweep, source) || nodeAt(sweep, source).op === "input";
  const boxes = isCopied ? null : boxesOf(sweep, base);
  if (boxes !== null) {
    // Any of them stands for the copy: what several stores fill is never written in place.
    const store = storeInBoxes(sweep, kernel, base, boxes, buffer).at(-1) as Store;
    kernel.copies.set(buffer, { store, nest: store });
    return;
  }
  const { shape } = nodeAt(sweep, base);
  const nest = isCopied
    ? addNest(sweep, kernel.root, shape.map(whole))
    : addOrderedNest(sweep, kernel.root, base);
  const [first] = kernel.root.items;
  const at = offsetIn(sweep, shape, nest.index);
  const store = addStore(sweep, kernel, nest.block, buffer, at, nest.index, base);
  kernel.copies.set(buffer, { store, nest: first ?? store });
}

/** Orders everything added to the root after the first `count` items behind those. */
function after(kernel: Kernel, count: number): void {
  const before = kernel.root.items.slice(0, count).filter(({ kind }) => kind === "loop" || kind === "store");
  for (const item of kernel.root.items.slice(count)) for (const each of before) link(item, each);
}

function fillUpdate(
  sweep: Sweep,
  { attributes: { view, places } }: UpdateNode,
  inputs: readonly number[],
  kernel: Kernel,
  buffer: Buffer,
): void {
  const [base, value] = inputs as [number, number];
  storeBase(sweep, base, kernel, buffer);
  const { length } = kernel.root.items;
  const nest = addNest(sweep, kernel.root, view.shape.map(whole));
  const within = sweep.table.add(sweep.table.dot(nest.index, view.strides), beginning(sweep.table, places));
  const at = sweep.table.shift(within, view.offset);
  addStore(sweep, kernel, nest.block, buffer, at, nest.index, value);
  after(kernel, length);
}

function fillScatter(
  sweep: Sweep,
  { shape, inputs: operands, attributes: { axis, combine } }: ScatterNode,
  inputs: readonly number[],
  kernel: Kernel,
  buffer: Buffer,
): void {
  const [base, index, source] = inputs as [number, number, number];
  storeBase(sweep, base, kernel, buffer);
  const { length } = kernel.root.items;
  const nest = addNest(sweep, kernel.root, (operands[1] as Node).shape.map(whole), true);
  const looked = {
    node: index,
    index: nest.index,
    guards: [],
    size: shape[axis] as number,
    axis,
    gather: null,
  };
  const lookup = addLookup(sweep, kernel, nest.block, looked);
  const target = nest.index.map((part, k) => (k === axis ? sweep.table.of(lookup.atom) : part));
  addStore(sweep, kernel, nest.block, buffer, offsetIn(sweep, shape, target), nest.index, source, combine);
  after(kernel, length);
}

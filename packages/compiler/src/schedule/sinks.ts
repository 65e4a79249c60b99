/**
 * Ops that write in an order of their own and so share no loops: updates through a window and scatters (sorts are in sorts.ts). Their
 * operands may be computed inside them; their results are in memory.
 */
import type { Node, ScatterNode, UpdateNode } from "@fuseau/ir";
import { whole } from "../indexing/index-expression.ts";
import { beginning } from "./movement.ts";
import { addLookup, addNest, addStore, inputsAt, nodeAt, offsetIn, type Sweep } from "./sweep.ts";
import { type Buffer, type Item, type Kernel, link } from "./tree.ts";

export type SinkNode = UpdateNode | ScatterNode;

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

/** First copies all old elements. */
function copyBase(
  sweep: Sweep,
  shape: readonly number[],
  base: number,
  kernel: Kernel,
  buffer: Buffer,
): Item {
  const nest = addNest(sweep, kernel.root, shape.map(whole));
  const [first] = kernel.root.items;
  const store = addStore(
    sweep,
    kernel,
    nest.block,
    buffer,
    offsetIn(sweep, shape, nest.index),
    nest.index,
    base,
  );
  const top = first ?? store;
  kernel.copies.set(buffer, { store, nest: top });
  return top;
}

/** Orders everything added to the root after `before` behind it. */
function after(kernel: Kernel, count: number, before: Item): void {
  for (const item of kernel.root.items.slice(count)) link(item, before);
}

function fillUpdate(
  sweep: Sweep,
  { shape, attributes: { view, places } }: UpdateNode,
  inputs: readonly number[],
  kernel: Kernel,
  buffer: Buffer,
): void {
  const [base, value] = inputs as [number, number];
  const first = copyBase(sweep, shape, base, kernel, buffer);
  const { length } = kernel.root.items;
  const nest = addNest(sweep, kernel.root, view.shape.map(whole));
  const within = sweep.table.add(sweep.table.dot(nest.index, view.strides), beginning(sweep.table, places));
  const at = sweep.table.shift(within, view.offset);
  addStore(sweep, kernel, nest.block, buffer, at, nest.index, value);
  after(kernel, length, first);
}

function fillScatter(
  sweep: Sweep,
  { shape, inputs: operands, attributes: { axis, combine } }: ScatterNode,
  inputs: readonly number[],
  kernel: Kernel,
  buffer: Buffer,
): void {
  const [base, index, source] = inputs as [number, number, number];
  const first = copyBase(sweep, shape, base, kernel, buffer);
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
  after(kernel, length, first);
}

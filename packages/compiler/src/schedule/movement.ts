/** Movement ops as functions on indexes: the place in the input that holds an element of the result. After scheduling there are none. */
import type { DiagonalNode, Node, Place, SliceNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Index, IndexTable } from "../indexing/index-expression.ts";
import { rowMajorStrides } from "../indexing/strides.ts";

export type MovementNode = Extract<
  Node,
  { op: "reshape" | "permute" | "expand" | "slice" | "shift" | "diagonal" | "asStrided" }
>;

export function isMovement(node: Node): node is MovementNode {
  switch (node.op) {
    case "reshape":
    case "permute":
    case "expand":
    case "slice":
    case "shift":
    case "diagonal":
    case "asStrided":
      return true;
    default:
      return false;
  }
}

/** The index into the movement's input that holds its element at `index`. */
export function moveIndex(table: IndexTable, node: MovementNode, index: readonly Index[]): readonly Index[] {
  const input = (node.inputs[0] as Node).shape;
  switch (node.op) {
    case "reshape":
      return reshapeIndex(table, node.shape, input, index);
    case "permute": {
      const moved = new Array<Index>(index.length);
      node.attributes.axes.forEach((axis, k) => {
        moved[axis] = index[k] as Index;
      });
      return moved;
    }
    case "expand":
      return broadcastIndex(table, input, index);
    case "slice":
      return sliceIndex(table, node, index);
    case "shift": {
      const moved = [...index];
      for (const { axis, ...place } of node.attributes.places)
        moved[axis] = table.add(moved[axis] as Index, beginning(table, [place]));
      return moved;
    }
    case "diagonal":
      return diagonalIndex(table, node, index);
    case "asStrided": {
      const { strides, offset } = node.attributes;
      return unravel(table, table.shift(table.dot(index, strides), offset), input);
    }
    default:
      return node satisfies never;
  }
}

/** The start of a window or slice that is bound when the program runs. */
export function beginning(table: IndexTable, places: readonly Place[]): Index {
  const parts = places.map(({ slot, count }) => table.bound(slot, count));
  return table.dot(
    parts,
    places.map(({ factor }) => factor),
  );
}

/** Aligned from the end; an axis of size 1 is always read at 0. */
export function broadcastIndex(
  table: IndexTable,
  input: readonly number[],
  index: readonly Index[],
): readonly Index[] {
  const missing = index.length - input.length;
  if (missing === 0 && input.every((size, axis) => size !== 1 || isZero(index[axis] as Index))) return index;
  return input.map((size, axis) => (size === 1 ? table.constant(0) : (index[axis + missing] as Index)));
}

const isZero = (index: Index): boolean => index.terms.length === 0 && index.constant === 0;

function sliceIndex(table: IndexTable, node: SliceNode, index: readonly Index[]): readonly Index[] {
  const { starts, steps } = node.attributes;
  return index.map((part, axis) =>
    table.shift(table.scale(part, steps[axis] as number), starts[axis] as number),
  );
}

function diagonalIndex(table: IndexTable, node: DiagonalNode, index: readonly Index[]): readonly Index[] {
  const { offset, axis1, axis2 } = node.attributes;
  const along = index[index.length - 1] as Index;
  const others = index.slice(0, -1);
  const rank = (node.inputs[0] as Node).shape.length;
  const moved: Index[] = [];
  for (let axis = 0; axis < rank; axis++) {
    if (axis === axis1) moved.push(table.shift(along, Math.max(0, -offset)));
    else if (axis === axis2) moved.push(table.shift(along, Math.max(0, offset)));
    else moved.push(others.shift() as Index);
  }
  return moved;
}

/**
 * Runs of axes with equal products are matched first, so that only axes that really change are divided. From [a, b, c] to [a·b, c] that
 * is the first alone.
 */
function reshapeIndex(
  table: IndexTable,
  from: readonly number[],
  to: readonly number[],
  index: readonly Index[],
): readonly Index[] {
  // No element of an empty node is read.
  if (from.includes(0) || to.includes(0)) return to.map(() => table.constant(0));
  const moved: Index[] = [];
  let f = 0;
  let t = 0;
  while (f < from.length || t < to.length) {
    const [firstFrom, firstTo] = [f, t];
    let have = f < from.length ? (from[f++] as number) : 1;
    let want = t < to.length ? (to[t++] as number) : 1;
    while (have !== want) {
      if (have < want && f < from.length) have *= from[f++] as number;
      else if (t < to.length) want *= to[t++] as number;
      else have *= from[f++] as number;
    }
    const run = to.slice(firstTo, t);
    if (f - firstFrom === 1 && run.length === 1) {
      moved.push(run[0] === 1 ? table.constant(0) : (index[firstFrom] as Index));
      continue;
    }
    const flat = table.dot(index.slice(firstFrom, f), rowMajorStrides(from.slice(firstFrom, f)));
    moved.push(...unravel(table, flat, run));
  }
  return moved;
}

/** The index of the row-major place `flat` in a shape. */
function unravel(table: IndexTable, flat: Index, shape: readonly number[]): Index[] {
  const strides = rowMajorStrides(shape);
  return shape.map((size, k) => {
    if (size === 1) return table.constant(0);
    const part = table.div(flat, strides[k] as number);
    // The leading index needs no remainder: the flat position is within the shape.
    return leads(shape, k) ? part : table.mod(part, size);
  });
}

const leads = (run: readonly number[], k: number): boolean => run.slice(0, k).every((size) => size === 1);

/** The node whose elements a chain of movements reads. */
export function sourceOf(graph: Graph, position: number): number {
  let source = position;
  while (isMovement(graph.nodes[source] as Node)) source = graph.inputs[source]?.[0] as number;
  return source;
}

/**
 * Transposes of the primitives that are linear in the operands that they move, copy or sum: they take the gradient of the result to that of
 * an operand.
 */
import { elementCount, type Node, type NodeOp, type StridedView, sameNumbers } from "@fuseau/ir";
import { overlaps } from "../../alias/overlap.ts";
import { withShape } from "../../ops/movement.ts";
import { add, mul } from "../../ops/pointwise.ts";
import { sum, sumToSize } from "../../ops/reduction.ts";
import * as record from "../../record.ts";
import { filled, zerosOf } from "../../tape/constants.ts";
import { mayBeLookedThrough } from "../../tape/step.ts";
import type { Value } from "../../value.ts";
import { wholeWindow } from "../../window/window.ts";
import { sumOfWindows } from "./windows.ts";

type NodeOf<Op extends NodeOp> = Extract<Node, { op: Op }>;

export type { NodeOf };

const shapeOf = (node: Node, k = 0): readonly number[] => (node.inputs[k] as Node).shape;

/** `x` in the opposite order along `axis`. */
export const flipped = (x: Value, axis: number): Value => {
  const { shape } = x.node;
  return record.slice(
    x,
    shape.map((size, other) => (other === axis ? Math.max(0, size - 1) : 0)),
    shape.map((_, other) => (other === axis ? -1 : 1)),
    shape,
  );
};

/** Sums over the axes that a broadcast repeated. */
export const unbroadcast = (x: Value, shape: readonly number[]): Value =>
  sameNumbers(x.node.shape, shape) ? x : sumToSize(x, shape);

export function unpermuted(x: Value, axes: readonly number[]): Value {
  const inverse = new Array<number>(axes.length);
  axes.forEach((from, to) => {
    inverse[from] = to;
  });
  return record.permute(x, inverse);
}

/** Repeats a folded value along the axes that were folded. */
export function unreduced(x: Value, axes: readonly number[], shape: readonly number[]): Value {
  const kept = shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  const shaped = withShape(x, kept);
  return sameNumbers(kept, shape) ? shaped : record.expand(shaped, shape);
}

/** Zeros of `shape`, with `value` in a window of distinct places. */
const placed = (value: Value, shape: readonly number[], window: StridedView): Value =>
  record.update(filled(value.node.dtype, shape, 0), window, value);

export function unsliced(g: Value, node: NodeOf<"slice">): Value {
  const shape = shapeOf(node);
  const { starts, steps } = node.attributes;
  if (elementCount(node.shape) === 0) return filled(g.node.dtype, shape, 0);
  let ascending = g;
  const first = starts.map((start, axis) => {
    const step = steps[axis] as number;
    if (step > 0) return start;
    ascending = flipped(ascending, axis);
    return start + step * ((node.shape[axis] as number) - 1);
  });
  if (steps.every((step, axis) => Math.abs(step) === 1 || node.shape[axis] === 1)) {
    const after = first.map((start, axis) => (shape[axis] as number) - start - (node.shape[axis] as number));
    return record.pad(ascending, first, after, filled(g.node.dtype, [], 0));
  }
  const { strides } = wholeWindow(shape);
  return placed(ascending, shape, {
    shape: node.shape,
    strides: strides.map((stride, axis) => stride * Math.abs(steps[axis] as number)),
    offset: first.reduce((place, start, axis) => place + start * (strides[axis] as number), 0),
  });
}

/** The gradient of a pad's input is the gradient without the padding; that of `fill` is the sum of the padding. */
export function unpadded(g: Value, node: NodeOf<"pad">, wanted: readonly boolean[]): (Value | null)[] {
  const { before } = node.attributes;
  const shape = shapeOf(node);
  const window = { ...wholeWindow(node.shape), shape };
  const offset = before.reduce((place, width, axis) => place + width * (window.strides[axis] as number), 0);
  const inner = record.slice(
    g,
    before,
    before.map(() => 1),
    shape,
  );
  const around = (): Value => sum(record.update(g, { ...window, offset }, zerosOf(inner)), null, false, null);
  return [inner, wanted[1] ? around() : null];
}

export function unconcatenated(g: Value, node: NodeOf<"concat">): Value[] {
  const { axis } = node.attributes;
  // Long lists are joined in several levels. So a piece is cut from what is there, and not from a piece of that.
  let [whole, start] = [g, 0];
  for (
    let { node } = whole;
    node.op === "slice" && isPiece(node, axis) && mayBeLookedThrough(whole);
    { node } = whole
  ) {
    start += node.attributes.starts[axis] as number;
    whole = whole.inputs[0] as Value;
  }
  return node.inputs.map(({ shape }) => {
    const starts = shape.map((_, other) => (other === axis ? start : 0));
    start += shape[axis] as number;
    return record.slice(
      whole,
      starts,
      shape.map(() => 1),
      shape,
    );
  });
}

/** True of consecutive places along an axis, and all of the others. */
const isPiece = ({ attributes: { steps }, shape, inputs }: NodeOf<"slice">, axis: number): boolean =>
  steps[axis] === 1 &&
  shape.every((size, k) => k === axis || (size === inputs[0]?.shape[k] && steps[k] === 1));

export function undiagonal(g: Value, node: NodeOf<"diagonal">): Value {
  const shape = shapeOf(node);
  const { axis1, axis2, offset } = node.attributes;
  const { strides } = wholeWindow(shape);
  const [rows, columns] = [strides[axis1] as number, strides[axis2] as number];
  const others = strides.filter((_, axis) => axis !== axis1 && axis !== axis2);
  const window = {
    shape: node.shape,
    strides: [...others, rows + columns],
    offset: offset >= 0 ? offset * columns : -offset * rows,
  };
  return placed(g, shape, window);
}

/** Adds to each element of the base the gradients at all places that show it. */
export function unwindowed(g: Value, node: NodeOf<"asStrided">): Value {
  const shape = shapeOf(node);
  const { strides, offset } = node.attributes;
  const count = elementCount(shape);
  const length = elementCount(node.shape);
  if (length === 0) return filled(g.node.dtype, shape, 0);
  const window = { shape: node.shape, strides, offset };
  if (!overlaps(window)) return placed(g, shape, window);
  const repeated = strides.flatMap((stride, axis) =>
    stride === 0 && (node.shape[axis] as number) > 1 ? [axis] : [],
  );
  if (repeated.length > 0) {
    const kept = { op: "asStrided", dtype: node.dtype, shape: [] as number[], inputs: node.inputs } as const;
    const isKept = (_: number, axis: number): boolean => !repeated.includes(axis);
    return unwindowed(record.reduce("sum", g, repeated), {
      ...kept,
      shape: node.shape.filter(isKept),
      attributes: { strides: strides.filter(isKept), offset },
    });
  }
  const regular = sumOfWindows(g, shape, window);
  if (regular !== null) return regular;
  const places = placesOf(window);
  const flat = record.scatter(
    filled(g.node.dtype, [count], 0),
    0,
    record.reshape(places, [length]),
    record.reshape(g, [length]),
    "sum",
  );
  return record.reshape(flat, shape);
}

/** The position in the base of each element of a window, as int64. */
function placesOf({ shape, strides, offset }: StridedView): Value {
  let places = record.constant("int64", BigInt(offset));
  shape.forEach((size, axis) => {
    const along = mul(record.cast(record.iota("int64", size), "int64"), strides[axis] as number);
    places = add(places, record.reshape(along, [size, ...shape.slice(axis + 1).map(() => 1)]));
  });
  return sameNumbers(places.node.shape, shape) ? places : record.expand(places, shape);
}

/** The gradients of an update: that of the base is 0 within the window, that of the value is the window's part. */
export function unupdated(g: Value, node: NodeOf<"update">): [Value, Value] {
  const { view } = node.attributes;
  return [record.update(g, view, filled(g.node.dtype, view.shape, 0)), record.asStrided(g, view)];
}

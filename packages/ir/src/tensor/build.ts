/**
 * One function for each primitive. It infers dtype and shape when the node is built, so that an error is thrown at the user's own line.
 * Operands come from the API with axes wrapped and sizes resolved (the rules are in ../shape).
 */
import { type DType, dtypeNames, isInt } from "../dtype.ts";
import { computeDType, type PointwiseOp, resultDType } from "../pointwise/table.ts";
import { broadcastShapes } from "../shape/broadcast.ts";
import { reducedShape } from "../shape/reduce.ts";
import type { StridedView } from "../shape/shape.ts";
import type { AxisPlace, Combiner, Node, Place, PointwiseNode, Reducer, Scanner } from "./node.ts";

type Shape = readonly number[];
const none: readonly Node[] = [];
const scalarShape: Shape = [];

export const input = (dtype: DType, shape: Shape): Node => ({
  op: "input",
  dtype,
  shape,
  inputs: none,
  attributes: null,
});

export const constant = (dtype: DType, value: number | bigint): Node => ({
  op: "constant",
  dtype,
  shape: scalarShape,
  inputs: none,
  attributes: { value },
});

export const scalar = (dtype: DType): Node => ({
  op: "scalar",
  dtype,
  shape: scalarShape,
  inputs: none,
  attributes: null,
});

export const iota = (dtype: DType, length: number): Node => ({
  op: "iota",
  dtype,
  shape: [length],
  inputs: none,
  attributes: null,
});

/** The result of an op for one dtype of operands: its dtype, and the attributes that all of its nodes share. */
interface Outcome {
  readonly dtype: DType;
  readonly attributes: PointwiseNode["attributes"];
}

/** By the operands' dtype; filled as ops are first used. */
const outcomes = Object.fromEntries(
  dtypeNames.map((dtype) => [dtype, new Map<PointwiseOp, Outcome>()]),
) as Readonly<Record<DType, Map<PointwiseOp, Outcome>>>;

function outcomeOf(fn: PointwiseOp, operands: DType): Outcome {
  const outcome = { dtype: resultDType(fn, computeDType(fn, operands)), attributes: { fn } };
  outcomes[operands].set(fn, outcome);
  return outcome;
}

/**
 * Applies `fn` at every place of the inputs' broadcast shape. All inputs have the dtype that `fn` computes in (`where`: a bool, then two of
 * one dtype).
 * @throws ShapeError when the shapes do not broadcast; DTypeError when `fn` refuses the dtype.
 */
export function pointwise(fn: Exclude<PointwiseOp, "cast">, inputs: readonly Node[]): Node {
  const last = inputs[inputs.length - 1] as Node;
  let shape = (inputs[0] as Node).shape;
  for (let i = 1; i < inputs.length; i++) shape = broadcastShapes(shape, (inputs[i] as Node).shape);
  const { dtype, attributes } = outcomes[last.dtype].get(fn) ?? outcomeOf(fn, last.dtype);
  return { op: "pointwise", dtype, shape, inputs, attributes };
}

export const cast = (x: Node, dtype: DType): Node => ({
  op: "pointwise",
  dtype,
  shape: x.shape,
  inputs: [x],
  attributes: { fn: "cast" },
});

/** Folds `axes`, which are ascending and wrapped. Sums and products of integers and bools are int64, and so are positions. */
export function reduce(fn: Reducer, x: Node, axes: readonly number[]): Node {
  const shape = reducedShape(x.shape, axes, false);
  return { op: "reduce", dtype: reducedDType(fn, x.dtype), shape, inputs: [x], attributes: { fn, axes } };
}

/** The dtype of the fold of a `dtype`. */
export function reducedDType(fn: Reducer, dtype: DType): DType {
  switch (fn) {
    case "sum":
    case "prod":
      return isInt(dtype) || dtype === "bool" ? "int64" : dtype;
    case "max":
    case "min":
      return dtype;
    case "any":
    case "all":
      return "bool";
    case "argmax":
    case "argmin":
      return "int64";
    default:
      return fn satisfies never;
  }
}

export const reshape = (x: Node, shape: Shape): Node => ({
  op: "reshape",
  dtype: x.dtype,
  shape,
  inputs: [x],
  attributes: null,
});

export const permute = (x: Node, axes: readonly number[]): Node => ({
  op: "permute",
  dtype: x.dtype,
  shape: axes.map((axis) => x.shape[axis] as number),
  inputs: [x],
  attributes: { axes },
});

export const expand = (x: Node, shape: Shape): Node => ({
  op: "expand",
  dtype: x.dtype,
  shape,
  inputs: [x],
  attributes: null,
});

export const slice = (x: Node, starts: readonly number[], steps: readonly number[], sizes: Shape): Node => ({
  op: "slice",
  dtype: x.dtype,
  shape: sizes,
  inputs: [x],
  attributes: { starts, steps },
});

/** The block must lie within x for every number that may be bound. */
export const shift = (x: Node, places: readonly AxisPlace[], shape: Shape): Node => ({
  op: "shift",
  dtype: x.dtype,
  shape,
  inputs: [x],
  attributes: { places },
});

/** `fill` is 0-d and of x's dtype. */
export const pad = (x: Node, before: readonly number[], after: readonly number[], fill: Node): Node => ({
  op: "pad",
  dtype: x.dtype,
  shape: x.shape.map((size, axis) => (before[axis] as number) + size + (after[axis] as number)),
  inputs: [x, fill],
  attributes: { before },
});

/** The inputs have one dtype, and one shape except along `axis`. */
export function concat(inputs: readonly Node[], axis: number): Node {
  const first = inputs[0] as Node;
  const shape = [...first.shape];
  shape[axis] = inputs.reduce((length, x) => length + (x.shape[axis] as number), 0);
  return { op: "concat", dtype: first.dtype, shape, inputs, attributes: { axis } };
}

export function diagonal(x: Node, offset: number, axis1: number, axis2: number): Node {
  const rows = x.shape[axis1] as number;
  const columns = x.shape[axis2] as number;
  const length = Math.max(
    0,
    offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns),
  );
  const shape = [...x.shape.filter((_, axis) => axis !== axis1 && axis !== axis2), length];
  return { op: "diagonal", dtype: x.dtype, shape, inputs: [x], attributes: { offset, axis1, axis2 } };
}

/** The window must lie within x's elements. */
export const asStrided = (x: Node, { shape, strides, offset }: StridedView): Node => ({
  op: "asStrided",
  dtype: x.dtype,
  shape,
  inputs: [x],
  attributes: { strides, offset },
});

/** `value` has the window's shape and base's dtype. No two places of the window are the same element. */
export const update = (base: Node, view: StridedView, value: Node, places: readonly Place[] = []): Node => ({
  op: "update",
  dtype: base.dtype,
  shape: base.shape,
  inputs: [base, value],
  attributes: { view, places },
});

/** `index` is int64 or int32 and has x's rank. It is no longer than x along any axis except `axis`. */
export const gather = (x: Node, axis: number, index: Node): Node => ({
  op: "gather",
  dtype: x.dtype,
  shape: index.shape,
  inputs: [x, index],
  attributes: { axis },
});

/** All have one rank. `index` is no longer than `source` along any axis, and no longer than `base` along any axis except `axis`. */
export const scatter = (base: Node, axis: number, index: Node, source: Node, combine: Combiner): Node => ({
  op: "scatter",
  dtype: base.dtype,
  shape: base.shape,
  inputs: [base, index, source],
  attributes: { axis, combine },
});

/** Sums and products of integers and bools are int64, and so are positions. */
export function scan(fn: Scanner, x: Node, axis: number): Node {
  const whole = isInt(x.dtype) || x.dtype === "bool";
  const dtype =
    fn === "lastArgmax" || fn === "lastArgmin" || ((fn === "sum" || fn === "prod") && whole)
      ? "int64"
      : x.dtype;
  return { op: "scan", dtype, shape: x.shape, inputs: [x], attributes: { fn, axis } };
}

export const argsort = (x: Node, axis: number, descending: boolean): Node => ({
  op: "argsort",
  dtype: "int64",
  shape: x.shape,
  inputs: [x],
  attributes: { axis, descending },
});

/** [..., m, k] × [..., k, n] with equal leading axes and one dtype. */
export function contract(a: Node, b: Node): Node {
  const shape = [...a.shape.slice(0, -1), b.shape[b.shape.length - 1] as number];
  return { op: "contract", dtype: a.dtype, shape, inputs: [a, b], attributes: null };
}

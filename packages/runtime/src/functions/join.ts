/**
 * Joins tensors along an axis, along axes that the function's name says, and in every combination. Each is PyTorch's function of the same
 * name.
 */
import {
  type Accept,
  type AtLeast,
  type Broadcast,
  type Concat,
  type ConcatOrFail,
  elementCount,
  type FloatDType,
  type Product,
  ShapeError,
  type Stack,
  type StackOrFail,
  type UnknownRank,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { declareFunction } from "../declare/declaration.ts";
import { kernelName } from "../messages/called.ts";
import * as combination from "../ops/combination.ts";
import { meshgrid as meshgridOf } from "../ops/creation.ts";
import * as ops from "../ops/movement.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { type PromoteList, type ShapesOf, valuesOf } from "./lists.ts";

/**
 * Joined along `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ along another axis, or there are none.
 */
export const concat = declareFunction(
  "concat(tensors, dim)",
  <const L extends readonly AnyTensor[], const A extends number = 0>(
    tensors: Accept<ConcatOrFail<ShapesOf<L>, A>, L>,
    dim: A = 0 as A,
  ): Tensor<Concat<ShapesOf<L>, A>, PromoteList<L>> =>
    wrap(ops.concat("concat", valuesOf(tensors as L), dim)),
);

/** {@link concat}. */
export const cat = declareFunction("cat(tensors, dim)", concat);

/** {@link concat}. */
export const concatenate = declareFunction("concatenate(tensors, dim)", concat);

/**
 * Joined along a new axis `dim` (0); dtypes are promoted.
 * @throws ShapeError when the shapes differ, or there are none.
 */
export const stack = declareFunction(
  "stack(tensors, dim)",
  <const L extends readonly AnyTensor[], const A extends number = 0>(
    tensors: Accept<StackOrFail<ShapesOf<L>, A>, L>,
    dim: A = 0 as A,
  ): Tensor<Stack<ShapesOf<L>, A>, PromoteList<L>> => wrap(ops.stack(valuesOf(tensors as L), dim)),
);

type BroadcastAll<Shapes, S extends number[] = []> = Shapes extends readonly [
  infer First extends number[],
  ...infer Rest,
]
  ? BroadcastAll<Rest, Broadcast<S, First>>
  : S;

/** The types of a list of tensors that all have one shape. */
type Shaped<L extends Tensors, S extends number[]> = {
  -readonly [Index in keyof L]: Tensor<S, L[Index]["dtype"]>;
};

/** The tensors broadcast to one shape: views. */
export const broadcastTensors = declareFunction(
  "broadcastTensors(tensors)",
  <const L extends Tensors>(
    tensors: L,
  ): Shaped<L, number extends L["length"] ? number[] : BroadcastAll<ShapesOf<L>>> => {
    const values = valuesOf(tensors);
    if (values.length === 0) throw new ShapeError("expected a non-empty list of Tensors");
    return ops.broadcastAll(values).map((value, k) => wrapView(tensors[k]!, value)) as never;
  },
);

/** "ij": tensor k varies along axis k. "xy": the first two axes are swapped. */
export type Indexing = "ij" | "xy";

type Length<S extends number[]> = S extends [] ? 1 : S extends [infer N extends number] ? N : number;

type Grid<Lengths, I extends Indexing> = Lengths extends readonly [
  infer A extends number,
  infer B extends number,
  ...infer Rest extends number[],
]
  ? "ij" extends I
    ? "xy" extends I
      ? [number, number, ...Rest]
      : [A, B, ...Rest]
    : [B, A, ...Rest]
  : Lengths extends readonly [infer A extends number]
    ? [A]
    : number[];

/**
 * Coordinates of a grid: every combination of the elements of 1-D tensors. Tensor k varies along axis k; for `"xy"` the first two axes are
 * swapped.
 * @throws ShapeError for a tensor of more axes.
 */
export const meshgrid = declareFunction(
  "meshgrid(tensors, { indexing })",
  <const L extends Tensors, const I extends Indexing = "ij">(
    tensors: L,
    options: { readonly indexing?: I } = {},
  ): Shaped<L, Grid<{ [Index in keyof L]: Length<L[Index][ShapeKey]> }, I>> => {
    const indexing: Indexing = options.indexing ?? "ij";
    if (indexing !== "ij" && indexing !== "xy")
      throw new TypeError(`indexing must be one of "xy" or "ij", but received: ${String(indexing)}`);
    return meshgridOf(valuesOf(tensors), indexing).map((value, k) => wrapView(tensors[k]!, value)) as never;
  },
);

type Tensors = readonly AnyTensor[];

/** The shapes of a list, each extended to at least Rank axes. */
type Widened<L extends Tensors, Rank extends 1 | 2 | 3> = {
  [Index in keyof L]: AtLeast<L[Index][ShapeKey], Rank>;
};

/** Vectors are joined along their only axis, others along the second. */
type HorizontalAxis<L extends Tensors> = L extends readonly [infer First extends AnyTensor, ...Tensors]
  ? First[ShapeKey] extends [] | [number]
    ? 0
    : 1
  : 1;

type Column<S extends number[]> =
  UnknownRank<S> extends true ? number[] : S extends [] | [number] ? [Product<S>, 1] : S;
type Columns<L extends Tensors> = { [Index in keyof L]: Column<L[Index][ShapeKey]> };

/** Joined along an axis; without one along the second, or for vectors along their only one. */
function joined(op: string, tensors: Tensors, widen: (x: Value) => Value, axis?: number): Value {
  const values = valuesOf(tensors).map(widen);
  if (values.length === 0) throw new ShapeError(`${kernelName()} expects a non-empty TensorList`);
  return ops.concat(op, values, axis ?? (values[0]!.node.shape.length === 1 ? 0 : 1));
}

const column = (x: Value): Value =>
  x.node.shape.length < 2 ? ops.withShape(x, [elementCount(x.node.shape), 1]) : x;

/**
 * Joined along the second axis, vectors along their only one; dtypes are promoted. PyTorch: `hstack`.
 * @throws ShapeError when the shapes differ along another axis, or there are none.
 */
export const hstack = declareFunction(
  "hstack(tensors)",
  <const L extends Tensors>(
    tensors: Accept<ConcatOrFail<Widened<L, 1>, HorizontalAxis<L>>, L>,
  ): Tensor<Concat<Widened<L, 1>, HorizontalAxis<L>>, PromoteList<L>> =>
    wrap(joined("hstack", tensors as L, (x) => ops.atLeast(1, x))),
);

/**
 * Joined along the first axis, vectors as rows; dtypes are promoted. PyTorch: `vstack`.
 * @throws ShapeError when the shapes do not fit.
 */
export const vstack = declareFunction(
  "vstack(tensors)",
  <const L extends Tensors>(
    tensors: Accept<ConcatOrFail<Widened<L, 2>, 0>, L>,
  ): Tensor<Concat<Widened<L, 2>, 0>, PromoteList<L>> =>
    wrap(joined("vstack", tensors as L, (x) => ops.atLeast(2, x), 0)),
);

/** {@link vstack}. */
export const rowStack = declareFunction("rowStack(tensors)", vstack);

/**
 * Joined along the third axis; dtypes are promoted. PyTorch: `dstack`.
 * @throws ShapeError when the shapes do not fit.
 */
export const dstack = declareFunction(
  "dstack(tensors)",
  <const L extends Tensors>(
    tensors: Accept<ConcatOrFail<Widened<L, 3>, 2>, L>,
  ): Tensor<Concat<Widened<L, 3>, 2>, PromoteList<L>> =>
    wrap(joined("dstack", tensors as L, (x) => ops.atLeast(3, x), 2)),
);

/** {@link hstack} with vectors as columns. PyTorch: `column_stack`. */
export const columnStack = declareFunction(
  "columnStack(tensors)",
  <const L extends Tensors>(
    tensors: Accept<ConcatOrFail<Columns<L>, 1>, L>,
  ): Tensor<Concat<Columns<L>, 1>, PromoteList<L>> => wrap(joined("columnStack", tensors as L, column, 1)),
);

/** Matrices along the diagonal, zeros elsewhere; vectors are rows, and dtypes are promoted. PyTorch: `block_diag`. */
export const blockDiag = declareFunction(
  "blockDiag(tensors)",
  <const L extends Tensors>(tensors: L): Tensor<[number, number], PromoteList<L>> =>
    wrap(combination.blockDiag(valuesOf(tensors))),
);

/** Every combination of one element of each vector, as rows; of a single vector the vector itself. PyTorch: `cartesian_prod`. */
export const cartesianProd = declareFunction(
  "cartesianProd(tensors)",
  <const L extends Tensors>(
    tensors: L,
  ): Tensor<L extends readonly [AnyTensor] ? L[0][ShapeKey] : [number, L["length"]], PromoteList<L>> =>
    wrap(combination.cartesianProd(valuesOf(tensors))),
);

/** Whether an element may be chosen more than once. */
export interface CombinationOptions {
  readonly withReplacement?: boolean;
}

/** All ways to choose `r` (2) elements of a vector in order, as rows. PyTorch: `combinations`. */
export const combinations = declareFunction(
  "combinations(input, r, { withReplacement })",
  <T extends AnyTensor, const R extends number = 2>(
    x: T,
    r: R = 2 as R,
    options: CombinationOptions = {},
  ): Tensor<R extends 0 ? [number] : [number, R], T["dtype"]> => {
    const value = unwrap(x);
    return wrap(combination.combinations(value, r, options.withReplacement ?? false));
  },
);

/** Powers ascend from 0, instead of descending to it. Default false. */
export interface VanderOptions {
  readonly increasing?: boolean;
}

type VanderShape<S extends number[], N> = S extends [infer Rows extends number]
  ? [Rows, N extends number ? N : Rows]
  : [number, number];

/** `n` powers of every element of a vector, as a row; by default as many as x has elements. PyTorch: `vander`. */
export const vander = declareFunction(
  "vander(input, n, { increasing })",
  <T extends AnyTensor, const N extends number | null = null>(
    input: T,
    n?: N,
    options: VanderOptions = {},
  ): Tensor<VanderShape<T[ShapeKey], NoInfer<N>>, T["dtype"] extends FloatDType ? T["dtype"] : "int64"> => {
    const x = unwrap(input);
    return wrap(combination.vander(x, n ?? null, options.increasing ?? false));
  },
);

/** One for a tensor; a list of one for each for a list. */
type WidenedEach<T, R extends 1 | 2 | 3> = T extends AnyTensor
  ? Tensor<AtLeast<T[ShapeKey], R>, T["dtype"]>
  : { readonly [K in keyof T]: WidenedEach<T[K], R> };

/* @__NO_SIDE_EFFECTS__ */
const widened = <R extends 1 | 2 | 3>(op: string, rank: R) =>
  declareFunction(`${op}(input)`, <const T extends AnyTensor | Tensors>(x: T): WidenedEach<T, R> => {
    const each = (one: AnyTensor): AnyTensor => wrapView(one, ops.atLeast(rank, unwrap(one)));
    return (Array.isArray(x) ? x.map(each) : each(x as AnyTensor)) as never;
  });

/** A 0-d tensor becomes [1]; others stay. A list gives one for each of its tensors. PyTorch: `atleast_1d`. */
export const atleast1d = widened("atleast1d", 1);

/** A vector becomes a row; tensors of two axes or more stay. PyTorch: `atleast_2d`. */
export const atleast2d = widened("atleast2d", 2);

/** [n] becomes [1, n, 1], [m, n] becomes [m, n, 1]; tensors of three axes or more stay. PyTorch: `atleast_3d`. */
export const atleast3d = widened("atleast3d", 3);

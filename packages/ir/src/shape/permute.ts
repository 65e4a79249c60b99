/** Axes in another order. */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";
import { type WrapAxes, type WrapAxis, wrapAxis } from "./axes.ts";
import type { Ok, Shape, ShowShape, Sizes, UnknownRank } from "./shape.ts";

/**
 * The order counted from the front: axis k of the result is axis order[k] of the input.
 * @throws ShapeError unless every axis is in it once; RangeError for an axis that does not exist.
 */
export function permutedAxes(shape: Shape, dims: readonly number[]): readonly number[] {
  checkIntegers("dims", dims);
  if (dims.length !== shape.length)
    throw new ShapeError(
      `number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${shape.length} is not equal to len(dims) = ${dims.length} (dims ${showShape(dims)}, shape ${showShape(shape)})`,
    );
  const order = dims.map((axis) => wrapAxis(axis, shape));
  if (new Set(order).size !== order.length)
    throw new ShapeError(
      `permute(): duplicate dims are not allowed. (dims ${showShape(dims)}, shape ${showShape(shape)})`,
    );
  return order;
}

/** The permutation that swaps two axes. */
export function transposedAxes(shape: Shape, dim0: number, dim1: number): readonly number[] {
  const a = wrapAxis(dim0, shape);
  const b = wrapAxis(dim1, shape);
  return shape.map((_, axis) => (axis === a ? b : axis === b ? a : axis));
}

/** @throws ShapeError for more than two axes: `t()` is not defined there. */
export function checkMatrix(shape: Shape): void {
  if (shape.length > 2)
    throw new ShapeError(
      `t() expects a tensor with <= 2 dimensions, but self is ${shape.length}D (shape ${showShape(shape)}; use transpose or permute)`,
    );
}

type Pick<S extends readonly number[], P extends readonly number[]> = {
  -readonly [Axis in keyof P]: WrapAxis<S, P[Axis]> extends infer From extends number
    ? number extends From
      ? number
      : S[From]
    : never;
} extends infer Result extends number[]
  ? Result
  : never;

/** S with its axes in the order P, or the message. */
export type PermuteOrFail<S extends number[], P extends readonly number[]> =
  UnknownRank<P> extends true
    ? Sizes<S>
    : UnknownRank<S> extends true
      ? Sizes<P>
      : P["length"] extends S["length"]
        ? WrapAxes<S, P> extends infer Order
          ? Order extends `dim ${string} appears multiple times${string}`
            ? "permute(): duplicate dims are not allowed."
            : Order extends string
              ? Order
              : Pick<S, P>
          : never
        : `number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${S["length"]} is not equal to len(dims) = ${P["length"]} (dims ${ShowShape<P>}, shape ${ShowShape<S>})`;

export type Permute<S extends number[], P extends readonly number[]> = Ok<PermuteOrFail<S, P>>;

type Swap<S extends number[], A extends number, B extends number> = {
  [Axis in keyof S]: Axis extends `${A}` ? S[B] : Axis extends `${B}` ? S[A] : S[Axis];
} extends infer Result extends number[]
  ? Result
  : never;

/** S with two axes swapped, or the message. */
export type TransposeOrFail<S extends number[], A extends number, B extends number> =
  WrapAxis<S, A> extends infer First
    ? First extends string
      ? First
      : WrapAxis<S, B> extends infer Second
        ? Second extends string
          ? Second
          : number extends First | Second
            ? Sizes<S>
            : Swap<S, First & number, Second & number>
        : never
    : never;

export type Transpose<S extends number[], A extends number, B extends number> = Ok<TransposeOrFail<S, A, B>>;

/** A matrix with its axes swapped; a vector or a 0-d shape as it is. */
export type TransposeMatrix<S extends number[]> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [infer Rows extends number, infer Columns extends number]
      ? [Columns, Rows]
      : S extends [] | [number]
        ? S
        : number[];

/**
 * Shapes of gathers. The index has the rank of the tensor that it indexes, and is no longer than it along any axis except the one that is
 * gathered along. Nothing broadcasts, except in `takeAlongDim`. A 0-d shape counts as `[1]`.
 */
import { ShapeError, showShape } from "../errors.ts";
import type { Compare, Product } from "./arithmetic.ts";
import { type ReplaceAt, type SizeAt, type WrapAxis, wrapAxis } from "./axes.ts";
import { type BroadcastOrFail, broadcastShapes } from "./broadcast.ts";
import { elementCount, type Ok, type Shape, type ShowShape, type UnknownRank } from "./shape.ts";

const oneAxis: Shape = [1];

/** The shape itself, and `[1]` for a 0-d one. */
export const atLeastOneAxis = (shape: Shape): Shape => (shape.length === 0 ? oneAxis : shape);

/**
 * The wrapped axis to gather along. An empty index always fits.
 * @throws RangeError for an axis that does not exist; ShapeError for an index of another rank, or one that is too long along another axis.
 */
export function gatherAxis(shape: Shape, dim: number, index: Shape): number {
  const axis = wrapAxis(dim, shape);
  if (elementCount(index) === 0) return axis;
  const sizes = atLeastOneAxis(shape);
  const lengths = atLeastOneAxis(index);
  if (sizes.length !== lengths.length)
    throw new ShapeError(
      `Index tensor must have the same number of dimensions as input tensor (index ${showShape(index)}, input ${showShape(shape)}; takeAlongDim broadcasts)`,
    );
  const other = lengths.findIndex((length, at) => at !== axis && length > sizes[at]!);
  if (other === -1) return axis;
  throw new ShapeError(
    `Size does not match at dimension ${other} expected index ${showShape(index)} to be smaller than self ${showShape(shape)} apart from dimension ${axis}`,
  );
}

/** The shapes that `takeAlongDim` broadcasts its operands to: equal except along the axis. */
export function takeAlongShapes(
  shape: Shape,
  index: Shape,
  dim: number,
): { readonly axis: number; readonly shape: Shape; readonly index: Shape } {
  if (shape.length !== index.length)
    throw new ShapeError(
      `torch.take_along_dim(): input and indices should have the same number of dimensions, but got ${shape.length} dimensions for input, and ${index.length} dimensions for indices`,
    );
  const axis = wrapAxis(dim, shape);
  const withSize = (sizes: Shape, size: number): Shape => sizes.map((old, at) => (at === axis ? size : old));
  return {
    axis,
    shape: broadcastShapes(withSize(index, shape[axis] ?? 1), shape),
    index: broadcastShapes(withSize(shape, index[axis] ?? 1), index),
  };
}

/** The shape itself, and `[1]` for a 0-d one. */
export type AtLeastOneAxis<S extends number[]> = S extends [] ? [1] : S;

/** The first axis other than `Axis` along which the index I is longer than S; `never` when it fits. */
export type LongerAxis<S extends number[], I extends number[], Axis> = {
  [Position in keyof I]: Position extends `${Axis & number}`
    ? never
    : Position extends keyof S
      ? Compare<I[Position] & number, S[Position] & number> extends "greater"
        ? Position
        : never
      : never;
}[number];

/** True when the index is known to have no elements. */
export type IsEmpty<I extends number[]> = 0 extends I[number]
  ? number extends I[number]
    ? false
    : true
  : false;

/** The shape of a gather, or the message. */
export type GatherOrFail<S extends number[], A extends number, I extends number[]> =
  UnknownRank<S> extends true
    ? I
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : UnknownRank<I> extends true
          ? number[]
          : IsEmpty<I> extends true
            ? I
            : AtLeastOneAxis<I>["length"] extends AtLeastOneAxis<S>["length"]
              ? number extends Axis
                ? I
                : LongerAxis<AtLeastOneAxis<S>, AtLeastOneAxis<I>, Axis> extends infer Longer
                  ? [Longer] extends [never]
                    ? I
                    : `Size does not match at dimension ${Extract<Longer, string>} expected index ${ShowShape<I>} to be smaller than self ${ShowShape<S>} apart from dimension ${Axis & number}`
                  : never
              : `Index tensor must have the same number of dimensions as input tensor (index ${ShowShape<I>}, input ${ShowShape<S>}; takeAlongDim broadcasts)`
      : never;

/** The shape of a gather. */
export type Gather<S extends number[], A extends number, I extends number[]> = Ok<GatherOrFail<S, A, I>>;

/** The shape of `takeAlongDim`, or the message; one for each member of a union. */
export type TakeAlongOrFail<S extends number[], I extends number[], A extends number | null> = A extends null
  ? [Product<I>]
  : UnknownRank<S> extends true
    ? number[]
    : UnknownRank<I> extends true
      ? number[]
      : S["length"] extends I["length"]
        ? WrapAxis<S, A & number> extends infer Axis
          ? Axis extends string
            ? Axis
            : BroadcastOrFail<ReplaceAt<S, Axis, 1>, ReplaceAt<I, Axis, 1>> extends infer Result
              ? Result extends number[]
                ? S extends []
                  ? []
                  : ReplaceAt<Result, Axis, SizeAt<I, Axis>>
                : Result
              : never
          : never
        : `torch.take_along_dim(): input and indices should have the same number of dimensions, but got ${S["length"]} dimensions for input, and ${I["length"]} dimensions for indices`;

/** The shape of `takeAlongDim`. */
export type TakeAlong<S extends number[], I extends number[], A extends number | null> = Ok<
  TakeAlongOrFail<S, I, A>
>;

/** S with the size of its axis A replaced by the length of the index I, which has one axis, or none and one element. */
export type IndexSelectOrFail<S extends number[], A extends number, I extends number[]> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : S extends []
          ? []
          : UnknownRank<I> extends true
            ? ReplaceAt<S, Axis, number>
            : I extends []
              ? ReplaceAt<S, Axis, 1>
              : I extends [infer Length]
                ? ReplaceAt<S, Axis, Length>
                : "index_select(): Index is supposed to be a vector"
      : never;

export type IndexSelect<S extends number[], A extends number, I extends number[]> = Ok<
  IndexSelectOrFail<S, A, I>
>;

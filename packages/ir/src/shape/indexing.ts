/**
 * Advanced indexing: Python's `x[...]` with tensors among the indices. Numbers, ranges, `":"`, `"..."` and `null` mean what they mean in a
 * slice, and are applied first. Each tensor that is left indexes one axis; a mask indexes as many axes as it has.
 * - The tensors broadcast to one shape B. A mask counts as the list of its true places, so its B is `[number]`.
 * - B replaces the axes of the tensors if those are adjacent; otherwise it becomes the first axes.
 */
import { ShapeError, showShape } from "../errors.ts";
import { type BroadcastOrFail, broadcastShapes } from "./broadcast.ts";
import type { Ok, Shape, UnknownRank } from "./shape.ts";
import type { Slice, SliceIndex } from "./slice.ts";

/** A tensor among the indices, as a type: its shape, and whether it is a mask. A 0-d tensor of integers is a number instead. */
export interface TensorIndex<I extends number[], Mask extends boolean> {
  readonly shape: I;
  readonly mask: Mask;
}

/** The shape that index tensors broadcast to. @throws ShapeError when they do not. */
export function indexShape(shapes: readonly Shape[]): Shape {
  try {
    return shapes.reduce((a, b) => broadcastShapes(a, b));
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ShapeError(
      `shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes.map(showShape).join(", ")}`,
    );
  }
}

/** @throws ShapeError unless a mask has the sizes of the axes that it indexes, from `axis` on. */
export function checkMask(shape: Shape, axis: number, mask: Shape): void {
  mask.forEach((size, at) => {
    if (size === shape[axis + at]) return;
    throw new ShapeError(
      `The shape of the mask ${showShape(mask)} at index ${at} does not match the shape of the indexed tensor ${showShape(shape)} at index ${axis + at}`,
    );
  });
}

/** True when the axes of the index tensors are adjacent, so that the shape B replaces them; otherwise B comes first. */
export const areAdjacent = (axes: readonly number[]): boolean =>
  axes.every((axis, k) => axis === (axes[0] as number) + k);

/** The indices as a slice: `":"` for every axis that a tensor indexes. A mask of n axes has n; one of no axes has `null`, a new axis. */
type Basic<R extends readonly unknown[], Result extends SliceIndex[] = []> = R extends readonly [
  infer Index,
  ...infer Rest,
]
  ? Basic<Rest, [...Result, ...BasicOf<Index>]>
  : Result;

type BasicOf<Index> =
  Index extends TensorIndex<infer I, infer Mask>
    ? Mask extends true
      ? I extends []
        ? [null]
        : { [Axis in keyof I]: ":" }
      : [":"]
    : [Extract<Index, SliceIndex>];

/** True when the result cannot be typed: for some tensor the rank is unknown, or whether it is a mask. */
type Unclear<R extends readonly unknown[]> = true extends {
  [Position in keyof R]: R[Position] extends TensorIndex<infer I, infer Mask>
    ? boolean extends Mask
      ? true
      : UnknownRank<I>
    : R[Position] extends SliceIndex
      ? false
      : true;
}[number]
  ? true
  : false;

type HasTensor<R extends readonly unknown[]> = true extends {
  [Position in keyof R]: R[Position] extends TensorIndex<number[], boolean> ? true : false;
}[number]
  ? true
  : false;

/** The broadcast shape of all index tensors, or the message. */
type Together<R extends readonly unknown[], B extends number[] = []> = R extends readonly [
  infer Index,
  ...infer Rest,
]
  ? Index extends TensorIndex<infer I, infer Mask>
    ? BroadcastOrFail<B, Mask extends true ? [number] : I> extends infer Both
      ? Both extends number[]
        ? Together<Rest, Both>
        : `shape mismatch: indexing tensors could not be broadcast together`
      : never
    : Together<Rest, B>
  : B;

/** Each axis of the basic result: its size, or `"at"` where a tensor indexes it. */
type Marks<
  R extends readonly unknown[],
  S extends number[],
  Left extends number,
  Result extends (number | "at")[] = [],
> = R extends readonly [infer Index, ...infer Rest]
  ? Index extends "..."
    ? Marks<Rest, Drop<S, Left>, 0, [...Result, ...Keep<S, Left>]>
    : Index extends number
      ? Marks<Rest, S, Left, Result>
      : BasicOf<Index> extends infer Parts extends readonly unknown[]
        ? Index extends TensorIndex<number[], boolean>
          ? Marks<Rest, Drop<S, Parts["length"]>, Left, [...Result, ...{ [K in keyof Parts]: "at" }]>
          : Marks<Rest, Drop<S, 1>, Left, [...Result, ...Keep<S, 1>]>
        : never
  : [...Result, ...S];

type Keep<S extends number[], Count extends number, Kept extends number[] = []> = Kept["length"] extends Count
  ? Kept
  : S extends [infer Size extends number, ...infer Rest extends number[]]
    ? Keep<Rest, Count, [...Kept, Size]>
    : Kept;

type Drop<
  S extends number[],
  Count extends number,
  Dropped extends 0[] = [],
> = Dropped["length"] extends Count
  ? S
  : S extends [number, ...infer Rest extends number[]]
    ? Drop<Rest, Count, [...Dropped, 0]>
    : S;

/** The axes of the basic result that no index is for: those that `"..."` stands for. */
type FreeAxes<R extends readonly unknown[], S extends number[]> = R extends readonly [
  infer Index,
  ...infer Rest,
]
  ? FreeAxes<Rest, Index extends "..." | number ? S : Drop<S, BasicOf<Index>["length"] & number>>
  : S["length"];

type Sizes<Marked extends readonly unknown[], Kept extends number[] = []> = Marked extends readonly [
  infer Size,
  ...infer Rest,
]
  ? Sizes<Rest, Size extends number ? [...Kept, Size] : Kept>
  : Kept;

/** The sizes before the first `"at"`. */
type Front<Marked extends readonly unknown[], Kept extends number[] = []> = Marked extends readonly [
  infer Size extends number,
  ...infer Rest,
]
  ? Front<Rest, [...Kept, Size]>
  : Kept;

type FromFirst<Marked extends readonly unknown[]> = Marked extends readonly [number, ...infer Rest]
  ? FromFirst<Rest>
  : Marked;

type AfterRun<Marked extends readonly unknown[]> = Marked extends readonly ["at", ...infer Rest]
  ? AfterRun<Rest>
  : Marked;

type Placed<Marked extends readonly unknown[], B extends number[]> =
  AfterRun<FromFirst<Marked>> extends infer Rest extends readonly unknown[]
    ? "at" extends Rest[number]
      ? [...B, ...Sizes<Marked>]
      : [...Front<Marked>, ...B, ...Sizes<Rest>]
    : never;

/** S indexed by R, or the message about its tensors. */
export type IndexOrFail<S extends number[], R extends readonly unknown[]> =
  HasTensor<R> extends false
    ? UnknownRank<R> extends true
      ? number[]
      : Slice<S, R>
    : UnknownRank<S> extends true
      ? number[]
      : UnknownRank<R> extends true
        ? number[]
        : Unclear<R> extends true
          ? number[]
          : Together<R> extends infer B
            ? B extends number[]
              ? Slice<S, Basic<R>> extends infer Whole extends number[]
                ? UnknownRank<Whole> extends true
                  ? number[]
                  : Placed<Marks<R, Whole, FreeAxes<R, Whole>>, B>
                : never
              : B
            : never;

/** S indexed by R. */
export type Index<S extends number[], R extends readonly unknown[]> = Ok<IndexOrFail<S, R>>;

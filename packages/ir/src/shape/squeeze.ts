/** Shape rules that remove axes of size 1, and insert them. */
import { type Axes, type InsertAt, type WrapAxes, type WrapAxis, wrapAxes, wrapAxis } from "./axes.ts";
import type { Ok, Shape, Sizes, UnknownRank } from "./shape.ts";

/** The shape without those of `axes` that have size 1. Axes of another size stay, as in PyTorch. */
export function squeezedShape(shape: Shape, axes: Axes): Shape {
  const named = Array.isArray(axes) && axes.length === 0 ? [] : wrapAxes(axes, shape);
  return shape.filter((size, axis) => size !== 1 || !named.includes(axis));
}

/** The shape with an axis of size 1 before `axis`, which may be one past the last. */
export function unsqueezedShape(shape: Shape, axis: number): Shape {
  const at = wrapAxis(axis, shape, shape.length + 1);
  return [...shape.slice(0, at), 1, ...shape.slice(at)];
}

/** The shape without its axes of size 1; `number[]` when a size is unknown. */
type Squeeze<
  S extends readonly number[],
  Axis,
  Kept extends number[] = [],
  Before extends 0[] = [],
> = S extends readonly [infer Size extends number, ...infer Rest extends readonly number[]]
  ? Before["length"] extends Axis
    ? number extends Size
      ? number[]
      : Squeeze<Rest, Axis, Size extends 1 ? Kept : [...Kept, Size], [...Before, 0]>
    : Squeeze<Rest, Axis, [...Kept, Size], [...Before, 0]>
  : Kept;

/** S without its axes of size 1 among A, or the message. If such a size is unknown, so is the rank. */
export type SqueezeOrFail<S extends number[], A> =
  UnknownRank<S> extends true
    ? number[]
    : A extends readonly []
      ? S
      : WrapAxes<S, A> extends infer Axis
        ? [Axis] extends [string]
          ? Axis
          : [Axis] extends [null]
            ? Squeeze<S, number>
            : number extends Axis
              ? number[]
              : Squeeze<S, Axis>
        : never;

export type SqueezeShape<S extends number[], A> = Ok<SqueezeOrFail<S, A>>;

/** The place where an axis is inserted (there is one more than there are axes), or the message. */
export type WrapInsertion<S extends readonly number[], A extends number> = WrapAxis<S, A, [...S, 0]>;

/** S with an axis of Size before A, or the message. */
export type InsertOrFail<S extends number[], A extends number, Size extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapInsertion<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : number extends Axis
          ? Sizes<[...S, 0]>
          : InsertAt<S, Axis, Size>
      : never;

export type Unsqueeze<S extends number[], A extends number> = Ok<InsertOrFail<S, A, 1>>;

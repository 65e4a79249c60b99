/** Shapes repeated along their axes (`repeat`, `tile`). */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";
import type { Multiply } from "./arithmetic.ts";
import { checkElementCount, type Ok, type Shape, type ShowShape, type UnknownRank } from "./shape.ts";

/**
 * The shape with leading axes of size 1 until it has one for each repeat: `repeat` needs a repeat for every axis.
 * @throws ShapeError when there are fewer repeats than axes; RangeError for a repeat that is no count.
 */
export function repeatedShape(shape: Shape, repeats: readonly number[]): Shape {
  checkIntegers("repeats", repeats);
  for (const count of repeats) {
    if (count < 0) {
      throw new RangeError(`Trying to create tensor with negative dimension ${count}: ${showShape(repeats)}`);
    }
  }
  const missing = repeats.length - shape.length;
  if (missing < 0)
    throw new ShapeError(
      `Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor (repeats ${showShape(repeats)}, shape ${showShape(shape)}; tile adds leading ones)`,
    );
  const padded = leadingOnes(missing, shape);
  checkElementCount(padded.map((size, axis) => size * repeats[axis]!));
  return padded;
}

/** `shape` with `count` leading axes of size 1. */
export const leadingOnes = (count: number, shape: Shape): Shape =>
  count <= 0 ? shape : [...Array.from({ length: count }, () => 1), ...shape];

/** Repeats aligned from the end. If there are more repeats than axes, `Missing` axes of size 1 come first. */
type Align<
  S extends readonly number[],
  R extends readonly number[],
  Tile extends boolean,
  Result extends number[] = [],
> = R extends readonly [...infer RestOfR extends readonly number[], infer Count extends number]
  ? S extends readonly [...infer RestOfS extends readonly number[], infer Size extends number]
    ? Align<RestOfS, RestOfR, Tile, [Multiply<Size, Count>, ...Result]>
    : [...R, ...Result]
  : S extends readonly []
    ? Result
    : Tile extends true
      ? [...S, ...Result]
      : null;

/** S repeated R times, or the message: `repeat` needs a count for every axis. */
export type RepeatOrFail<S extends number[], R extends readonly number[]> =
  UnknownRank<R> extends true
    ? number[]
    : UnknownRank<S> extends true
      ? number[]
      : Align<S, R, false> extends infer Result extends number[]
        ? Result
        : `Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor (repeats ${ShowShape<R>}, shape ${ShowShape<S>}; tile adds leading ones)`;

export type Repeat<S extends number[], R extends readonly number[]> = Ok<RepeatOrFail<S, R>>;

/** S tiled R times, or the message: the shorter of both lists gets leading ones. */
export type Tile<S extends number[], R extends readonly number[]> =
  UnknownRank<R> extends true ? number[] : UnknownRank<S> extends true ? number[] : Align<S, R, true>;

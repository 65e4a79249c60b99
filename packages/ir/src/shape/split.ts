/** Shape rules of `split`, `chunk` and `unbind`: one axis cut into pieces. */
import { ShapeError, showShape } from "../errors.ts";
import { checkInteger, checkIntegers } from "./arguments.ts";
import type { Divide, DivideUp } from "./arithmetic.ts";
import { type RemoveAt, type ReplaceAt, type SizeAt, type WrapAxis, wrapAxis } from "./axes.ts";
import type { Shape, UnknownRank } from "./shape.ts";

/**
 * The sizes of the pieces along `axis` (wrapped): pieces of size `pieces` and a smaller last one, or the sizes listed.
 * @throws RangeError for a piece that is no size; ShapeError when the listed sizes do not add up to the axis.
 */
export function splitSizes(
  shape: Shape,
  axis: number,
  pieces: number | readonly number[],
): readonly number[] {
  const size = shape[axis]!;
  if (typeof pieces !== "number") {
    checkIntegers("split sizes", pieces);
    for (const piece of pieces) {
      if (piece < 0) {
        throw new RangeError(
          `split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=${showShape(pieces)}`,
        );
      }
    }
    if (pieces.reduce((total, piece) => total + piece, 0) !== size) {
      throw new ShapeError(
        `split_with_sizes expects split_sizes to sum exactly to ${size} (input tensor's size at dimension ${axis}), but got split_sizes=${showShape(pieces)}`,
      );
    }
    return pieces;
  }
  checkInteger("split_size", pieces);
  if (pieces < 0)
    throw new RangeError(`split expects split_size be non-negative, but got split_size=${pieces}`);
  if (pieces === 0 && size !== 0)
    throw new RangeError(
      `split_size can only be 0 if dimension size is 0, but got dimension size of ${size} (shape ${showShape(shape)})`,
    );
  const count = size === 0 ? 1 : Math.ceil(size / pieces);
  return Array.from({ length: count }, (_, i) => Math.min(pieces, size - i * pieces));
}

/** The sizes of at most `chunks` equal pieces; the last may be smaller. */
export function chunkSizes(shape: Shape, axis: number, chunks: number): readonly number[] {
  checkInteger("chunks", chunks);
  if (chunks <= 0) throw new RangeError(`chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
  const size = shape[axis]!;
  return size === 0
    ? Array.from({ length: chunks }, () => 0)
    : splitSizes(shape, axis, Math.ceil(size / chunks));
}

/** The wrapped axis of a shape that has at least one. */
export function splitAxis(shape: Shape, axis: number): number {
  const at = wrapAxis(axis, shape);
  if (shape.length === 0) throw new RangeError(`Dimension specified as ${axis} but tensor has no dimensions`);
  return at;
}

/** Up to 99 pieces have a type each; more are a list of unknown length. */
type Few<Count extends number> = `${Count}` extends `${infer _}${infer Second}${infer _}`
  ? Second extends ""
    ? true
    : `${Count}` extends `${infer _}${infer _}${infer Third}`
      ? Third extends ""
        ? true
        : false
      : true
  : true;

type Repeat<Item, Count extends number, List extends Item[] = []> = List["length"] extends Count
  ? List
  : Repeat<Item, Count, [...List, Item]>;

type Pieces<
  S extends number[],
  Axis,
  Piece extends number,
  Parts extends [number, number],
> = number extends Parts[0]
  ? ReplaceAt<S, Axis, number>[]
  : Few<Parts[0]> extends true
    ? Parts[1] extends 0
      ? Repeat<ReplaceAt<S, Axis, Piece>, Parts[0]>
      : [...Repeat<ReplaceAt<S, Axis, Piece>, Parts[0]>, ReplaceAt<S, Axis, Parts[1]>]
    : ReplaceAt<S, Axis, number>[];

type PiecesOf<S extends number[], Axis, Piece extends number> = number extends Axis
  ? ReplaceAt<S, Axis, number>[]
  : SizeAt<S, Axis> extends 0
    ? [S]
    : Pieces<S, Axis, Piece, Divide<SizeAt<S, Axis>, Piece>>;

/** The shapes of the pieces, or the message. */
export type SplitOrFail<S extends number[], Piece, A extends number> =
  UnknownRank<S> extends true
    ? number[][]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : Piece extends number
          ? PiecesOf<S, Axis, Piece>
          : Piece extends readonly number[]
            ? { -readonly [Index in keyof Piece]: ReplaceAt<S, Axis, Piece[Index]> }
            : never
      : never;

/** The shapes of at most Chunks equal pieces, or the message. */
export type ChunkOrFail<S extends number[], Chunks extends number, A extends number> =
  UnknownRank<S> extends true
    ? number[][]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : SizeAt<S, Axis> extends 0
          ? S[]
          : Chunks extends unknown
            ? PiecesOf<S, Axis, DivideUp<SizeAt<S, Axis>, Chunks>>
            : never
      : never;

/** The shapes of the places of an axis, one each, or the message. */
export type UnbindOrFail<S extends number[], A extends number> =
  UnknownRank<S> extends true
    ? number[][]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : number extends Axis
          ? number[][]
          : number extends SizeAt<S, Axis>
            ? RemoveAt<S, Axis>[]
            : Few<SizeAt<S, Axis>> extends true
              ? Repeat<RemoveAt<S, Axis>, SizeAt<S, Axis>>
              : RemoveAt<S, Axis>[]
      : never;

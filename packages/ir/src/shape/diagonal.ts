/** The elements at places (i, i + offset) of two axes, as one last axis. */
import { ShapeError, showShape } from "../errors.ts";
import type { Add, Minimum, Subtract } from "./arithmetic.ts";
import { type RemoveAt, type SizeAt, type WrapAxis, wrapAxis } from "./axes.ts";
import type { Ok, Shape, ShowShape, Sizes, UnknownRank } from "./shape.ts";

/**
 * The two axes counted from the front.
 * @throws ShapeError when both are the same; RangeError for an axis that does not exist.
 */
export function diagonalAxes(shape: Shape, dim1: number, dim2: number): readonly [number, number] {
  const axis1 = wrapAxis(dim1, shape);
  const axis2 = wrapAxis(dim2, shape);
  if (axis1 === axis2)
    throw new ShapeError(
      `diagonal dimensions cannot be identical ${dim1}, ${dim2} (shape ${showShape(shape)})`,
    );
  return [axis1, axis2];
}

type Length<Rows extends number, Columns extends number, Offset extends number> = number extends Offset
  ? number
  : `${Offset}` extends `-${infer Below extends number}`
    ? Minimum<Subtract<Rows, Below>, Columns>
    : Minimum<Rows, Subtract<Columns, Offset>>;

/** The shape of the diagonal of two axes, or the message. */
export type DiagonalOrFail<S extends number[], Offset extends number, A extends number, B extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer First
      ? First extends string
        ? First
        : WrapAxis<S, B> extends infer Second
          ? Second extends string
            ? Second
            : number extends First | Second
              ? number[]
              : First extends Second
                ? `diagonal dimensions cannot be identical ${A}, ${B} (shape ${ShowShape<S>})`
                : [...RemoveAt<S, First | Second>, Length<SizeAt<S, First>, SizeAt<S, Second>, Offset>]
          : never
      : never;

export type Diagonal<S extends number[], Offset extends number, A extends number, B extends number> = Ok<
  DiagonalOrFail<S, Offset, A, B>
>;

/** The absolute value of an integer. */
export type Distance<Offset extends number> = `${Offset}` extends `-${infer N extends number}` ? N : Offset;

/** S with its last axis on a diagonal of two new axes, `Offset` places above the main one. The sizes are known if these are the last. */
export type DiagonalEmbedded<S extends number[], Offset extends number, A extends number, B extends number> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [...infer Leading extends number[], infer Last extends number]
      ? [A, B] extends [-2, -1]
        ? [...Leading, Add<Last, Distance<Offset>>, Add<Last, Distance<Offset>>]
        : [...Sizes<S>, number]
      : number[];

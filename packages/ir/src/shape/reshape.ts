/** The same elements under another shape. One size may be −1, which is computed from the others. */
import { ShapeError, showShape } from "../errors.ts";
import { checkIntegers } from "./arguments.ts";
import type { Divide, Multiply, Product } from "./arithmetic.ts";
import { type WrapAxis, wrapAxis } from "./axes.ts";
import { elementCount, type Ok, type Shape, type ShowShape, type UnknownRank } from "./shape.ts";

/**
 * `sizes` with −1 replaced by the size that fits.
 * @throws ShapeError when the numbers of elements differ; TypeError for sizes that are no integers.
 */
export function reshapedShape(shape: Shape, sizes: readonly number[]): Shape {
  checkIntegers("sizes", sizes);
  let inferred = -1;
  let known = 1;
  for (let axis = 0; axis < sizes.length; axis++) {
    const size = sizes[axis]!;
    if (size >= 0) known *= size;
    else if (size !== -1) throw new ShapeError(`invalid shape dimension ${size} (sizes ${showShape(sizes)})`);
    else if (inferred >= 0)
      throw new ShapeError(`only one dimension can be inferred (sizes ${showShape(sizes)})`);
    else inferred = axis;
  }
  const count = elementCount(shape);
  if (inferred < 0) {
    if (known === count) return sizes;
    throw invalid(shape, sizes, count, `${known} elements are asked for`);
  }
  if (known === 0 && count === 0)
    throw new ShapeError(
      `cannot reshape tensor of 0 elements into shape ${showShape(sizes)} because the unspecified dimension size -1 can be any value and is ambiguous`,
    );
  if (count % known !== 0 || known === 0)
    throw invalid(
      shape,
      sizes,
      count,
      `${count} elements of ${showShape(shape)} are not a multiple of ${known}`,
    );
  return sizes.map((size, axis) => (axis === inferred ? count / known : size));
}

const invalid = (shape: Shape, sizes: Shape, count: number, why: string): ShapeError =>
  new ShapeError(
    `shape '${showShape(sizes)}' is invalid for input of size ${count} (shape ${showShape(shape)}; ${why})`,
  );

/**
 * The shape with the axes from `start` to `end` merged into one; a 0-d shape becomes `[1]`.
 * @throws RangeError for axes that do not exist, ShapeError when `start` comes after `end`.
 */
export function flattenedShape(shape: Shape, start: number, end: number): Shape {
  const first = wrapAxis(start, shape);
  const last = wrapAxis(end, shape);
  if (first > last)
    throw new ShapeError(
      `flatten() has invalid args: start_dim cannot come after end_dim (${start} and ${end} of shape ${showShape(shape)})`,
    );
  if (shape.length === 0) return [1];
  return [...shape.slice(0, first), elementCount(shape.slice(first, last + 1)), ...shape.slice(last + 1)];
}

/** True of a size of type `any`, as those read from JSON are: it may be any number. */
type IsAny<Size> = 0 extends 1 & Size ? true : false;

/** The product of the sizes other than −1. */
type KnownProduct<R extends readonly number[], Result extends number = 1> = R extends readonly [
  infer Size extends number,
  ...infer Rest extends readonly number[],
]
  ? IsAny<Size> extends true
    ? number
    : KnownProduct<Rest, Size extends -1 ? Result : Multiply<Result, Size>>
  : Result;

type CountInferred<R extends readonly number[], Count extends 0[] = []> = R extends readonly [
  infer Size,
  ...infer Rest extends readonly number[],
]
  ? CountInferred<Rest, IsAny<Size> extends true ? Count : Size extends -1 ? [...Count, 0] : Count>
  : Count["length"];

/** The first size below −1; `never` if there is none. */
type NegativeSize<R extends readonly number[]> = {
  [Axis in keyof R]: IsAny<R[Axis]> extends true
    ? never
    : R[Axis] extends -1
      ? never
      : `${R[Axis]}` extends `-${string}`
        ? R[Axis]
        : never;
}[number];

type Fill<R extends readonly number[], Size extends number> = {
  -readonly [Axis in keyof R]: IsAny<R[Axis]> extends true ? number : R[Axis] extends -1 ? Size : R[Axis];
} extends infer Result extends number[]
  ? Result
  : never;

type Invalid<
  S extends number[],
  R extends readonly number[],
  Count extends number,
  Why extends string,
> = `shape '${ShowShape<R>}' is invalid for input of size ${Count} (shape ${ShowShape<S>}; ${Why})`;

type Infer<
  S extends number[],
  R extends readonly number[],
  Count extends number,
  Known extends number,
> = number extends Known
  ? Fill<R, number>
  : number extends Count
    ? Fill<R, number>
    : Known extends 0
      ? Count extends 0
        ? `cannot reshape tensor of 0 elements into shape ${ShowShape<R>} because the unspecified dimension size -1 can be any value and is ambiguous`
        : Invalid<S, R, Count, `${Count} elements of ${ShowShape<S>} are not a multiple of 0`>
      : Divide<Count, Known> extends [infer Size extends number, infer Rest]
        ? Rest extends 0
          ? Fill<R, Size>
          : Invalid<S, R, Count, `${Count} elements of ${ShowShape<S>} are not a multiple of ${Known}`>
        : never;

type Exactly<
  S extends number[],
  R extends readonly number[],
  Count extends number,
  Known extends number,
> = number extends Known
  ? [...R]
  : number extends Count
    ? [...R]
    : Known extends Count
      ? [...R]
      : Invalid<S, R, Count, `${Known} elements are asked for`>;

/** S reshaped to the sizes R, or the message. */
export type ReshapeOrFail<S extends number[], R extends readonly number[]> =
  UnknownRank<R> extends true
    ? number[]
    : [NegativeSize<R>] extends [never]
      ? CountInferred<R> extends 0
        ? Exactly<S, R, Product<S>, Product<R>>
        : CountInferred<R> extends 1
          ? Infer<S, R, Product<S>, KnownProduct<R>>
          : "only one dimension can be inferred"
      : `invalid shape dimension ${NegativeSize<R>}`;

export type Reshape<S extends number[], R extends readonly number[]> = Ok<ReshapeOrFail<S, R>>;

type Merge<
  S extends readonly number[],
  First extends number,
  Last extends number,
  Front extends number[] = [],
  Merged extends number = 1,
  Before extends 0[] = [],
  Inside extends boolean = false,
> = S extends readonly [infer Size extends number, ...infer Rest extends readonly number[]]
  ? (Before["length"] extends First ? true : Inside) extends true
    ? Before["length"] extends Last
      ? [...Front, Multiply<Merged, Size>, ...Rest]
      : Merge<Rest, First, Last, Front, Multiply<Merged, Size>, [...Before, 0], true>
    : Merge<Rest, First, Last, [...Front, Size], Merged, [...Before, 0], false>
  : "flatten() has invalid args: start_dim cannot come after end_dim";

/** The shape with the axes from Start to End merged, or the message. */
export type FlattenOrFail<S extends number[], Start extends number, End extends number> =
  WrapAxis<S, Start> extends infer First
    ? First extends string
      ? First
      : WrapAxis<S, End> extends infer Last
        ? Last extends string
          ? Last
          : number extends First | Last
            ? number[]
            : S extends []
              ? [1]
              : Merge<S, First & number, Last & number>
        : never
    : never;

export type Flatten<S extends number[], Start extends number, End extends number> = Ok<
  FlattenOrFail<S, Start, End>
>;

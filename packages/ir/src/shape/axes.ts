/** Axes as PyTorch takes them: −1 is the last one, and a 0-d tensor has the axes 0 and −1. */
import { ShapeError, showShape } from "../errors.ts";
import { checkInteger, checkIntegers, showArgument } from "./arguments.ts";
import type { Shape, ShowShape, Sizes, UnknownRank } from "./shape.ts";

/** One axis, several, or all of them (`null`, as PyTorch's `dim=None`). */
export type Axes = number | readonly number[] | null;

/**
 * The axis counted from the front. To insert an axis, pass the rank of the result as `rank`.
 * @throws RangeError for an axis that does not exist; TypeError for one that is no integer.
 */
export function wrapAxis(axis: number, shape: Shape, rank: number = shape.length): number {
  checkInteger("a dimension", axis);
  const range = rank === 0 ? 1 : rank;
  if (axis < -range || axis >= range)
    throw new RangeError(
      `Dimension out of range (expected to be in range of [${-range}, ${range - 1}], but got ${axis}) (shape ${showShape(shape)})`,
    );
  return axis < 0 ? axis + range : axis;
}

/**
 * The axes counted from the front, ascending: all of them for `null` and for an empty list, none for a 0-d shape.
 * @throws RangeError or TypeError for an axis that does not exist, ShapeError for one that is given twice.
 */
export function wrapAxes(axes: Axes, shape: Shape): readonly number[] {
  if (typeof axes === "number") {
    const axis = wrapAxis(axes, shape);
    return shape.length === 0 ? [] : [axis];
  }
  if (axes === null || axes === undefined) return allAxes(shape.length);
  if (!Array.isArray(axes))
    throw new TypeError(`dim is an axis, an array of axes or null for all, but got ${showArgument(axes)}`);
  const wrapped = uniqueAxes(axes, shape);
  if (wrapped.length === 0) return allAxes(shape.length);
  return shape.length === 0 ? [] : wrapped.sort((a, b) => a - b);
}

/** A loop, because `Array.from` takes a quarter of a microsecond, and every recorded sum over all axes calls this. */
function allAxes(rank: number): number[] {
  const axes = new Array<number>(rank);
  for (let axis = 0; axis < rank; axis++) axes[axis] = axis;
  return axes;
}

/** The axes counted from the front, in the order given. */
export function uniqueAxes(axes: readonly number[], shape: Shape): number[] {
  checkIntegers("dims", axes);
  const wrapped = axes.map((axis) => wrapAxis(axis, shape));
  wrapped.forEach((axis, i) => {
    if (wrapped.indexOf(axis) !== i)
      throw new ShapeError(
        `dim ${axis} appears multiple times in the list of dims (${showShape(axes)} of shape ${showShape(shape)})`,
      );
  });
  return wrapped;
}

type Zeros<S extends readonly unknown[]> = { [Axis in keyof S]: 0 };

/** Every number that each axis can be given by, e.g. `{ "0": 0, "-2": 0, "1": 1, "-1": 1 }` for two axes. */
type NamesOf<Left extends readonly unknown[], Before extends 0[] = []> = Left extends readonly [
  unknown,
  ...infer Rest,
]
  ? { [Name in `${Before["length"]}` | `-${Left["length"]}`]: Before["length"] } & NamesOf<
      Rest,
      [...Before, 0]
    >
  : unknown;

type AxisNames<S extends readonly unknown[]> = S extends readonly []
  ? { "0": 0; "-1": 0 }
  : NamesOf<Zeros<S>>;

/** The last axis of a shape that has one. */
type LastAxis<S extends readonly unknown[]> = S extends readonly [unknown, ...infer Rest]
  ? Rest["length"]
  : 0;

/** Axis A of S counted from the front, or the message; `number` when the axis or the rank is not known. */
export type WrapAxis<S extends readonly unknown[], A extends number, Ranked extends readonly unknown[] = S> =
  UnknownRank<Ranked> extends true
    ? number
    : number extends A
      ? number
      : `${A}` extends infer Name extends keyof AxisNames<Ranked>
        ? AxisNames<Ranked>[Name]
        : `Dimension out of range (expected to be in range of [-${Ranked extends readonly [] ? 1 : Ranked["length"]}, ${LastAxis<Ranked>}], but got ${A}) (shape ${ShowShape<S>})`;

type WrapEach<
  S extends readonly unknown[],
  List extends readonly number[],
  Seen = never,
> = List extends readonly [infer A extends number, ...infer Rest extends readonly number[]]
  ? WrapAxis<S, A> extends infer Axis
    ? Axis extends string
      ? Axis
      : number extends Axis
        ? number
        : Axis extends Seen
          ? `dim ${Axis & number} appears multiple times in the list of dims`
          : WrapEach<S, Rest, Seen | Axis>
    : never
  : Seen;

/** The axes in A counted from the front, as a union of numbers, or the message. `number` when they are unknown, `null` for all axes. */
export type WrapAxes<S extends readonly unknown[], A> = [A] extends [null | undefined]
  ? null
  : A extends readonly []
    ? null
    : A extends number
      ? WrapAxis<S, A>
      : A extends readonly number[]
        ? UnknownRank<A> extends true
          ? number
          : WrapEach<S, A>
        : null;

/** S with `Size` at `Axis`; one shape for each of a union of axes. If the axis is unknown, all sizes become unknown. */
export type ReplaceAt<S extends number[], Axis, Size> = Axis extends unknown
  ? number extends Axis
    ? Sizes<S>
    : {
          [Position in keyof S]: Position extends `${Axis & number}` ? Size : S[Position];
        } extends infer Result extends number[]
      ? Result
      : never
  : never;

/** S without all of the axes in the union `Axis`. */
export type RemoveAt<
  S extends readonly number[],
  Axis,
  Kept extends number[] = [],
  Before extends 0[] = [],
> = S extends readonly [infer Size extends number, ...infer Rest extends readonly number[]]
  ? RemoveAt<Rest, Axis, Before["length"] extends Axis ? Kept : [...Kept, Size], [...Before, 0]>
  : Kept;

/** S with `Size` as a new axis in front of `Axis`. */
export type InsertAt<
  S extends readonly number[],
  Axis,
  Size extends number,
  Front extends number[] = [],
> = Front["length"] extends Axis
  ? [...Front, Size, ...S]
  : S extends readonly [infer First extends number, ...infer Rest extends readonly number[]]
    ? InsertAt<Rest, Axis, Size, [...Front, First]>
    : [...Front, Size];

/** The size at `Axis`; `number` when it is unknown. */
export type SizeAt<S extends readonly number[], Axis> = number extends Axis
  ? number
  : Extract<S[Axis & number], number>;

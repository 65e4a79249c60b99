/** Shape rules of ops that move, rotate, or split axes, or cut windows out of them. */
import { ShapeError, showShape } from "../errors.ts";
import { checkInteger, checkIntegers } from "./arguments.ts";
import type { Add, Divide, Multiply, Product, Subtract } from "./arithmetic.ts";
import {
  type InsertAt,
  type RemoveAt,
  type ReplaceAt,
  type SizeAt,
  type WrapAxis,
  wrapAxis,
} from "./axes.ts";
import type { Ok, Shape, ShowShape, Sizes, StridedView, UnknownRank } from "./shape.ts";

/**
 * The permutation that moves the axes `source` to `destination`. The other axes keep their order.
 * @throws ShapeError for lists of different lengths or with duplicates; RangeError for an axis that does not exist.
 */
export function movedAxes(
  shape: Shape,
  source: number | readonly number[],
  destination: number | readonly number[],
): readonly number[] {
  const [from, to] = [source, destination].map((axes) => (typeof axes === "number" ? [axes] : axes)) as [
    readonly number[],
    readonly number[],
  ];
  const [sources, destinations] = [from, to].map((axes, k) => {
    checkIntegers("dims", axes);
    const wrapped = axes.map((axis) => wrapAxis(axis, shape));
    if (new Set(wrapped).size < wrapped.length)
      throw new ShapeError(
        `movedim: repeated dim in \`${k === 0 ? "source" : "destination"}\` (${showShape(axes)})`,
      );
    return wrapped;
  }) as [number[], number[]];
  if (from.length !== to.length)
    throw new ShapeError(
      `movedim: Invalid source or destination dims: source (${showShape(from)} dims) should contain the same number of dims as destination (${showShape(to)} dims)`,
    );
  const rest = shape.map((_, axis) => axis).filter((axis) => !sources.includes(axis));
  return shape.map((_, axis) => {
    const moved = destinations.indexOf(axis);
    return moved >= 0 ? sources[moved]! : (rest.shift() as number);
  });
}

/**
 * The two axes of a rotation, counted from the front.
 * @throws ShapeError unless there are two.
 */
export function rotatedAxes(
  shape: Shape,
  quarters: number,
  dims: readonly number[],
): readonly [number, number] {
  checkInteger("k", quarters);
  checkIntegers("dims", dims);
  if (dims.length !== 2)
    throw new ShapeError(`expected total rotation dims == 2, but got dims = ${dims.length}`);
  if (shape.length < 2)
    throw new ShapeError(`expected total dims >= 2, but got total dims = ${shape.length}`);
  const [dim0, dim1] = dims as readonly [number, number];
  if (dim0 === dim1 || Math.abs(dim0 - dim1) === shape.length)
    throw new ShapeError(`expected rotation dims to be different, but got dim0 = ${dim0} and dim1 = ${dim1}`);
  return [wrapAxis(dim0, shape), wrapAxis(dim1, shape)];
}

/** The strided view of all windows of `size` places along one axis, `step` places apart. */
export function unfoldedWindow(
  { shape, strides, offset }: StridedView,
  dim: number,
  size: number,
  step: number,
): StridedView {
  const axis = wrapAxis(dim, shape);
  checkInteger("size", size);
  checkInteger("step", step);
  const places = shape[axis] ?? 1;
  if (size < 0) throw new RangeError(`size is ${size} but must be >= 0`);
  if (size > places)
    throw new ShapeError(
      `maximum size for tensor at dimension ${axis} is ${places} but size is ${size} (shape ${showShape(shape)})`,
    );
  if (step <= 0) throw new RangeError(`step is ${step} but must be > 0`);
  const count = Math.floor((places - size) / step) + 1;
  if (shape.length === 0) return { shape: [size], strides: [1], offset };
  return {
    shape: [...shape.map((length, at) => (at === axis ? count : length)), size],
    strides: [...strides.map((stride, at) => (at === axis ? stride * step : stride)), strides[axis]!],
    offset,
  };
}

/**
 * The sizes of `count` sections, as equal as possible, the larger ones first.
 * @throws RangeError for fewer than one section.
 */
export function sectionSizes(size: number, sections: number): readonly number[] {
  checkInteger("sections", sections);
  if (sections <= 0) throw new RangeError(`number of sections must be larger than 0, got ${sections}`);
  const [smaller, larger] = [Math.floor(size / sections), size % sections];
  return Array.from({ length: sections }, (_, i) => (i < larger ? smaller + 1 : smaller));
}

/** S with one axis moved, or the message. If lists of axes are given, the sizes become unknown. */
export type MoveOrFail<S extends number[], From, To> =
  UnknownRank<S> extends true
    ? number[]
    : [From, To] extends [infer A extends number, infer B extends number]
      ? WrapAxis<S, A> extends infer Source
        ? Source extends string
          ? Source
          : WrapAxis<S, B> extends infer Target
            ? Target extends string
              ? Target
              : number extends Source | Target
                ? Sizes<S>
                : S extends []
                  ? []
                  : InsertAt<RemoveAt<S, Source>, Target, SizeAt<S, Source>>
            : never
        : never
      : Sizes<S>;

export type Move<S extends number[], From, To> = Ok<MoveOrFail<S, From, To>>;

type LastDigit<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? Rest extends ""
    ? First
    : LastDigit<Rest>
  : never;

/** True for an even number of quarter turns; `boolean` for an unknown one. */
export type IsEven<K extends number> = K extends unknown
  ? number extends K
    ? boolean
    : LastDigit<`${K}`> extends "0" | "2" | "4" | "6" | "8"
      ? true
      : false
  : never;

/** The number of windows: (places − size) / step + 1. */
type WindowCount<Places extends number, Size extends number, Step extends number> = number extends
  | Places
  | Size
  | Step
  ? number
  : Divide<Subtract<Places, Size>, Step> extends [infer Count extends number, number]
    ? Add<Count, 1>
    : number;

/** S with one axis cut into windows, or the message. */
export type UnfoldOrFail<S extends number[], A extends number, Size extends number, Step extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : S extends []
          ? [Size]
          : number extends Axis
            ? [...Sizes<S>, Size]
            : [...ReplaceAt<S, Axis, WindowCount<SizeAt<S, Axis>, Size, Step>>, Size]
      : never;

export type Unfold<S extends number[], A extends number, Size extends number, Step extends number> = Ok<
  UnfoldOrFail<S, A, Size, Step>
>;

type Before<S extends number[], Axis, Front extends number[] = []> = Front["length"] extends Axis
  ? Front
  : S extends [infer First extends number, ...infer Rest extends number[]]
    ? Before<Rest, Axis, [...Front, First]>
    : Front;

type After<S extends number[], Axis, Seen extends 0[] = []> = S extends [
  number,
  ...infer Rest extends number[],
]
  ? Seen["length"] extends Axis
    ? Rest
    : After<Rest, Axis, [...Seen, 0]>
  : [];

type Mutable<R extends readonly number[]> = { -readonly [Axis in keyof R]: R[Axis] };

/** R with −1 replaced by the size that remains of Size. */
type Cut<Size extends number, R extends readonly number[]> = -1 extends R[number]
  ? {
      -readonly [Axis in keyof R]: R[Axis] extends -1
        ? Divide<Size, Product<Positive<R>>> extends [infer Rest extends number, number]
          ? Rest
          : number
        : R[Axis];
    }
  : Mutable<R>;

type Positive<R extends readonly number[]> = {
  -readonly [Axis in keyof R]: R[Axis] extends -1 ? 1 : R[Axis];
};

/** S with one axis split into several, or the message. */
export type UnflattenOrFail<S extends number[], A extends number, R extends readonly number[]> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends string
        ? Axis
        : number extends Axis
          ? number[]
          : Fits<SizeAt<S, Axis>, R> extends true
            ? [...Before<S, Axis>, ...Extract<Cut<SizeAt<S, Axis>, R>, number[]>, ...After<S, Axis>]
            : `unflatten: Provided sizes ${ShowShape<R>} don't multiply up to the size of dim ${Axis & number} (${SizeAt<S, Axis>}) in the input tensor`
      : never;

/** Whether the product of the sizes is Size. It may be, if one is unknown. */
type Fits<Size extends number, R extends readonly number[]> = number extends Size | R[number]
  ? true
  : -1 extends R[number]
    ? true
    : Product<Mutable<R>> extends Size
      ? true
      : false;

export type Unflatten<S extends number[], A extends number, R extends readonly number[]> = Ok<
  UnflattenOrFail<S, A, R>
>;

/** S with axes of size 1 added until there are Rank axes, where `atleast1d` and its like put them. */
export type AtLeast<S extends number[], Rank extends 1 | 2 | 3> =
  UnknownRank<S> extends true
    ? number[]
    : Rank extends 1
      ? S extends []
        ? [1]
        : S
      : Rank extends 2
        ? S extends []
          ? [1, 1]
          : S extends [infer Size extends number]
            ? [1, Size]
            : S
        : S extends []
          ? [1, 1, 1]
          : S extends [infer Size extends number]
            ? [1, Size, 1]
            : S extends [infer Rows extends number, infer Columns extends number]
              ? [Rows, Columns, 1]
              : S;

/** S with every place along an axis repeated; flat when no axis is given. */
export type RepeatInterleaved<S extends number[], Count, A> = [A] extends [number]
  ? UnknownRank<S> extends true
    ? number[]
    : S extends []
      ? [Count extends number ? Count : number]
      : WrapAxis<S, A> extends infer Axis
        ? Axis extends number
          ? ReplaceAt<S, Axis, Count extends number ? Multiply<SizeAt<S, Axis>, Count> : number>
          : number[]
        : never
  : [UnknownRank<S> extends true ? number : Count extends number ? Multiply<Product<S>, Count> : number];

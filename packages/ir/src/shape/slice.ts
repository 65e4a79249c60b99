/**
 * The indices of `x.slice(...)`, one for each axis from the front, as Python's `x[...]` takes them.
 * - A number selects one place and removes the axis; −1 is the last place.
 * - `[start, stop, step]` takes the places from `start` on, up to but without `stop`. `null` or a missing number means the end of the axis,
 *   so `[]` is the whole axis and `[1]` all but its first place. Negative places count from the end; those outside are clamped.
 * - `":"` is the whole axis, `"..."` as many whole axes as are left, `null` a new axis of size 1.
 */
import { ShapeError, showShape } from "../errors.ts";
import { checkInteger, showArgument } from "./arguments.ts";
import type { Compare, DivideUp, Minimum, Subtract } from "./arithmetic.ts";
import type { Ok, Shape, ShowShape, UnknownRank } from "./shape.ts";

type Place = number | null | undefined;
/** `[start, stop, step]`, each of which may be left out. */
export type Range = readonly [start?: Place, stop?: Place, step?: Place];
/** One index of `x.slice(...)`. */
export type SliceIndex = number | null | ":" | "..." | Range;

/** A slice with all places resolved. `sizes` is the shape before selected axes are removed and new ones inserted. */
export interface ResolvedSlice {
  readonly starts: readonly number[];
  readonly steps: readonly number[];
  readonly sizes: Shape;
  readonly shape: Shape;
}

/**
 * Resolves indices against a shape.
 * @throws RangeError for a place or axis that does not exist or a step below 1; TypeError for what is no index.
 */
export function resolveSlice(shape: Shape, indices: readonly SliceIndex[]): ResolvedSlice {
  const named = indices.filter((index) => index !== null && index !== "...").length;
  if (named > shape.length)
    throw new RangeError(
      `too many indices for tensor of dimension ${shape.length} (${named} indices, shape ${showShape(shape)})`,
    );
  const starts: number[] = [];
  const steps: number[] = [];
  const sizes: number[] = [];
  const result: number[] = [];
  const take = (start: number, step: number, size: number): void => {
    starts.push(start);
    steps.push(step);
    sizes.push(size);
  };
  const takeWhole = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const size = shape[sizes.length]!;
      take(0, 1, size);
      result.push(size);
    }
  };
  let ellipses = 0;
  for (const index of indices) {
    if (index === null) result.push(1);
    else if (index === ":") takeWhole(1);
    else if (index === "...") {
      if (++ellipses > 1) throw new ShapeError(`an index can only have a single ellipsis ('...')`);
      takeWhole(shape.length - named);
    } else if (typeof index === "number") take(selectedPlace(shape, sizes.length, index), 1, 1);
    else {
      const [start, step, size] = resolveRange(shape[sizes.length]!, index);
      take(start, step, size);
      result.push(size);
    }
  }
  takeWhole(shape.length - sizes.length);
  return { starts, steps, sizes, shape: result };
}

function selectedPlace(shape: Shape, axis: number, index: number): number {
  const size = shape[axis]!;
  checkInteger("an index", index);
  if (index < -size || index >= size)
    throw new RangeError(
      `index ${index} is out of bounds for dimension ${axis} with size ${size} (shape ${showShape(shape)})`,
    );
  return index < 0 ? index + size : index;
}

/** [start, step, length] of a range along an axis of `size`. */
export function resolveRange(size: number, range: Range): readonly [number, number, number] {
  if (!Array.isArray(range))
    throw new TypeError(
      `an index is a number, null, ":", "..." or a range [start, stop, step], but got ${showArgument(range)}`,
    );
  const step = range[2] ?? 1;
  checkInteger("a step", step);
  if (step <= 0)
    throw new RangeError(
      `step must be greater than zero (got ${step}; PyTorch has no negative steps; flip reverses)`,
    );
  const start = clampedPlace(size, range[0] ?? 0);
  const stop = clampedPlace(size, range[1] ?? size);
  return [start, step, Math.max(0, Math.ceil((stop - start) / step))];
}

function clampedPlace(size: number, place: number): number {
  checkInteger("a place", place);
  return Math.min(Math.max(place < 0 ? place + size : place, 0), size);
}

type Part<R extends readonly unknown[], At extends 0 | 1 | 2> = R[At] extends infer P
  ? [P] extends [number]
    ? P
    : null
  : null;

type Resolve<P, Size extends number, Default extends number> = P extends number
  ? number extends P
    ? number
    : `${P}` extends `-${infer FromEnd extends number}`
      ? Subtract<Size, FromEnd>
      : Minimum<P, Size>
  : Default;

/** The number of places of a range along an axis of Size. */
type RangeSize<Size extends number, R extends readonly unknown[]> = R extends readonly []
  ? Size
  : DivideUp<
      Subtract<Resolve<Part<R, 1>, Size, Size>, Resolve<Part<R, 0>, Size, 0>>,
      Part<R, 2> extends infer Step extends number ? Step : 1
    >;

type BadStep<R extends readonly unknown[]> =
  Part<R, 2> extends infer Step extends number
    ? `${Step}` extends "0" | `-${string}`
      ? `step must be greater than zero (got ${Step}; PyTorch has no negative steps; flip reverses)`
      : never
    : never;

/** Whether place I exists on an axis of Size. Unknown places are taken to exist. */
export type Exists<I extends number, Size extends number> = number extends I
  ? true
  : number extends Size
    ? true
    : `${I}` extends `-${infer FromEnd extends number}`
      ? Compare<FromEnd, Size> extends "greater"
        ? false
        : true
      : Compare<I, Size> extends "less"
        ? true
        : false;

/** The first invalid index, and the message. */
interface Fault<Position, Message> {
  readonly position: Position;
  readonly message: Message;
}

/** How many axes the indices are for. */
type Named<R extends readonly unknown[], Count extends 0[] = []> = R extends readonly [infer I, ...infer Rest]
  ? Named<Rest, I extends null | "..." ? Count : [...Count, 0]>
  : Count;

/** The axes of S that are left after as many as Count has. */
type Unnamed<S extends readonly unknown[], Count extends readonly 0[]> = Count extends readonly [
  0,
  ...infer Fewer extends readonly 0[],
]
  ? S extends readonly [unknown, ...infer Rest]
    ? Unnamed<Rest, Fewer>
    : never
  : S;

/** [the first sizes of S, as many as Count has; the others] */
type TakeFirst<
  S extends readonly unknown[],
  Count extends readonly unknown[],
  Taken extends unknown[] = [],
> = Count extends readonly [unknown, ...infer Fewer]
  ? S extends readonly [infer Size, ...infer Rest]
    ? TakeFirst<Rest, Fewer, [...Taken, Size]>
    : [Taken, S]
  : [Taken, S];

type Walk<
  S extends number[],
  Whole extends number[],
  R extends readonly unknown[],
  Free extends readonly unknown[],
  Result extends number[] = [],
  Position extends 0[] = [],
  Axis extends unknown[] = [],
> = R extends readonly [infer I, ...infer Later]
  ? I extends null
    ? Walk<S, Whole, Later, Free, [...Result, 1], [...Position, 0], Axis>
    : I extends "..."
      ? TakeFirst<S, Free> extends [infer Taken extends number[], infer Left extends number[]]
        ? Walk<Left, Whole, Later, [], [...Result, ...Taken], [...Position, 0], [...Axis, ...Free]>
        : never
      : S extends [infer Size extends number, ...infer Left extends number[]]
        ? I extends ":"
          ? Walk<Left, Whole, Later, Free, [...Result, Size], [...Position, 0], [...Axis, 0]>
          : I extends number
            ? Exists<I, Size> extends true
              ? Walk<Left, Whole, Later, Free, Result, [...Position, 0], [...Axis, 0]>
              : Fault<
                  `${Position["length"]}`,
                  `index ${I} is out of bounds for dimension ${Axis["length"]} with size ${Size} (shape ${ShowShape<Whole>})`
                >
            : I extends readonly unknown[]
              ? [BadStep<I>] extends [never]
                ? Walk<
                    Left,
                    Whole,
                    Later,
                    Free,
                    [...Result, RangeSize<Size, I>],
                    [...Position, 0],
                    [...Axis, 0]
                  >
                : Fault<`${Position["length"]}`, BadStep<I>>
              : number[]
        : number[]
  : [...Result, ...S];

type SliceOrFault<S extends number[], R extends readonly unknown[]> =
  UnknownRank<S> extends true
    ? number[]
    : UnknownRank<R> extends true
      ? number[]
      : [Unnamed<S, Named<R>>] extends [never]
        ? Fault<
            "0",
            `too many indices for tensor of dimension ${S["length"]} (${Named<R>["length"]} indices, shape ${ShowShape<S>})`
          >
        : Walk<S, S, R, Unnamed<S, Named<R>>>;

/** S indexed by R. */
export type Slice<S extends number[], R extends readonly unknown[]> = Ok<SliceOrFault<S, R>>;

type At<S extends number[], R extends readonly unknown[], Position, Index> =
  SliceOrFault<S, R> extends Fault<infer Faulty, infer Message>
    ? Position extends Faulty
      ? Message
      : Index
    : Index;

/** The indices themselves, with the message in place of the invalid one. */
export type CheckSlice<S extends number[], R extends readonly unknown[]> = {
  [Position in keyof R]: At<S, R, Position, R[Position]>;
};

/** The first place of a range of `length` places along `axis`. @throws RangeError if it is out of bounds. */
export function checkNarrow(shape: Shape, axis: number, start: number, length: number): number {
  const size = shape[axis]!;
  checkInteger("start", start);
  checkInteger("length", length);
  if (length < 0) throw new RangeError(`narrow(): length must be non-negative. (got ${length})`);
  const first = start < 0 ? start + size : start;
  if (start < -size || first + length > size)
    throw new RangeError(
      `start (${start}) + length (${length}) exceeds dimension size (${size}). (dimension ${axis} of shape ${showShape(shape)})`,
    );
  return first;
}

/** Folds of pieces of an axis. Source: torch.segment_reduce. */
import {
  DTypeError,
  elementCount,
  isFloat,
  isInt,
  type Nested,
  ShapeError,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { full } from "../ops/creation.ts";
import { fromNested } from "../ops/elements.ts";
import { numbersNow } from "../ops/host.ts";
import { alongAxis, slicesAt } from "../ops/indexing.ts";
import { expand, narrowed, withShape } from "../ops/movement.ts";
import { torchName } from "../ops/operand.ts";
import { add, div, eq, maximum, mul, ne, or, sub, where } from "../ops/pointwise.ts";
import { reduced, scattered } from "../ops/scatter.ts";
import { searchsorted } from "../ops/search.ts";
import * as record from "../record.ts";
import { withRule } from "../tape/rule.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export interface SegmentReduceOptions<A extends number = number> {
  /** How many places along the axis each segment has. With an axis beyond 0, one list for each place of the axes before it. */
  readonly lengths?: AnyTensor | readonly number[] | null;
  /** In the place of lengths: where each segment begins, and at last where the last one ends. Places before and behind are left out. */
  readonly offsets?: AnyTensor | null;
  /** The axis that the segments are pieces of, which is the last one of lengths and offsets. Default 0. */
  readonly axis?: A;
  /** If true, lengths and offsets are neither read nor checked, so that `jit` can record the call. Places beyond them are left out. */
  readonly unsafe?: boolean;
  /** What each fold starts from. By default a segment without rows gives 0, 1, NaN, -Infinity or Infinity. */
  readonly initial?: number | null;
}

const folds = {
  sum: ["sum", 0],
  mean: ["sum", 0],
  prod: ["prod", 1],
  max: ["amax", Number.NEGATIVE_INFINITY],
  min: ["amin", Number.POSITIVE_INFINITY],
} as const;

interface Bounds {
  /** Where segments begin and end, as [lists, segments + 1]. */
  readonly places: Value;
  /** True if it is known that each place of the axis is in a segment. */
  readonly areAll: boolean;
}

/** The segments along an axis of `shape`. Unless that is unsafe, they are computed and checked now. */
function boundsOf(shape: readonly number[], axis: number, options: SegmentReduceOptions): Bounds {
  const { lengths = null, offsets = null, unsafe = false } = options;
  if (lengths !== null && offsets !== null)
    throw new TypeError("takes lengths or offsets, and not both (either says where segments end)");
  const given = lengths ?? offsets;
  if (given === null) throw new TypeError("Either lengths or offsets must be defined.");
  const value =
    given instanceof Tensor
      ? unwrap(given)
      : fromNested("segmentReduce", given as Nested, undefined, "int64");
  const { dtype, shape: own } = value.node;
  if (!isInt(dtype)) throw new DTypeError(`lengths and offsets are integers (got ${dtype})`);
  if (own.length !== axis + 1 || !sameNumbers(own.slice(0, -1), shape.slice(0, axis)))
    throw new ShapeError(
      `Expected axis to be the last dimension of lengths or offsets, whose others are those of data (axis ${axis} of ${showShape(shape)}, but they have shape ${showShape(own)})`,
    );
  const count = own[axis]!;
  if (lengths === null && count === 0)
    throw new ShapeError("offsets has at least one number, where the last segment ends");
  const lists = elementCount(shape.slice(0, axis));
  const whole = withShape(record.cast(value, "int64"), [lists, count]);
  const places =
    lengths === null ? whole : record.concat([full([lists, 1], 0, "int64"), record.scan("sum", whole, 1)], 1);
  return { places, areAll: !unsafe && checkBounds(places, shape[axis]!, lengths !== null) };
}

/**
 * True if each place is in a segment.
 * @throws RangeError for a segment of negative size, and for places that are not there; for lengths that leave places out.
 */
function checkBounds(places: Value, size: number, isWhole: boolean): boolean {
  const known = numbersNow("segmentReduce", places);
  const [, each] = places.node.shape as [number, number];
  let areAll = true;
  for (let k = 0; k < known.length; k += each) {
    const list = Array.from(known.slice(k, k + each), Number);
    if (list.some((end, at) => at > 0 && end < list[at - 1]!))
      throw new RangeError(
        isWhole ? "lengths contains negative value!" : `offsets fall (they are ${list.join(", ")})`,
      );
    const [first, last] = [list[0]!, list.at(-1)!];
    if (isWhole ? last !== size : first < 0 || last > size)
      throw new RangeError(
        `Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe. (they cover ${first} to ${last} of ${size} rows)`,
      );
    areAll &&= first === 0 && last === size;
  }
  return areAll;
}

/** The bin of each place of each list: how many of the list's marks are not behind it, after the `each` bins of every list before. */
function binsOf(marks: Value, size: number, each: number): Value {
  const [lists, count] = marks.node.shape as [number, number];
  const place = record.iota("int64", size);
  const settings = { right: true, sorter: null, dtype: "int64" } as const;
  if (lists === 1) return searchsorted(withShape(marks, [count]), place, settings);
  const within = searchsorted(marks, expand(place, [lists, size]), settings);
  const first = mul(withShape(record.iota("int64", lists), [lists, 1]), each);
  return withShape(add(within, first), [lists * size]);
}

/** The extreme of each bin. Elements that are equal share the gradient, and what the fold starts from has none. */
const extremes = (x: Value, start: Value, bins: Value, fold: "amax" | "amin"): Value =>
  withRule(
    "segmentReduce",
    [x],
    () => reduced(start, 0, alongAxis(bins, x.node.shape, 0), x, fold, true),
    (result, g) => {
      const isIt = or(eq(x, slicesAt(result, 0, bins)), ne(x, x));
      const one = record.cast(isIt, g.node.dtype);
      const none = full(g.node.shape, 0, g.node.dtype);
      const equal = scattered(none, 0, alongAxis(bins, x.node.shape, 0), one, "sum");
      return [where(isIt, slicesAt(div(g, maximum(equal, 1)), 0, bins), 0)];
    },
    [bins],
  );

/** The size of the axis is that of another tensor. */
type Segmented<S extends number[], A extends number> = S extends [number, ...infer Rest extends number[]]
  ? A extends 0
    ? [number, ...Rest]
    : number[]
  : number[];

/**
 * Folds consecutive rows of floats, so many for each segment, by "sum", "mean", "prod", "max" or "min". Lengths are computed at the call,
 * since they are checked; which they are makes no other program.
 * @throws DTypeError for integers, RangeError unless the segments are all rows.
 */
export const segmentReduce = declareFunction(
  "segmentReduce(data, reduce, { lengths, offsets, axis, unsafe, initial })",
  <T extends AnyTensor, const A extends number = 0>(
    data: T,
    reduce: keyof typeof folds,
    options: SegmentReduceOptions<A> = {},
  ): Tensor<Segmented<T[ShapeKey], A>, T["dtype"]> => {
    const { dtype, shape } = unwrap(data).node;
    if (!Object.hasOwn(folds, reduce))
      throw new TypeError(`unsupported reduction given! ${String(reduce)} (sum, mean, prod, max or min)`);
    if (!isFloat(dtype))
      throw new DTypeError(`"_segment_reduce_cpu" not implemented for '${torchName[dtype]}'`);
    if (shape.length === 0) throw new ShapeError("data has at least one axis");
    const axis = wrapAxis(options.axis ?? 0, shape);
    const { places, areAll } = boundsOf(shape, axis, options);
    const [lists, count] = [places.node.shape[0]!, places.node.shape[1]! - 1];
    const [size, rest] = [shape[axis]!, shape.slice(axis + 1)];
    const [begins, ends] = [narrowed(places, 1, 0, count), narrowed(places, 1, 1, count)];
    // Where places may be in no segment, each list has a bin before its segments for them, and one behind.
    const each = areAll ? count : count + 2;
    const bins = binsOf(areAll ? ends : places, size, each);
    const x = withShape(unwrap(data), [lists * size, ...rest]);
    const [fold, identity] = folds[reduce];
    const initial = options.initial ?? null;
    const start = full([lists * each, ...rest], initial ?? identity, dtype);
    const all =
      fold === "amax" || fold === "amin"
        ? extremes(x, start, bins, fold)
        : reduced(start, 0, alongAxis(bins, x.node.shape, 0), x, fold, true);
    const binned = withShape(all, [lists, each, ...rest]);
    const found = areAll ? binned : narrowed(binned, 1, 1, count);
    const made = [...shape.slice(0, axis), count, ...rest];
    if (reduce !== "mean") return wrap(withShape(found, made));
    const counts = withShape(sub(ends, begins), [lists, count, ...rest.map(() => 1)]);
    const none = eq(counts, 0);
    const mean = div(found, where(none, 1, record.cast(counts, dtype)));
    return wrap(withShape(where(none, initial ?? Number.NaN, mean), made));
  },
);

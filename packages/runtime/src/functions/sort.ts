/**
 * Sorting, and elements by rank. NaN is the largest; equal elements keep their order. Each is PyTorch's op of the same name; its tuples are
 * objects here.
 * @throws RangeError for an axis, or a rank, that does not exist.
 */
import {
  checkInteger,
  checkNotEmpty,
  elementCount,
  isFloat,
  type Reduce,
  type UnknownRank,
  wrapAxis,
} from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import type { FoldOptions } from "../declare/reductions.ts";
import { resized } from "../ops/indexing.ts";
import { narrowed, withShape } from "../ops/movement.ts";
import { add, maximum, ne, sub, where, zip } from "../ops/pointwise.ts";
import { oneOfAll, sum } from "../ops/reduction.ts";
import { alone, argsort as argsortOf, type Picked, pickedAt, sort as sortOf } from "../ops/sort.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapAs, wrapEach } from "../tensor/handle.ts";
import type { AnyTensor, CheckAxis, Narrowed } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { Extremes } from "./reduction.ts";

/** From the largest down. Every sort here is stable, whatever `stable` says. */
export interface SortOptions {
  readonly descending?: boolean;
  readonly stable?: boolean;
}

/** The elements along `dim` (−1) in order, and the position of each before. */
export const sort = declare(
  "sort(dim, { descending, stable })",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Extremes<T[ShapeKey], T["dtype"]> =>
    wrapEach(sortOf(unwrap(input), lastOr(dim), options?.descending ?? false)),
);

/** The positions that put the elements along `dim` (−1) in order. */
export const argsort = declare(
  "argsort(dim, { descending, stable })",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Tensor<T[ShapeKey], "int64"> =>
    wrap(argsortOf(unwrap(input), lastOr(dim), options?.descending ?? false)),
);

/** The elements along the first axis in order. */
export const msort = declare(
  "msort()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(sortOf(unwrap(input), 0, false).values),
);

/** The smallest instead. The result is in order, whatever `sorted` says. */
export interface TopkOptions {
  readonly largest?: boolean;
  readonly sorted?: boolean;
}

/** S with K places at axis A; a 0-d shape as it is. */
type TopkShape<S extends number[], K extends number, A extends number> =
  UnknownRank<S> extends true ? number[] : S extends [] ? [] : Narrowed<S, A, K>;

/** The `k` largest elements along `dim` (−1), the largest first, and their positions. */
export const topk = declare(
  "topk(k, dim, { largest, sorted })",
  <T extends AnyTensor, const K extends number, const A extends number = -1>(
    input: T,
    k: K,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: TopkOptions,
  ): Extremes<TopkShape<T[ShapeKey], K, A>, T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    const axis = wrapAxis(lastOr(dim), shape);
    checkRank(k, 0, shape[axis] ?? 1, axis);
    if (shape.length === 0) return wrapEach(alone(x));
    const order = record.argsort(x, axis, options?.largest ?? true);
    return wrapEach(pickedAt(x, axis, narrowed(order, axis, 0, k)));
  },
);

function checkRank(k: number, least: number, size: number, axis: number): void {
  checkInteger("k", k);
  if (k >= least && k <= size) return;
  throw new RangeError(
    least === 0
      ? `selected index k out of range (k is ${k}, dimension ${axis} has ${size} elements)`
      : `(): selected number k out of range for dimension ${axis} (k is ${k}, and it has ${size} elements)`,
  );
}

/** The element at the rank that `choose` returns. `check` is called first, with the axis and its size. */
function chosen(
  x: Value,
  dim: unknown,
  keepdim: boolean | undefined,
  choose: (order: Value, axis: number) => Value,
  check: (size: number, axis: number) => void = () => {},
): Picked {
  const { shape } = x.node;
  const axis = wrapAxis(lastOr(dim), shape);
  checkNotEmpty(shape, [axis], false);
  check(shape[axis] ?? 1, axis);
  if (shape.length === 0) return alone(x);
  const picked = pickedAt(x, axis, choose(record.argsort(x, axis, false), axis));
  if (keepdim) return picked;
  const kept = shape.filter((_, other) => other !== axis);
  return { values: withShape(picked.values, kept), indices: withShape(picked.indices, kept) };
}

/** The k-th smallest element along `dim` (−1), counted from 1, and its position. */
export const kthvalue = declare(
  "kthvalue(k, dim, { keepdim })",
  <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    input: T,
    k: number,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]> => {
    const choose = (order: Value, axis: number): Value => narrowed(order, axis, k - 1, 1);
    const check = (size: number, axis: number): void => checkRank(k, 1, size, axis);
    return wrapEach(chosen(unwrap(input), dim, options?.keepdim, choose, check));
  },
);

/** The most frequent element along `dim` (−1), of several the smallest, and its last position. Every NaN is different. */
export const mode = declare(
  "mode(dim, { keepdim })",
  <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]> => {
    const x = unwrap(input);
    return wrapEach(
      chosen(x, dim, options?.keepdim, (order, axis) =>
        record.pick(order, axis, endOfLongestRun(x, order, axis)),
      ),
    );
  },
);

/** The last position of the longest run of equal elements in sorted order; of equally long runs the first. */
function endOfLongestRun(x: Value, order: Value, axis: number): Value {
  const { shape } = x.node;
  const size = shape[axis]!;
  const place = record.reshape(
    record.iota("int64", size),
    resized(
      shape.map(() => 1),
      axis,
      size,
    ),
  );
  const sorted = record.pick(x, axis, order);
  const differs = ne(narrowed(sorted, axis, 1, size - 1), narrowed(sorted, axis, 0, size - 1));
  const single = resized(shape, axis, 1);
  const end = record.expand(record.constant("bool", 1), single);
  const first = record.concat([end, differs], axis);
  const last = record.concat([differs, end], axis);
  const start = record.scan("max", where(first, place, 0), axis);
  const lengths = where(last, add(sub(place, start), 1), 0);
  return withShape(record.reduce("argmax", lengths, [axis]), single);
}

/** A median of all elements, or along an axis with its places. */
type MedianResult<T extends AnyTensor, A, K> = A extends number
  ? Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]>
  : Tensor<[], T["dtype"]>;

/**
 * The median of all elements, or along an axis with its position: of an even number the lower of the two in the middle. NaN if there is
 * one, or if there are no elements.
 */
export const median = declare(
  "median(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    input: T,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
    options?: FoldOptions<K>,
  ): MedianResult<T, A, K> => medianOf("median", input, dim, options),
);

/** {@link median} of the elements that are not NaN. */
export const nanmedian: typeof median = declare("nanmedian(dim, { keepdim })", (input, dim, options) =>
  medianOf("nanmedian", input, dim, options),
);

function medianOf<R>(op: "median" | "nanmedian", input: AnyTensor, dim: unknown, options?: FoldOptions): R {
  const x = unwrap(input);
  if (dim != null) return wrapAs(medianAlong(op, x, dim, options?.keepdim));
  const count = elementCount(x.node.shape);
  if (count === 0) return wrapAs(record.cast(record.constant("float32", Number.NaN), x.node.dtype));
  const flat = withShape(x, [count]);
  return wrapAs(oneOfAll(op, flat, [0], () => medianAlong(op, flat, 0, false).values));
}

/** NaNs come last in order. Unless they are left out, the first NaN is the median. */
const medianAlong = (
  op: "median" | "nanmedian",
  x: Value,
  dim: unknown,
  keepdim: boolean | undefined,
): Picked =>
  chosen(x, dim, keepdim, (order, axis) => {
    const middle = (x.node.shape[axis]! - 1) >> 1;
    if (!isFloat(x.node.dtype)) return narrowed(order, axis, middle, 1);
    const numbers = sum(zip("eq", x, x), axis, true, null);
    const place =
      op === "nanmedian"
        ? zip("floorDivide", maximum(sub(numbers, 1), 0), 2)
        : where(zip("eq", numbers, x.node.shape[axis]!), middle, numbers);
    return record.pick(order, axis, place);
  });

/** Checks the axis when it is wrapped. */
const lastOr = (dim: unknown): number => (dim ?? -1) as number;

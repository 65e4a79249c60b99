/**
 * Elements by their order. NaN is the largest; equal elements keep their order. Each is PyTorch's op of the same name, whose
 * tuples are objects here.
 * @throws RangeError for an axis, or a place in the order, that does not exist.
 */
import type { Reduce, UnknownRank } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import type { FoldOptions } from "../declare/reductions.ts";
import * as ops from "../ops/sort.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapAs, wrapEach } from "../tensor/handle.ts";
import type { AnyTensor, CheckAxis, Narrowed } from "../tensor/types.ts";
import type { Extremes } from "./reduction.ts";

/** From the largest down. Every sort here is stable, so that `stable` changes nothing. */
export interface SortOptions {
  readonly descending?: boolean;
  readonly stable?: boolean;
}

/** The elements along `dim` (−1) in order, and where they were. */
export const sort = declare(
  "sort(dim, { descending, stable })",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Extremes<T[ShapeKey], T["dtype"]> =>
    wrapEach(ops.sort(unwrap(input), lastOr(dim), options?.descending ?? false)),
);

/** Where the elements along `dim` (−1) would be taken from to be in order. */
export const argsort = declare(
  "argsort(dim, { descending, stable })",
  <T extends AnyTensor, const A extends number = -1>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Tensor<T[ShapeKey], "int64"> =>
    wrap(ops.argsort(unwrap(input), lastOr(dim), options?.descending ?? false)),
);

/** The elements along the first axis in order. */
export const msort = declare(
  "msort()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(ops.sort(unwrap(input), 0, false).values),
);

/** The smallest instead. The result is in order, whatever `sorted` says. */
export interface TopkOptions {
  readonly largest?: boolean;
  readonly sorted?: boolean;
}

/** S with K places of axis A; a 0-d shape as it is. */
type TopkShape<S extends number[], K extends number, A extends number> =
  UnknownRank<S> extends true ? number[] : S extends [] ? [] : Narrowed<S, A, K>;

/** The `k` largest along `dim` (−1), the largest first, and their places. */
export const topk = declare(
  "topk(k, dim, { largest, sorted })",
  <T extends AnyTensor, const K extends number, const A extends number = -1>(
    input: T,
    k: K,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: TopkOptions,
  ): Extremes<TopkShape<T[ShapeKey], K, A>, T["dtype"]> =>
    wrapEach(ops.topk(unwrap(input), k, lastOr(dim), options?.largest ?? true)),
);

/** The k-th smallest along `dim` (−1), counted from 1, and its place. */
export const kthvalue = declare(
  "kthvalue(k, dim, { keepdim })",
  <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    input: T,
    k: number,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]> =>
    wrapEach(ops.kthvalue(unwrap(input), k, lastOr(dim), options?.keepdim ?? false)),
);

/** The most frequent element along `dim` (−1), of several the smallest, and its last place. */
export const mode = declare(
  "mode(dim, { keepdim })",
  <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    input: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]> =>
    wrapEach(ops.mode(unwrap(input), lastOr(dim), options?.keepdim ?? false)),
);

/** A median of all elements, or along an axis with its places. */
type MedianResult<T extends AnyTensor, A, K> = A extends number
  ? Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]>
  : Tensor<[], T["dtype"]>;

/** The lower middle of all elements, or along an axis with its place. NaN when there is one, and of nothing. */
export const median = declare(
  "median(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    input: T,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
    options?: FoldOptions<K>,
  ): MedianResult<T, A, K> => medianOf("median", input, dim, options),
);

/** {@link median} of what is not NaN. */
export const nanmedian = declare(
  "nanmedian(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    input: T,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
    options?: FoldOptions<K>,
  ): MedianResult<T, A, K> => medianOf("nanmedian", input, dim, options),
);

function medianOf<R>(op: "median" | "nanmedian", input: AnyTensor, dim: unknown, options?: FoldOptions): R {
  const x = unwrap(input);
  if (dim == null) return wrapAs(ops.medianOfAll(op, x));
  return wrapAs(ops.median(op, x, dim as number, options?.keepdim ?? false));
}

/** The axis is checked where it is wrapped. */
const lastOr = (dim: unknown): number => (dim ?? -1) as number;

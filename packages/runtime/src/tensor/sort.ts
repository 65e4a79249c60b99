import type { DType, Reduce, UnknownRank } from "@fuseau/ir";
import * as ops from "../ops/sort.ts";
import { unique, uniqueConsecutive } from "../ops/unique.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "./handle.ts";
import type { CheckAxis, Narrowed } from "./pieces.ts";
import type { Extremes, FoldOptions } from "./reduction.ts";
import type { Resized } from "./scan.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** From the largest down. Every sort here is stable, so that `stable` changes nothing. */
export interface SortOptions {
  readonly descending?: boolean;
  readonly stable?: boolean;
}

/** The smallest instead. The result is in order, whatever `sorted` says. */
export interface TopkOptions {
  readonly largest?: boolean;
  readonly sorted?: boolean;
}

/** What else `unique` gives, and in which order. */
export interface UniqueOptions<
  A extends number | null = number | null,
  I extends boolean = boolean,
  C extends boolean = boolean,
  P extends boolean = boolean,
> {
  /** Slices along this axis, instead of elements. */
  readonly dim?: A;
  readonly returnInverse?: I;
  readonly returnCounts?: C;
  /** The first place of each, as NumPy's `return_index`. */
  readonly returnIndices?: P;
  /** In ascending order, which is the default; else elements stand in the order of first places, slices in ascending order. */
  readonly sorted?: boolean;
}

/** An element for each slice along one axis, and its place there. */
export type Picks<T extends AnyTensor, A, K> = Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]>;

/** A median of all elements, or along an axis with its places. */
export type MedianResult<T extends AnyTensor, A, K> = A extends number
  ? Picks<T, A, K>
  : Tensor<[], T["dtype"]>;

/** How many distinct ones there are is known when they have been found. */
type DistinctShape<S extends number[], A> = A extends number
  ? S extends []
    ? [number]
    : Resized<S, A>
  : [number];

type InverseShape<S extends number[], A> = A extends number ? [number] : S;

/** The distinct ones; with the place of each element among them, how often each occurs, and where first, when asked for. */
export type UniqueResult<T extends AnyTensor, A, I, C, P = false> = [I, C, P] extends [false, false, false]
  ? Tensor<DistinctShape<T[ShapeKey], A>, T["dtype"]>
  : { readonly values: Tensor<DistinctShape<T[ShapeKey], A>, T["dtype"]> } & (I extends true
      ? { readonly inverse: Tensor<InverseShape<T[ShapeKey], A>, "int64"> }
      : unknown) &
      (C extends true ? { readonly counts: Tensor<[number], "int64"> } : unknown) &
      (P extends true ? { readonly indices: Tensor<[number], "int64"> } : unknown);

/** T's shape with K places of axis A; a 0-d tensor as it is. */
export type TopkResult<T extends AnyTensor, K extends number, A extends number> = Extremes<
  UnknownRank<T[ShapeKey]> extends true
    ? number[]
    : T[ShapeKey] extends []
      ? []
      : Narrowed<T[ShapeKey], A, K>,
  T["dtype"]
>;

/**
 * Elements by their order. NaN is the largest; equal elements keep their order. Each is PyTorch's op of the same name, whose
 * tuples are objects here.
 * @throws RangeError for an axis, or a place in the order, that does not exist.
 */
export interface SortMethods {
  /** The elements along `dim` (−1) in order, and where they were. */
  sort<T extends AnyTensor, const A extends number = -1>(
    this: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Extremes<T[ShapeKey], T["dtype"]>;
  /** Where the elements along `dim` (−1) would be taken from to be in order. */
  argsort<T extends AnyTensor, const A extends number = -1>(
    this: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: SortOptions,
  ): Tensor<T[ShapeKey], "int64">;
  /** The elements along the first axis in order. */
  msort<T extends AnyTensor>(this: T): Tensor<T[ShapeKey], T["dtype"]>;
  /** The `k` largest along `dim` (−1), the largest first, and their places. */
  topk<T extends AnyTensor, const K extends number, const A extends number = -1>(
    this: T,
    k: K,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: TopkOptions,
  ): TopkResult<T, K, A>;
  /** The k-th smallest along `dim` (−1), counted from 1, and its place. */
  kthvalue<T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    this: T,
    k: number,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Picks<T, A, K>;
  /** The lower middle of all elements, or along an axis with its place. NaN when there is one, and of nothing. */
  median<T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    this: T,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
    options?: FoldOptions<K>,
  ): MedianResult<T, A, K>;
  /** {@link median} of what is not NaN. */
  nanmedian<T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    this: T,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
    options?: FoldOptions<K>,
  ): MedianResult<T, A, K>;
  /** The most frequent element along `dim` (−1), of several the smallest, and its last place. */
  mode<T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
    this: T,
    dim?: CheckAxis<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Picks<T, A, K>;
  /**
   * The distinct elements in ascending order, or in that of their first places with `sorted: false`, where PyTorch promises none;
   * or the slices along `dim`, always in order. NaNs are all different. How many there are depends on the elements, so x is computed at the call.
   */
  unique<
    T extends AnyTensor,
    const A extends number | null = null,
    const I extends boolean = false,
    const C extends boolean = false,
    const P extends boolean = false,
  >(this: T, options?: UniqueOptions<A, I, C, P>): UniqueResult<T, A, I, C, P>;
  /** The first of every run of equal elements, or of equal slices along `dim`. x is computed at the call. */
  uniqueConsecutive<
    T extends AnyTensor,
    const A extends number | null = null,
    const I extends boolean = false,
    const C extends boolean = false,
    const P extends boolean = false,
  >(this: T, options?: UniqueOptions<A, I, C, P>): UniqueResult<T, A, I, C, P>;
}

const picked = ([values, indices]: ops.Picked): Extremes<number[], DType> => ({
  values: wrap(values),
  indices: wrap(indices) as Tensor<number[], "int64">,
});

function median(op: "median" | "nanmedian", x: AnyTensor, dim: number | null, keepdim: boolean) {
  return dim === null
    ? wrap(ops.medianOfAll(op, unwrap(x)))
    : picked(ops.median(op, unwrap(x), dim, keepdim));
}

function distinct(find: typeof unique, x: AnyTensor, options: UniqueOptions = {}) {
  const { returnInverse, returnCounts, returnIndices } = options;
  const { values, inverse, counts, indices } = find(unwrap(x), options.dim ?? null, options.sorted ?? true);
  if (!returnInverse && !returnCounts && !returnIndices) return wrap(values);
  return {
    values: wrap(values),
    ...(returnInverse ? { inverse: wrap(inverse()) } : {}),
    ...(returnCounts ? { counts: wrap(counts) } : {}),
    ...(returnIndices ? { indices: wrap(indices()) } : {}),
  };
}

/** Results that depend on options are beyond `Erased`. */
interface Distinct {
  unique(this: AnyTensor, options?: UniqueOptions): AnyTensor | Readonly<Record<string, AnyTensor>>;
  uniqueConsecutive(
    this: AnyTensor,
    options?: UniqueOptions,
  ): AnyTensor | Readonly<Record<string, AnyTensor>>;
}

export const sortMethods: Erased<Omit<SortMethods, keyof Distinct>> & Distinct = {
  sort(dim = -1, options) {
    return picked(ops.sort(unwrap(this), dim, options?.descending ?? false));
  },
  argsort(dim = -1, options) {
    return wrap(ops.argsort(unwrap(this), dim, options?.descending ?? false));
  },
  msort() {
    return wrap(ops.sort(unwrap(this), 0, false)[0]);
  },
  topk(k, dim = -1, options) {
    return picked(ops.topk(unwrap(this), k, dim, options?.largest ?? true));
  },
  kthvalue(k, dim = -1, options) {
    return picked(ops.kthvalue(unwrap(this), k, dim, options?.keepdim ?? false));
  },
  median(dim = null, options) {
    return median("median", this, dim, options?.keepdim ?? false);
  },
  nanmedian(dim = null, options) {
    return median("nanmedian", this, dim, options?.keepdim ?? false);
  },
  mode(dim = -1, options) {
    return picked(ops.mode(unwrap(this), dim, options?.keepdim ?? false));
  },
  unique(options) {
    return distinct(unique, this, options);
  },
  uniqueConsecutive(options) {
    return distinct(uniqueConsecutive, this, options);
  },
};

/** Orders, medians, distinct elements and places in sorted sequences as functions: `sort(x)` is `x.sort()`. */

import { operation } from "../entry/operation.ts";
import { checkTerm } from "../ops/operand.ts";
import { type SearchSettings, searchsorted as search } from "../ops/search.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { CheckAxis } from "../tensor/pieces.ts";
import type { Extremes, FoldOptions } from "../tensor/reduction.ts";
import type {
  MedianResult,
  Picks,
  SortOptions,
  TopkOptions,
  TopkResult,
  UniqueOptions,
  UniqueResult,
} from "../tensor/sort.ts";
import { type Tensor, tensorArgument, term, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Operand, ShapeOf } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.sort} */
export const sort: <T extends AnyTensor, const A extends number = -1>(
  x: T,
  dim?: CheckAxis<T[ShapeKey], A>,
  options?: SortOptions,
) => Extremes<T[ShapeKey], T["dtype"]> = functionOf("sort");

/** {@link Tensor.argsort} */
export const argsort: <T extends AnyTensor, const A extends number = -1>(
  x: T,
  dim?: CheckAxis<T[ShapeKey], A>,
  options?: SortOptions,
) => Tensor<T[ShapeKey], "int64"> = functionOf("argsort");

/** {@link Tensor.msort} */
export const msort: <T extends AnyTensor>(x: T) => Tensor<T[ShapeKey], T["dtype"]> = functionOf("msort");

/** {@link Tensor.topk} */
export const topk: <T extends AnyTensor, const K extends number, const A extends number = -1>(
  x: T,
  k: K,
  dim?: CheckAxis<T[ShapeKey], A>,
  options?: TopkOptions,
) => TopkResult<T, K, A> = functionOf("topk");

/** {@link Tensor.kthvalue} */
export const kthvalue: <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
  x: T,
  k: number,
  dim?: CheckAxis<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Picks<T, A, K> = functionOf("kthvalue");

/** {@link Tensor.median} */
export const median: <
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
  options?: FoldOptions<K>,
) => MedianResult<T, A, K> = functionOf("median");

/** {@link Tensor.nanmedian} */
export const nanmedian: <
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
  options?: FoldOptions<K>,
) => MedianResult<T, A, K> = functionOf("nanmedian");

/** {@link Tensor.mode} */
export const mode: <T extends AnyTensor, const A extends number = -1, const K extends boolean = false>(
  x: T,
  dim?: CheckAxis<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Picks<T, A, K> = functionOf("mode");

/** {@link Tensor.unique} */
export const unique: <
  T extends AnyTensor,
  const A extends number | null = null,
  const I extends boolean = false,
  const C extends boolean = false,
  const P extends boolean = false,
>(
  x: T,
  options?: UniqueOptions<A, I, C, P>,
) => UniqueResult<T, A, I, C, P> = functionOf("unique");

/** {@link Tensor.uniqueConsecutive} */
export const uniqueConsecutive: <
  T extends AnyTensor,
  const A extends number | null = null,
  const I extends boolean = false,
  const C extends boolean = false,
  const P extends boolean = false,
>(
  x: T,
  options?: UniqueOptions<A, I, C, P>,
) => UniqueResult<T, A, I, C, P> = functionOf("uniqueConsecutive");

/** Where a value goes among equal elements, and the dtype of the places. */
export interface BucketOptions<I extends boolean = boolean> {
  /** Behind the elements that are equal, instead of before them. */
  readonly right?: boolean;
  readonly outInt32?: I;
}

export interface SearchOptions<I extends boolean = boolean> extends BucketOptions<I> {
  /** `"right"` is `right: true`. */
  readonly side?: "left" | "right";
  /** The places that would put the sequence in order (`argsort`), when it is not. */
  readonly sorter?: AnyTensor | null;
}

type PlaceDType<I> = I extends true ? "int32" : "int64";

/** The shape of the places of values; one value is 0-d. */
type PlacesOf<V, I> = Tensor<ShapeOf<V>, PlaceDType<I>>;

/**
 * Where values would go in a sequence that is sorted along its last axis, so that it stays so: 1-D and searched for all of them,
 * or one sequence for each row of values. PyTorch: `searchsorted`.
 * @throws ShapeError when neither fits.
 */
export const searchsorted: <const V extends Operand, const I extends boolean = false>(
  sortedSequence: AnyTensor,
  values: V,
  options?: SearchOptions<I>,
) => PlacesOf<V, I> = operation(
  "searchsorted",
  "sortedSequence, values, { side, sorter, right, outInt32 }",
  (sortedSequence: AnyTensor, values: Operand, options: SearchOptions = {}): AnyTensor => {
    const sequence = tensorArgument("searchsorted", "sortedSequence", sortedSequence);
    return wrap(search("searchsorted", sequence, operandOf("searchsorted", values), settings(options)));
  },
);

/**
 * Which of the buckets between sorted `boundaries` (1-D) each element is in: bucket i ends at boundary i, which belongs to it, or
 * for `right` to the next. PyTorch: `bucketize`.
 */
export const bucketize: <const V extends Operand, const I extends boolean = false>(
  x: V,
  boundaries: AnyTensor,
  options?: BucketOptions<I>,
) => PlacesOf<V, I> = operation(
  "bucketize",
  "input, boundaries, { right, outInt32 }",
  (x: Operand, boundaries: AnyTensor, options: BucketOptions = {}): AnyTensor => {
    const sequence = tensorArgument("bucketize", "boundaries", boundaries);
    return wrap(search("bucketize", sequence, operandOf("bucketize", x), settings(options)));
  },
);

function operandOf(op: string, operand: Operand) {
  const found = term(operand);
  checkTerm(op, found);
  return found;
}

function settings({ right, outInt32, side, sorter }: SearchOptions): SearchSettings {
  if (side !== undefined && side !== "left" && side !== "right") {
    throw new TypeError(
      `searchsorted: torch.searchsorted(): side can only be 'left' or 'right' but got ${String(side)}`,
    );
  }
  if (side === "left" && right === true) {
    throw new TypeError(
      "searchsorted: torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True",
    );
  }
  return {
    right: right === true || side === "right",
    sorter: sorter == null ? null : tensorArgument("searchsorted", "sorter", sorter),
    dtype: outInt32 === true ? "int32" : "int64",
  };
}

/** Distinct elements and slices. How many there are depends on the elements, so that x is computed at the call. */
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/unique.ts";
import { type ShapeKey, type Tensor, unwrap, wrapAs } from "../tensor/handle.ts";
import type { AnyTensor, Resized } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** What else `unique` returns, and in which order. */
export interface UniqueOptions<
  A extends number | null = number | null,
  I extends boolean = boolean,
  C extends boolean = boolean,
  P extends boolean = boolean,
> {
  /** Distinct slices along this axis, instead of elements. */
  readonly dim?: A;
  readonly returnInverse?: I;
  readonly returnCounts?: C;
  /** Returns the first position of each, as NumPy's `return_index`. */
  readonly returnIndices?: P;
  /**
   * Ascending order, which is the default. If false, elements are in the order of their first positions; slices are always in ascending
   * order.
   */
  readonly sorted?: boolean;
}

/** The number of distinct elements is known only when they have been found. */
type DistinctShape<S extends number[], A> = A extends number
  ? S extends []
    ? [number]
    : Resized<S, A>
  : [number];

type InverseShape<S extends number[], A> = A extends number ? [number] : S;

/** The distinct elements. If asked for, also the position among them of each element, how often each occurs, and its first position. */
type UniqueResult<T extends AnyTensor, A, I, C, P> = [I, C, P] extends [false, false, false]
  ? Tensor<DistinctShape<T[ShapeKey], A>, T["dtype"]>
  : { readonly values: Tensor<DistinctShape<T[ShapeKey], A>, T["dtype"]> } & (I extends true
      ? { readonly inverse: Tensor<InverseShape<T[ShapeKey], A>, "int64"> }
      : unknown) &
      (C extends true ? { readonly counts: Tensor<[number], "int64"> } : unknown) &
      (P extends true ? { readonly indices: Tensor<[number], "int64"> } : unknown);

/**
 * The distinct elements in ascending order. With `sorted: false` they are in the order of their first positions, where PyTorch promises
 * none. With `dim` the distinct slices along it, always in order. Every NaN is different. Their number depends on the elements, so x is
 * computed at the call.
 */
export const unique = declare(
  "unique({ dim, returnInverse, returnCounts, returnIndices, sorted })",
  <
    T extends AnyTensor,
    const A extends number | null = null,
    const I extends boolean = false,
    const C extends boolean = false,
    const P extends boolean = false,
  >(
    input: T,
    options?: UniqueOptions<A, I, C, P>,
  ): UniqueResult<T, A, I, C, P> => distinct(ops.unique, unwrap(input), options),
);

/** The first of every run of equal elements, or of equal slices along `dim`. x is computed at the call. */
export const uniqueConsecutive: typeof unique = declare(
  "uniqueConsecutive({ dim, returnInverse, returnCounts, returnIndices, sorted })",
  (input, options) => distinct(ops.uniqueConsecutive, unwrap(input), options),
);

function distinct<R>(find: typeof ops.unique, x: Value, options: UniqueOptions = {}): R {
  const { returnInverse, returnCounts, returnIndices } = options;
  const { values, inverse, counts, indices } = find(x, options.dim ?? null, options.sorted ?? true);
  if (!returnInverse && !returnCounts && !returnIndices) return wrapAs(values);
  return wrapAs({
    values,
    ...(returnInverse ? { inverse: inverse() } : {}),
    ...(returnCounts ? { counts } : {}),
    ...(returnIndices ? { indices: indices() } : {}),
  });
}

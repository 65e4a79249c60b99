/** Positions of values in sorted sequences, and the coordinates of positions. */
import { ShapeError, showShape } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { unravelled } from "../ops/indexing.ts";
import { type SearchSettings, searchsorted as search } from "../ops/search.ts";
import { checkedTerm, type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Operand, ShapeOf } from "../tensor/types.ts";

/** Where a value goes among equal elements, and the dtype of the positions. */
export interface BucketOptions<I extends boolean = boolean> {
  /** After equal elements, instead of before them. Default false. */
  readonly right?: boolean;
  readonly outInt32?: I;
}

export interface SearchOptions<I extends boolean = boolean> extends BucketOptions<I> {
  /** `"right"` is `right: true`. */
  readonly side?: "left" | "right";
  /** The permutation that sorts the sequence (`argsort`), if it is not sorted. */
  readonly sorter?: AnyTensor | null;
}

/**
 * The positions at which values can be inserted into a sequence, sorted along its last axis, so that it stays sorted. A 1-D sequence is
 * searched for all values; otherwise there is a sequence for each row of values. PyTorch: `searchsorted`.
 * @throws ShapeError when neither fits.
 */
export const searchsorted = declareFunction(
  "searchsorted(sortedSequence, values, { side, sorter, right, outInt32 })",
  <const V extends Operand, const I extends boolean = false>(
    sortedSequence: AnyTensor,
    values: V,
    options?: SearchOptions<I>,
  ): Tensor<ShapeOf<V>, I extends true ? "int32" : "int64"> => {
    const sequence = unwrap(sortedSequence);
    return wrap(search(sequence, checkedTerm(values), settings(options)));
  },
);

/**
 * The bucket of each element between sorted `boundaries` (1-D). Bucket i ends at boundary i, which belongs to it, or with `right` to the
 * next bucket. PyTorch: `bucketize`.
 * @throws ShapeError for boundaries that are not 1-D.
 */
export const bucketize = declareFunction(
  "bucketize(input, boundaries, { right, outInt32 })",
  <const V extends Operand, const I extends boolean = false>(
    input: V,
    boundaries: AnyTensor,
    options?: BucketOptions<I>,
  ): Tensor<ShapeOf<V>, I extends true ? "int32" : "int64"> => {
    const sequence = unwrap(boundaries);
    const { shape } = sequence.node;
    if (shape.length !== 1)
      throw new ShapeError(
        `boundaries tensor must be 1 dimension, but got dim(${shape.length}) (of shape ${showShape(shape)}; searchsorted takes a sequence for each row)`,
      );
    return wrap(search(sequence, checkedTerm(input), settings(options)));
  },
);

function settings({ right, outInt32, side, sorter }: SearchOptions = {}): SearchSettings {
  if (side !== undefined && side !== "left" && side !== "right")
    throw new TypeError(`torch.searchsorted(): side can only be 'left' or 'right' but got ${String(side)}`);
  if (side === "left" && right === true)
    throw new TypeError(
      "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True",
    );
  return {
    right: right === true || side === "right",
    sorter: optionalTensor(sorter),
    dtype: outInt32 === true ? "int32" : "int64",
  };
}

/**
 * The coordinates of row-major places in a tensor of that shape, as int64: a tensor for each axis, as `index` takes them.
 * @throws DTypeError for places that are no integers, RangeError for a negative size.
 * @see https://docs.pytorch.org/docs/stable/generated/torch.unravel_index.html
 */
export const unravelIndex = declareFunction(
  "unravelIndex(indices, shape)",
  <T extends AnyTensor, const S extends readonly number[] | number>(
    indices: T,
    shape: S,
  ): Coordinates<T, S extends readonly number[] ? S : [S]> => {
    const sizes = typeof shape === "number" ? [shape] : (shape as readonly number[]);
    return unravelled(unwrap(indices), sizes).map((value) => wrap(value)) as never;
  },
);

type Coordinates<T extends AnyTensor, S extends readonly unknown[]> = {
  -readonly [Axis in keyof S]: Tensor<T[ShapeKey], "int64">;
};

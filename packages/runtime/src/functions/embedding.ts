/** Rows of a table looked up, and classes as rows. PyTorch's functions of the same name. */
import { declareFunction } from "../declare/declaration.ts";
import { embedding as rowsAt } from "../ops/indexing.ts";
import { type BagMode, embeddingBag as bagsOf } from "../ops/indexing-bags.ts";
import { oneHot as oneHotOf } from "../ops/indexing-counts.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";

/**
 * A last axis more, with a 1 at each class (int64) and zeros elsewhere. Without `numClasses` the largest class is looked for at the
 * call. Classes out of range are an error here when they have been computed, and else when the result is.
 */
export const oneHot = declareFunction(
  "oneHot(input, numClasses)",
  <T extends AnyTensor, const N extends number = -1>(
    x: T,
    numClasses: N = -1 as N,
  ): Tensor<[...T[ShapeKey], N extends -1 ? number : N], "int64"> => wrap(oneHotOf(unwrap(x), numClasses)),
);

/** The size of the second axis. */
type Width<S extends number[]> = S extends [number, infer Size extends number] ? Size : number;

export interface EmbeddingOptions {
  /** A row that takes no part in the gradient. */
  readonly paddingIdx?: number | null;
}

/**
 * The row of `weight` for each element of `index` (int64 or int32).
 * @throws ShapeError unless `weight` has two axes; DTypeError for an index of another dtype.
 */
export const embedding = declareFunction(
  "embedding(index, weight, { paddingIdx })",
  <I extends AnyTensor, W extends AnyTensor>(
    index: I,
    weight: W,
    options?: EmbeddingOptions,
  ): Tensor<[...I[ShapeKey], Width<W[ShapeKey]>], W["dtype"]> => {
    const places = unwrap(index);
    const rows = unwrap(weight);
    return wrap(rowsAt(places, rows, options?.paddingIdx ?? null));
  },
);

export interface EmbeddingBagOptions {
  /** Default "mean". */
  readonly mode?: BagMode;
  /** Where each bag begins in a list of places. */
  readonly offsets?: AnyTensor | null;
  /** True when the last offset is the end of the last bag. */
  readonly includeLastOffset?: boolean;
  /** A factor for each place; with "sum" alone. */
  readonly perSampleWeights?: AnyTensor | null;
  /** A row that counts for nothing. */
  readonly paddingIdx?: number | null;
}

/**
 * The sum, mean or maximum of rows of `weight` for each bag of places: the bags are the rows of `index`, or pieces of a list that
 * begin at `offsets`. A bag without places gives zeros.
 */
export const embeddingBag = declareFunction(
  "embeddingBag(index, weight, { mode, offsets, includeLastOffset, perSampleWeights, paddingIdx })",
  <W extends AnyTensor>(
    index: AnyTensor,
    weight: W,
    options: EmbeddingBagOptions = {},
  ): Tensor<[number, Width<W[ShapeKey]>], W["dtype"]> => {
    return wrap(
      bagsOf(unwrap(index), unwrap(weight), {
        mode: options.mode ?? "mean",
        offsets: optionalTensor(options.offsets),
        includeLastOffset: options.includeLastOffset ?? false,
        perSampleWeights: optionalTensor(options.perSampleWeights),
        paddingIdx: options.paddingIdx ?? null,
      }),
    );
  },
);

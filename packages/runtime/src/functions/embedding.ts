/** Rows selected from a table, and classes as rows. Each is PyTorch's function of the same name. */
import { declareFunction } from "../declare/declaration.ts";
import { embedding as rowsAt } from "../ops/indexing.ts";
import { type BagMode, embeddingBag as bagsOf } from "../ops/indexing-bags.ts";
import { oneHot as oneHotOf } from "../ops/indexing-counts.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";

/**
 * A new last axis with a 1 at each class (int64) and zeros elsewhere. Without `numClasses`, the largest class is found at the call. Classes
 * out of range are refused at the call if they are computed already, otherwise when the result is computed.
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
  /** A row whose gradient is zero. */
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
  /** How the rows of a bag are combined. Default "mean". */
  readonly mode?: BagMode;
  /** Where each bag begins in a list of indexes. */
  readonly offsets?: AnyTensor | null;
  /** True if the last offset is the end of the last bag, and begins none. Default false. */
  readonly includeLastOffset?: boolean;
  /** A factor for each index; only with mode "sum". */
  readonly perSampleWeights?: AnyTensor | null;
  /** A row that is left out of its bags. */
  readonly paddingIdx?: number | null;
}

/**
 * The sum, mean or maximum of rows of `weight`, for each bag of indexes. The bags are the rows of `index`; or `index` is a list, and the
 * bags begin at `offsets`. A bag without indexes gives zeros.
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

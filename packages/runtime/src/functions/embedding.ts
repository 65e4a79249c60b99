/** Rows selected from a table, and classes as rows. Each is PyTorch's function of the same name. */
import { writeInto } from "../alias/alias.ts";
import { declareFunction } from "../declare/declaration.ts";
import { checkTable, embedding as rowsAt } from "../ops/indexing.ts";
import {
  type BagMode,
  embeddingBag as bagsOf,
  byFrequency,
  checkBags,
  renormed,
} from "../ops/indexing-bags.ts";
import { oneHot as oneHotOf } from "../ops/indexing-counts.ts";
import { withRecording } from "../tape/step.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { PlacesOf } from "../tensor/indexing-types.ts";
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

/** What a table of rows is told about its rows and their gradients. */
export interface TableOptions {
  /** Rows that are taken and have a larger norm are scaled down to it first, in place. No derivative flows through that. */
  readonly maxNorm?: number | null;
  /** Which norm. Default 2. */
  readonly normType?: number;
  /** Divides the gradient of a row by how often it is taken in the call. Default false. */
  readonly scaleGradByFreq?: boolean;
  /** There are no sparse gradients. */
  readonly sparse?: false;
}

export interface EmbeddingOptions extends TableOptions {
  /** A row whose gradient is zero. */
  readonly paddingIdx?: number | null;
}

/** Scales rows of `weight` down, in place, if that is asked for. */
function scaleDown(op: string, index: AnyTensor, weight: AnyTensor, options: TableOptions | undefined): void {
  const { maxNorm = null, normType = 2, sparse = false } = options ?? {};
  if (sparse)
    throw new TypeError(
      "there are no sparse gradients (leave sparse out: the gradient is a dense tensor, and rows that were not taken have zeros)",
    );
  if (maxNorm === null) return;
  withRecording(false, () =>
    writeInto(op, weight, renormed(unwrap(weight), unwrap(index), maxNorm, normType)),
  );
}

/**
 * The row of `weight` for each element of `index` (int64 or int32).
 * @throws ShapeError unless `weight` has two axes; DTypeError for an index of another dtype.
 */
export const embedding = declareFunction(
  "embedding(index, weight, { paddingIdx, maxNorm, normType, scaleGradByFreq, sparse })",
  <I extends AnyTensor, W extends AnyTensor>(
    index: PlacesOf<I, "int32" | "int64">,
    weight: W,
    options?: EmbeddingOptions,
  ): Tensor<[...I[ShapeKey], Width<W[ShapeKey]>], W["dtype"]> => {
    const places = unwrap(index as I);
    checkTable(places, unwrap(weight), options?.paddingIdx ?? null);
    scaleDown("embedding", index as I, weight, options);
    const taken = rowsAt(places, unwrap(weight), options?.paddingIdx ?? null);
    return wrap(
      options?.scaleGradByFreq === true ? byFrequency(taken, places, unwrap(weight).node.shape[0]!) : taken,
    );
  },
);

export interface EmbeddingBagOptions extends TableOptions {
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
  "embeddingBag(index, weight, { mode, offsets, includeLastOffset, perSampleWeights, paddingIdx, maxNorm, normType, scaleGradByFreq, sparse })",
  <W extends AnyTensor>(
    index: AnyTensor,
    weight: W,
    options: EmbeddingBagOptions = {},
  ): Tensor<[number, Width<W[ShapeKey]>], W["dtype"]> => {
    const bags = {
      mode: options.mode ?? "mean",
      offsets: optionalTensor(options.offsets),
      includeLastOffset: options.includeLastOffset ?? false,
      perSampleWeights: optionalTensor(options.perSampleWeights),
      paddingIdx: options.paddingIdx ?? null,
      scaleGradByFreq: options.scaleGradByFreq ?? false,
    };
    checkBags(unwrap(index), unwrap(weight), bags);
    scaleDown("embeddingBag", index, weight, options);
    return wrap(bagsOf(unwrap(index), unwrap(weight), bags));
  },
);

/** Gathers and masks as functions: `gather(x, 1, index)` is `x.gather(1, index)`. PyTorch's functions of the same name. */

import type {
  Accept,
  Axes,
  CheckAxes,
  Gather,
  GatherOrFail,
  IndexSelect,
  IndexSelectOrFail,
  Reduce,
  TakeAlong,
  TakeAlongOrFail,
} from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import * as ops from "../ops/indexing.ts";
import { type BagMode, embeddingBag as bagsOf } from "../ops/indexing-bags.ts";
import { isin as isinOf, oneHot as oneHotOf } from "../ops/indexing-counts.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { checkedTerm } from "../tensor/handle.ts";
import type {
  AccumulateOptions,
  BincountDType,
  HistcOptions,
  Histogram,
  HistogramOptions,
  IsinOptions,
  NonzeroOptions,
  NonzeroResult,
} from "../tensor/indexing.ts";
import type { CheckIndices, IndexItem } from "../tensor/indexing-types.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Fits, Operand, PairShape, Same, ShapeOf } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.gather} */
export const gather: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<GatherOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
) => Tensor<Gather<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]> = functionOf("gather");

/** {@link Tensor.takeAlongDim} */
export const takeAlongDim: <T extends AnyTensor, I extends AnyTensor, const A extends number | null = null>(
  x: T,
  index: I,
  dim?: Accept<TakeAlongOrFail<T[ShapeKey], I[ShapeKey], A>, A>,
) => Tensor<TakeAlong<T[ShapeKey], I[ShapeKey], A>, T["dtype"]> = functionOf("takeAlongDim");

/** {@link Tensor.indexSelect} */
export const indexSelect: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
) => Tensor<IndexSelect<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]> = functionOf("indexSelect");

/** {@link Tensor.take} */
export const take: <T extends AnyTensor, I extends AnyTensor>(
  x: T,
  index: I,
) => Tensor<I[ShapeKey], T["dtype"]> = functionOf("take");

/** {@link Tensor.indexPut} */
export const indexPut: <T extends AnyTensor, const R extends readonly IndexItem[]>(
  x: T,
  indices: CheckIndices<T[ShapeKey], R>,
  values: Operand,
  options?: AccumulateOptions,
) => Same<T> = functionOf("indexPut");

/** {@link Tensor.maskedFill} */
export const maskedFill: <T extends AnyTensor, M extends AnyTensor>(
  x: T,
  mask: Fits<T, M>,
  value: Operand,
) => Tensor<PairShape<T, M>, T["dtype"]> = functionOf("maskedFill");

/** {@link Tensor.maskedSelect} */
export const maskedSelect: <T extends AnyTensor, M extends AnyTensor>(
  x: T,
  mask: Fits<T, M>,
) => Tensor<[number], T["dtype"]> = functionOf("maskedSelect");

/** {@link Tensor.maskedScatter} */
export const maskedScatter: <T extends AnyTensor, M extends AnyTensor>(
  x: T,
  mask: Fits<T, M>,
  source: AnyTensor,
) => Tensor<PairShape<T, M>, T["dtype"]> = functionOf("maskedScatter");

/** {@link Tensor.nonzero} */
export const nonzero: <T extends AnyTensor, const Tuple extends boolean = false>(
  x: T,
  options?: NonzeroOptions<Tuple>,
) => NonzeroResult<T, Tuple> = functionOf("nonzero");

/** {@link Tensor.argwhere} */
export const argwhere: <T extends AnyTensor>(x: T) => Tensor<[number, T[ShapeKey]["length"]], "int64"> =
  functionOf("argwhere");

/** {@link Tensor.countNonzero} */
export const countNonzero: <T extends AnyTensor, const A extends Axes = null>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
) => Tensor<Reduce<T[ShapeKey], A>, "int64"> = functionOf("countNonzero");

/** {@link Tensor.bincount} */
export const bincount: <W extends AnyTensor | null = null>(
  x: AnyTensor,
  weights?: W,
  minlength?: number,
) => Tensor<[number], BincountDType<W>> = functionOf("bincount");

/** {@link Tensor.histc} */
export const histc: <T extends AnyTensor, const N extends number = 100>(
  x: T,
  options?: HistcOptions<N>,
) => Tensor<[N], T["dtype"]> = functionOf("histc");

/** {@link Tensor.histogram} */
export const histogram: <T extends AnyTensor>(x: T, options?: HistogramOptions) => Histogram<T["dtype"]> =
  functionOf("histogram");

/** Whether each of `elements` is one of `tests`. Every pair is compared. */
export const isin: <const B extends Operand>(
  elements: B,
  tests: Operand,
  options?: IsinOptions,
) => Tensor<ShapeOf<B>, "bool"> = operation(
  "isin",
  "elements, tests, { invert }",
  (elements: Operand, tests: Operand, options?: IsinOptions): AnyTensor =>
    wrap(isinOf(checkedTerm("isin", elements), checkedTerm("isin", tests), options?.invert ?? false)),
);

/**
 * A last axis more, with a 1 at each class (int64) and zeros elsewhere. Without `numClasses` the largest class is looked for at the
 * call. Classes out of range are an error here when they have been computed, and else when the result is.
 */
export const oneHot: <T extends AnyTensor, const N extends number = -1>(
  x: T,
  numClasses?: N,
) => Tensor<[...T[ShapeKey], N extends -1 ? number : N], "int64"> = operation(
  "oneHot",
  "input, numClasses",
  (x: AnyTensor, numClasses = -1): AnyTensor =>
    wrap(oneHotOf(tensorArgument("oneHot", "input", x), numClasses)),
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
export const embedding: <I extends AnyTensor, W extends AnyTensor>(
  index: I,
  weight: W,
  options?: EmbeddingOptions,
) => Tensor<[...I[ShapeKey], Width<W[ShapeKey]>], W["dtype"]> = operation(
  "embedding",
  "index, weight, { paddingIdx }",
  (index: AnyTensor, weight: AnyTensor, options?: EmbeddingOptions): AnyTensor => {
    const op = "embedding";
    const places = tensorArgument(op, "input", index);
    const rows = tensorArgument(op, "weight", weight);
    return wrap(ops.embedding(places, rows, options?.paddingIdx ?? null));
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
export const embeddingBag: <W extends AnyTensor>(
  index: AnyTensor,
  weight: W,
  options?: EmbeddingBagOptions,
) => Tensor<[number, Width<W[ShapeKey]>], W["dtype"]> = operation(
  "embeddingBag",
  "index, weight, { mode, offsets, includeLastOffset, perSampleWeights, paddingIdx }",
  (index: AnyTensor, weight: AnyTensor, options: EmbeddingBagOptions = {}): AnyTensor => {
    const op = "embeddingBag";
    const optional = (name: string, x: AnyTensor | null | undefined) =>
      x === null || x === undefined ? null : tensorArgument(op, name, x);
    return wrap(
      bagsOf(tensorArgument(op, "input", index), tensorArgument(op, "weight", weight), {
        mode: options.mode ?? "mean",
        offsets: optional("offsets", options.offsets),
        includeLastOffset: options.includeLastOffset ?? false,
        perSampleWeights: optional("perSampleWeights", options.perSampleWeights),
        paddingIdx: options.paddingIdx ?? null,
      }),
    );
  },
);

/** Losses that stop at a margin. Each is the function of that name in torch.nn.functional. */
import { operation } from "../entry/operation.ts";
import * as margins from "../ops/loss/margin.ts";
import type { LossReduction } from "../ops/loss/reduction.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Fits } from "../tensor/types.ts";
import type { LossOptions, WeightedLossOptions } from "./loss.ts";
import { type PairLoss, pair, type Reduced } from "./loss-result.ts";

export interface MarginOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  readonly margin?: number;
}

/** input where the target is 1, max(0, margin − input) where it is −1; margin is 1. */
export const hingeEmbeddingLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: MarginOptions<R>,
) => PairLoss<T, B, R> = operation(
  "hingeEmbeddingLoss",
  "input, target, { margin, reduction }",
  (input: AnyTensor, target: AnyTensor, options: MarginOptions = {}): AnyTensor => {
    const { margin = 1, reduction = "mean" } = options;
    return wrap(margins.hingeEmbedding(...pair("hingeEmbeddingLoss", input, target), margin, reduction));
  },
);

/** max(0, −target·(input1 − input2) + margin); margin is 0. */
export const marginRankingLoss: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input1: T,
  input2: AnyTensor,
  target: AnyTensor,
  options?: MarginOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "marginRankingLoss",
  "input1, input2, target, { margin, reduction }",
  (input1: AnyTensor, input2: AnyTensor, target: AnyTensor, options: MarginOptions = {}): AnyTensor => {
    const op = "marginRankingLoss";
    const { margin = 0, reduction = "mean" } = options;
    const values = [
      tensorArgument(op, "input1", input1),
      tensorArgument(op, "input2", input2),
      tensorArgument(op, "target", target),
    ] as const;
    return wrap(margins.marginRanking(...values, margin, reduction));
  },
);

/** 1 − cos of the rows where the target is 1, max(0, cos − margin) where it is −1; margin is 0. */
export const cosineEmbeddingLoss: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input1: T,
  input2: AnyTensor,
  target: AnyTensor,
  options?: MarginOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "cosineEmbeddingLoss",
  "input1, input2, target, { margin, reduction }",
  (input1: AnyTensor, input2: AnyTensor, target: AnyTensor, options: MarginOptions = {}): AnyTensor => {
    const op = "cosineEmbeddingLoss";
    const { margin = 0, reduction = "mean" } = options;
    const values = [
      tensorArgument(op, "input1", input1),
      tensorArgument(op, "input2", input2),
      tensorArgument(op, "target", target),
    ] as const;
    return wrap(margins.cosineEmbedding(...values, margin, reduction));
  },
);

export interface TripletMarginOptions<R extends LossReduction = LossReduction> extends MarginOptions<R> {
  /** 2. */
  readonly p?: number;
  /** 1e-6. */
  readonly eps?: number;
  /** The negative's distance is to the anchor or the positive, whichever is nearer; false. */
  readonly swap?: boolean;
}

/** max(0, |anchor − positive| − |anchor − negative| + margin) along the last axis; margin is 1. */
export const tripletMarginLoss: <T extends AnyTensor, const R extends LossReduction = "mean">(
  anchor: T,
  positive: AnyTensor,
  negative: AnyTensor,
  options?: TripletMarginOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "tripletMarginLoss",
  "anchor, positive, negative, { p, eps, swap, margin, reduction }",
  (
    anchor: AnyTensor,
    positive: AnyTensor,
    negative: AnyTensor,
    { margin = 1, p = 2, eps = 1e-6, swap = false, reduction = "mean" }: TripletMarginOptions = {},
  ): AnyTensor => {
    const op = "tripletMarginLoss";
    const values = [
      tensorArgument(op, "anchor", anchor),
      tensorArgument(op, "positive", positive),
      tensorArgument(op, "negative", negative),
    ] as const;
    return wrap(margins.tripletMargin(...values, { margin, p, eps, swap, reduction }));
  },
);

export interface MultiMarginLossOptions<R extends LossReduction = LossReduction>
  extends WeightedLossOptions<R> {
  /** 1 or 2; 1. */
  readonly p?: number;
  /** 1. */
  readonly margin?: number;
}

/** Σ max(0, margin − input[target] + input[j])^p over the other classes j, over their number. */
export const multiMarginLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: B,
  options?: MultiMarginLossOptions<R>,
) => Tensor<Reduced<B[ShapeKey], R>, T["dtype"]> = operation(
  "multiMarginLoss",
  "input, target, { p, margin, weight, reduction }",
  (input: AnyTensor, target: AnyTensor, options: MultiMarginLossOptions = {}): AnyTensor => {
    const op = "multiMarginLoss";
    const { p = 1, margin = 1, reduction = "mean" } = options;
    const weight = optionalTensor(op, "weight", options.weight);
    return wrap(margins.multiMargin(...pair(op, input, target), { p, margin, weight, reduction }));
  },
);

/** {@link binaryCrossEntropyWithLogits} of every class, averaged over the classes (the last axis). */
export const multilabelSoftMarginLoss: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: AnyTensor,
  options?: WeightedLossOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "multilabelSoftMarginLoss",
  "input, target, { weight, reduction }",
  (input: AnyTensor, target: AnyTensor, options: WeightedLossOptions = {}): AnyTensor => {
    const op = "multilabelSoftMarginLoss";
    const weight = optionalTensor(op, "weight", options.weight);
    const values = pair(op, input, target);
    return wrap(margins.multilabelSoftMargin(...values, weight, options.reduction ?? "mean"));
  },
);

/** Σ max(0, 1 − (input[t] − input[i])) over the targets t, which end at the first negative one, and all other classes i. */
export const multilabelMarginLoss: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: AnyTensor,
  options?: LossOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "multilabelMarginLoss",
  "input, target, { reduction }",
  (input: AnyTensor, target: AnyTensor, options: LossOptions = {}): AnyTensor => {
    const values = pair("multilabelMarginLoss", input, target);
    return wrap(margins.multilabelMargin(...values, options.reduction ?? "mean"));
  },
);

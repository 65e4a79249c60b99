/** Losses that stop at a margin. Each is the function of that name in torch.nn.functional. */
import { declareFunction } from "../declare/declaration.ts";
import { type LossOptions, pairLoss, type Reduced, scoreLoss } from "../declare/losses.ts";
import * as margins from "../ops/loss/margin.ts";
import { type LossReduction, reduceLoss } from "../ops/loss/reduction.ts";
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { WeightedLossOptions } from "./loss.ts";

export interface MarginOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  readonly margin?: number;
}

/** input where the target is 1, max(0, margin − input) where it is −1; margin is 1. */
export const hingeEmbeddingLoss = pairLoss(
  "hingeEmbeddingLoss(input, target, { margin, reduction })",
  (x, target, { margin = 1 }: MarginOptions = {}) => margins.hingeEmbedding(x, target, margin),
);

/** max(0, −target·(input1 − input2) + margin); margin is 0. */
export const marginRankingLoss = declareFunction(
  "marginRankingLoss(input1, input2, target, { margin, reduction })",
  <T extends AnyTensor, const R extends LossReduction = "mean">(
    input1: T,
    input2: AnyTensor,
    target: AnyTensor,
    options?: MarginOptions<R>,
  ): Tensor<Reduced<number[], R>, T["dtype"]> => {
    const a = unwrap(input1);
    const b = unwrap(input2);
    const goal = unwrap(target);
    const { margin = 0, reduction = "mean" }: MarginOptions = options ?? {};
    return wrap(margins.marginRanking(a, b, goal, margin, reduction));
  },
);

/** 1 − cos of the rows where the target is 1, max(0, cos − margin) where it is −1; margin is 0. */
export const cosineEmbeddingLoss = declareFunction(
  "cosineEmbeddingLoss(input1, input2, target, { margin, reduction })",
  <T extends AnyTensor, const R extends LossReduction = "mean">(
    input1: T,
    input2: AnyTensor,
    target: AnyTensor,
    options?: MarginOptions<R>,
  ): Tensor<Reduced<number[], R>, T["dtype"]> => {
    const op = "cosineEmbeddingLoss";
    const a = unwrap(input1);
    const b = unwrap(input2);
    const goal = unwrap(target);
    const { margin = 0, reduction = "mean" }: MarginOptions = options ?? {};
    return wrap(reduceLoss(op, margins.cosineEmbedding(a, b, goal, margin), reduction));
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
export const tripletMarginLoss = declareFunction(
  "tripletMarginLoss(anchor, positive, negative, { p, eps, swap, margin, reduction })",
  <T extends AnyTensor, const R extends LossReduction = "mean">(
    anchor: T,
    positive: AnyTensor,
    negative: AnyTensor,
    options?: TripletMarginOptions<R>,
  ): Tensor<Reduced<number[], R>, T["dtype"]> => {
    const op = "tripletMarginLoss";
    const from = unwrap(anchor);
    const like = unwrap(positive);
    const unlike = unwrap(negative);
    const {
      margin = 1,
      p = 2,
      eps = 1e-6,
      swap = false,
      reduction = "mean",
    }: TripletMarginOptions = options ?? {};
    return wrap(
      reduceLoss(op, margins.tripletMargin(from, like, unlike, { margin, p, eps, swap }), reduction),
    );
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
export const multiMarginLoss = scoreLoss(
  "target",
  "multiMarginLoss(input, target, { p, margin, weight, reduction })",
  (x, target, reduction, { p = 1, margin = 1, weight }: MultiMarginLossOptions = {}) => {
    const op = "multiMarginLoss";
    const weights = optionalTensor(weight);
    return reduceLoss(op, margins.multiMargin(x, target, { p, margin, weight: weights }), reduction);
  },
);

/** {@link binaryCrossEntropyWithLogits} of every class, averaged over the classes (the last axis). */
export const multilabelSoftMarginLoss = scoreLoss(
  "any",
  "multilabelSoftMarginLoss(input, target, { weight, reduction })",
  (x, target, reduction, options?: WeightedLossOptions) => {
    const op = "multilabelSoftMarginLoss";
    const weight = optionalTensor(options?.weight);
    return reduceLoss(op, margins.multilabelSoftMargin(x, target, weight), reduction);
  },
);

/** Σ max(0, 1 − (input[t] − input[i])) over the targets t, which end at the first negative one, and all other classes i. */
export const multilabelMarginLoss = scoreLoss(
  "any",
  "multilabelMarginLoss(input, target, { reduction })",
  (x, target, reduction) =>
    reduceLoss("multilabelMarginLoss", margins.multilabelMargin(x, target), reduction),
);

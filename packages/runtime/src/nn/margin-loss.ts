/**
 * Losses with a margin, and losses of three tensors, as modules. Each is PyTorch's module of that name. `reduction` is "mean" (the
 * default), "sum" or "none".
 */

import type { Kinds } from "../entry/kinds.ts";
import {
  type AnyTensor,
  cosineEmbeddingLoss,
  gaussianNllLoss,
  hingeEmbeddingLoss,
  type LossOptions,
  type LossReduction,
  type MarginOptions,
  type MultiMarginLossOptions,
  marginRankingLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  multiMarginLoss,
  softMarginLoss,
  type TripletDistanceOptions,
  type TripletMarginOptions,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
  type WeightedLossOptions,
} from "../js.ts";
import { LossModule, lossOptions, type OneNumber, weightedOptions } from "./loss.ts";

const marginOptions: Kinds<MarginOptions> = { ...lossOptions, margin: "number" };

/** input where the target is 1, max(0, margin − input) where it is −1. The default of margin is 1. */
export class HingeEmbeddingLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  MarginOptions<R>
> {
  protected static override readonly kinds = marginOptions;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return hingeEmbeddingLoss(input, target, this.options);
  }
}

/** log(1 + exp(−target·input)); targets are 1 and −1. */
export class SoftMarginLoss<const R extends LossReduction = OneNumber> extends LossModule<R, LossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return softMarginLoss(input, target, this.options);
  }
}

/** Σ max(0, margin − input[target] + input[j])^p over the other classes j, divided by the number of classes. */
export class MultiMarginLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  MultiMarginLossOptions<R>
> {
  protected static override readonly kinds = {
    ...weightedOptions,
    ...{ p: "number", margin: "number" },
  } satisfies Kinds<MultiMarginLossOptions>;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return multiMarginLoss(input, target, this.current);
  }
}

/**
 * Σ max(0, 1 − (input[t] − input[i])) over all targets t and all other classes i. The list of targets ends at its first negative number.
 */
export class MultiLabelMarginLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  LossOptions<R>
> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return multilabelMarginLoss(input, target, this.options);
  }
}

/** The binary cross entropy of every class, from scores, averaged over the classes (the last axis). */
export class MultiLabelSoftMarginLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  WeightedLossOptions<R>
> {
  protected static override readonly kinds = weightedOptions;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return multilabelSoftMarginLoss(input, target, this.current);
  }
}

export interface GaussianNLLLossOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  /** Adds ½·log 2π. Default false. */
  readonly full?: boolean;
  /** A variance below it counts as it. Default 1e-6. */
  readonly eps?: number;
}

/** ½·(log variance + (input − target)²/variance). */
export class GaussianNLLLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  GaussianNLLLossOptions<R>,
  [variance: AnyTensor]
> {
  protected static override readonly inputs = "input: tensor, target: tensor, variance: tensor";
  protected static override readonly kinds = {
    ...lossOptions,
    ...{ full: "flag", eps: "number" },
  } satisfies Kinds<GaussianNLLLossOptions>;

  protected run(input: AnyTensor, target: AnyTensor, variance: AnyTensor): AnyTensor {
    return gaussianNllLoss(input, target, variance, this.options);
  }
}

/** 1 − cos(input1, input2) where the target is 1, max(0, cos − margin) where it is −1. The default of margin is 0. */
export class CosineEmbeddingLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  MarginOptions<R>,
  [target: AnyTensor]
> {
  protected static override readonly inputs = "input1: tensor, input2: tensor, target: tensor";
  protected static override readonly kinds = marginOptions;

  protected run(input1: AnyTensor, input2: AnyTensor, target: AnyTensor): AnyTensor {
    return cosineEmbeddingLoss(input1, input2, target, this.options);
  }
}

/** max(0, −target·(input1 − input2) + margin). The default of margin is 0. */
export class MarginRankingLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  MarginOptions<R>,
  [target: AnyTensor]
> {
  protected static override readonly inputs = "input1: tensor, input2: tensor, target: tensor";
  protected static override readonly kinds = marginOptions;

  protected run(input1: AnyTensor, input2: AnyTensor, target: AnyTensor): AnyTensor {
    return marginRankingLoss(input1, input2, target, this.options);
  }
}

/** max(0, |anchor − positive| − |anchor − negative| + margin) along the last axis. The default of margin is 1. */
export class TripletMarginLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  TripletMarginOptions<R>,
  [negative: AnyTensor]
> {
  protected static override readonly inputs = "anchor: tensor, positive: tensor, negative: tensor";
  protected static override readonly kinds = {
    ...marginOptions,
    ...{ p: "number", eps: "number", swap: "flag" },
  } satisfies Kinds<TripletMarginOptions>;

  protected run(anchor: AnyTensor, positive: AnyTensor, negative: AnyTensor): AnyTensor {
    return tripletMarginLoss(anchor, positive, negative, this.options);
  }
}

/** {@link TripletMarginLoss} with the user's `distanceFunction`. */
export class TripletMarginWithDistanceLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  TripletDistanceOptions<R>,
  [negative: AnyTensor]
> {
  protected static override readonly inputs = "anchor: tensor, positive: tensor, negative: tensor";
  protected static override readonly kinds = {
    ...marginOptions,
    ...{ distanceFunction: "function?", swap: "flag" },
  } satisfies Kinds<TripletDistanceOptions>;

  protected run(anchor: AnyTensor, positive: AnyTensor, negative: AnyTensor): AnyTensor {
    return tripletMarginWithDistanceLoss(anchor, positive, negative, this.options);
  }
}

/** Losses as modules. Each is PyTorch's of that name, and calls the function of that name. */
import {
  type AnyTensor,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  type CrossEntropyLossOptions,
  crossEntropy,
  huberLoss,
  klDiv,
  type LossOptions,
  type LossReduction,
  l1Loss,
  mseLoss,
  type NllLossOptions,
  nllLoss,
  smoothL1Loss,
  type Tensor,
  type WeightedLossOptions,
} from "../js.ts";
import { Module } from "./module.ts";

/** One number, unless there is one for each element. */
type Loss<R extends string, T extends AnyTensor> = Tensor<R extends "none" ? number[] : [], T["dtype"]>;

/** A loss of an input and a target. */
abstract class LossModule<R extends string, O extends LossOptions<R>> extends Module {
  readonly options: O;

  constructor(options: O = {} as O) {
    super();
    this.options = options;
  }

  forward<T extends AnyTensor>(input: T, target: AnyTensor): Loss<R, T> {
    return this.run(input, target) as Loss<R, T>;
  }

  protected abstract run(input: AnyTensor, target: AnyTensor): AnyTensor;
}

/** (input − target)². */
export class MSELoss<const R extends LossReduction = "mean"> extends LossModule<R, LossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return mseLoss(input, target, this.options);
  }
}

/** |input − target|. */
export class L1Loss<const R extends LossReduction = "mean"> extends LossModule<R, LossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return l1Loss(input, target, this.options);
  }
}

export interface SmoothL1LossOptions<R extends LossReduction> extends LossOptions<R> {
  /** From which distance on it is linear, 1. */
  readonly beta?: number;
}

/** ½·d²/beta for distances d below beta, from there on d − ½·beta. */
export class SmoothL1Loss<const R extends LossReduction = "mean"> extends LossModule<
  R,
  SmoothL1LossOptions<R>
> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return smoothL1Loss(input, target, this.options);
  }
}

export interface HuberLossOptions<R extends LossReduction> extends LossOptions<R> {
  /** From which distance on it is linear, 1. */
  readonly delta?: number;
}

/** ½·d² for distances d up to delta, from there on delta·(d − ½·delta). */
export class HuberLoss<const R extends LossReduction = "mean"> extends LossModule<R, HuberLossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return huberLoss(input, target, this.options);
  }
}

/** The cross entropy of scores [N, C, ...] and classes [N, ...] (int64 or int32), or probabilities in the scores' shape. */
export class CrossEntropyLoss<const R extends LossReduction = "mean"> extends LossModule<
  R,
  CrossEntropyLossOptions<R>
> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return crossEntropy(input, target, this.options);
  }
}

/** The negative log likelihood of classes [N, ...], from logarithms of probabilities [N, C, ...]. */
export class NLLLoss<const R extends LossReduction = "mean"> extends LossModule<R, NllLossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return nllLoss(input, target, this.options);
  }
}

/** The binary cross entropy of probabilities, and of targets from 0 to 1. */
export class BCELoss<const R extends LossReduction = "mean"> extends LossModule<R, WeightedLossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return binaryCrossEntropy(input, target, this.options);
  }
}

export interface BCEWithLogitsLossOptions<R extends LossReduction> extends WeightedLossOptions<R> {
  /** Weighs what should be 1. */
  readonly posWeight?: AnyTensor | null;
}

/** {@link BCELoss} of sigmoid(input), without overflow. */
export class BCEWithLogitsLoss<const R extends LossReduction = "mean"> extends LossModule<
  R,
  BCEWithLogitsLossOptions<R>
> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return binaryCrossEntropyWithLogits(input, target, this.options);
  }
}

export interface KLDivLossOptions<R extends string> extends LossOptions<R> {
  /** Whether the target is a logarithm, as the input is; false. */
  readonly logTarget?: boolean;
}

/** target·(log target − input); "batchmean" is the mathematical definition. */
export class KLDivLoss<const R extends LossReduction | "batchmean" = "mean"> extends LossModule<
  R,
  KLDivLossOptions<R>
> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return klDiv(input, target, this.options);
  }
}

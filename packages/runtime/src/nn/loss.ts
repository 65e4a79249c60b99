/**
 * Losses as modules. Each is PyTorch's module of that name, and calls the function of that name. `reduction` is "mean" (the default), "sum"
 * or "none".
 */

import { twin } from "../alias/alias.ts";
import type { Kind, Kinds } from "../entry/kinds.ts";
import { checkMade } from "../entry/made.ts";
import { type Signature, signatureOf } from "../entry/signature.ts";
import {
  type AnyTensor,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  type CrossEntropyLossOptions,
  type CtcLossOptions,
  crossEntropy,
  ctcLoss,
  huberLoss,
  klDiv,
  type Lengths,
  type LossOptions,
  type LossReduction,
  l1Loss,
  mseLoss,
  type NllLossOptions,
  nllLoss,
  type PoissonNllOptions,
  poissonNllLoss,
  smoothL1Loss,
  type Tensor,
  type WeightedLossOptions,
} from "../js.ts";
import { Module } from "./module.ts";
import { markedBuffer } from "./parameter.ts";
import { refusedAt } from "./refused.ts";

const ctcCall = signatureOf("forward", "logProbs: tensor, targets: tensor, inputLengths, targetLengths");

/** Reductions to one number. A field of type `MSELoss` holds losses with either. */
export type OneNumber = Exclude<LossReduction, "none">;

/** One number, or with reduction "none" one for each element. */
type Loss<R extends string, T extends AnyTensor> = Tensor<R extends "none" ? number[] : [], T["dtype"]>;

const reductions: readonly LossReduction[] = ["none", "mean", "sum"];
export const lossOptions: Kinds<LossOptions> = { reduction: reductions };
export const weightedOptions: Kinds<WeightedLossOptions> = { ...lossOptions, weight: "tensor?" };
const nllOptions: Kinds<NllLossOptions> = { ...weightedOptions, ignoreIndex: "integer" };

/** A loss of an input and a target; some take more tensors. Tensors among its options are buffers, as in PyTorch: a state dict has them. */
export abstract class LossModule<
  R extends string,
  O extends LossOptions<R>,
  More extends readonly AnyTensor[] = [],
> extends Module {
  /** The kinds of the options. */
  protected static readonly kinds: Readonly<Record<string, Kind>> = lossOptions;
  /** The signature of `forward`. */
  protected static readonly inputs: string = "input: tensor, target: tensor";
  readonly options: O;
  readonly #call: Signature;

  constructor(options: O = {} as O) {
    const { kinds, inputs } = new.target as typeof LossModule<R, O, More>;
    checkMade(new.target, arguments, {}, options, kinds);
    super();
    this.#call = signatureOf("forward", inputs);
    const buffers: Record<string, AnyTensor | null> = {};
    for (const name of tensorsIn(kinds)) {
      const given = Reflect.get(options, name) as AnyTensor | null | undefined;
      // Another handle of it, since what the caller has is no buffer of the caller's modules.
      buffers[name] = given ? markedBuffer(twin(given)) : null;
    }
    this.options = { ...options, ...buffers };
    Object.assign(this, buffers);
    this.keepFields();
  }

  /** The options, with the buffers as they are now. */
  protected get current(): O {
    const names = tensorsIn((this.constructor as typeof LossModule<R, O, More>).kinds);
    return { ...this.options, ...Object.fromEntries(names.map((name) => [name, Reflect.get(this, name)])) };
  }

  forward<T extends AnyTensor>(input: T, target: AnyTensor, ...more: More): Loss<R, T> {
    return refusedAt(this.forward, this.#call, arguments, () => this.run(input, target, ...more)) as Loss<
      R,
      T
    >;
  }

  protected abstract run(input: AnyTensor, target: AnyTensor, ...more: More): AnyTensor;
}

const tensorsIn = (kinds: Readonly<Record<string, Kind>>): string[] =>
  Object.keys(kinds).filter((name) => kinds[name] === "tensor?");

/** (input − target)². */
export class MSELoss<const R extends LossReduction = OneNumber> extends LossModule<R, LossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return mseLoss(input, target, this.options);
  }
}

/** |input − target|. */
export class L1Loss<const R extends LossReduction = OneNumber> extends LossModule<R, LossOptions<R>> {
  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return l1Loss(input, target, this.options);
  }
}

export interface SmoothL1LossOptions<R extends LossReduction> extends LossOptions<R> {
  /** The distance from which on it is linear. Default 1. */
  readonly beta?: number;
}

/** With d = |input − target|: ½·d²/beta below beta, and d − ½·beta from there on. */
export class SmoothL1Loss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  SmoothL1LossOptions<R>
> {
  protected static override readonly kinds = { ...lossOptions, beta: "number" } satisfies Kinds<
    SmoothL1LossOptions<"mean">
  >;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return smoothL1Loss(input, target, this.options);
  }
}

export interface HuberLossOptions<R extends LossReduction> extends LossOptions<R> {
  /** The distance from which on it is linear. Default 1. */
  readonly delta?: number;
}

/** With d = |input − target|: ½·d² up to delta, and delta·(d − ½·delta) from there on. */
export class HuberLoss<const R extends LossReduction = OneNumber> extends LossModule<R, HuberLossOptions<R>> {
  protected static override readonly kinds = { ...lossOptions, delta: "number" } satisfies Kinds<
    HuberLossOptions<"mean">
  >;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return huberLoss(input, target, this.options);
  }
}

/** The cross entropy of scores [N, C, ...] and classes [N, ...] (int64 or int32), or probabilities in the scores' shape. */
export class CrossEntropyLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  CrossEntropyLossOptions<R>
> {
  protected static override readonly kinds = {
    ...nllOptions,
    labelSmoothing: "share",
  } satisfies Kinds<CrossEntropyLossOptions>;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return crossEntropy(input, target, this.current);
  }
}

/** The negative log likelihood of classes [N, ...], from logarithms of probabilities [N, C, ...]. */
export class NLLLoss<const R extends LossReduction = OneNumber> extends LossModule<R, NllLossOptions<R>> {
  protected static override readonly kinds = nllOptions;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return nllLoss(input, target, this.current);
  }
}

/** exp(input) − target·input, or input − target·log(input + eps). */
export class PoissonNLLLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  PoissonNllOptions<R>
> {
  protected static override readonly kinds = {
    ...lossOptions,
    ...{ logInput: "flag", full: "flag", eps: "number" },
  } satisfies Kinds<PoissonNllOptions>;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return poissonNllLoss(input, target, this.options);
  }
}

/** The binary cross entropy of probabilities, and of targets from 0 to 1. */
export class BCELoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  WeightedLossOptions<R>
> {
  protected static override readonly kinds = weightedOptions;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return binaryCrossEntropy(input, target, this.current);
  }
}

export interface BCEWithLogitsLossOptions<R extends LossReduction> extends WeightedLossOptions<R> {
  /** Multiplies the term of targets that are 1. */
  readonly posWeight?: AnyTensor | null;
}

/** {@link BCELoss} of sigmoid(input), without overflow. */
export class BCEWithLogitsLoss<const R extends LossReduction = OneNumber> extends LossModule<
  R,
  BCEWithLogitsLossOptions<R>
> {
  protected static override readonly kinds = { ...weightedOptions, posWeight: "tensor?" } satisfies Kinds<
    BCEWithLogitsLossOptions<"mean">
  >;

  /** The buffer of that option; null if there is none. */
  declare weight: AnyTensor | null;
  declare posWeight: AnyTensor | null;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return binaryCrossEntropyWithLogits(input, target, this.current);
  }
}

export interface KLDivLossOptions<R extends string> extends LossOptions<R> {
  /** True if the target is a logarithm, as the input is. Default false. */
  readonly logTarget?: boolean;
}

/** target·(log target − input). "batchmean" divides by the first size, which is the mathematical definition. */
export class KLDivLoss<const R extends LossReduction | "batchmean" = "mean"> extends LossModule<
  R,
  KLDivLossOptions<R>
> {
  protected static override readonly kinds = {
    reduction: [...reductions, "batchmean"],
    logTarget: "flag",
  } satisfies Kinds<KLDivLossOptions<"mean">>;

  protected run(input: AnyTensor, target: AnyTensor): AnyTensor {
    return klDiv(input, target, this.options);
  }
}

/** The loss of connectionist temporal classification: see {@link ctcLoss}. */
export class CTCLoss<const R extends LossReduction = OneNumber> extends Module {
  readonly options: CtcLossOptions<R>;

  constructor(options: CtcLossOptions<R> = {}) {
    checkMade(new.target, arguments, {}, options, { ...lossOptions, blank: "count", zeroInfinity: "flag" });
    super();
    this.options = options;
  }

  forward<T extends AnyTensor>(
    logProbs: T,
    targets: AnyTensor,
    inputLengths: Lengths,
    targetLengths: Lengths,
  ): Loss<R, T> {
    return refusedAt(this.forward, ctcCall, arguments, () =>
      ctcLoss(logProbs as AnyTensor, targets, inputLengths, targetLengths, this.options),
    ) as AnyTensor as Loss<R, T>;
  }
}

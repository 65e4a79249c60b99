/** Losses. Each is the function of that name in torch.nn.functional. */
import { operation } from "../entry/operation.ts";
import { crossEntropy as crossEntropyOf, nll } from "../ops/loss/classification.ts";
import type { LossReduction } from "../ops/loss/reduction.ts";
import * as ops from "../ops/loss/regression.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Fits } from "../tensor/types.ts";
import { type PairLoss, pair, type Reduced } from "./loss-result.ts";

export type { LossReduction } from "../ops/loss/reduction.ts";

/** What becomes of the losses: each by itself, their mean (the default), or their sum. */
export interface LossOptions<R extends string = LossReduction> {
  readonly reduction?: R;
}

/** (input − target)². */
export const mseLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R>,
) => PairLoss<T, B, R> = operation(
  "mseLoss",
  "input, target, { reduction }",
  (input: AnyTensor, target: AnyTensor, options: LossOptions = {}): AnyTensor =>
    wrap(ops.mse(...pair("mseLoss", input, target), options.reduction ?? "mean")),
);

/** |input − target|. */
export const l1Loss: <T extends AnyTensor, const B extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R>,
) => PairLoss<T, B, R> = operation(
  "l1Loss",
  "input, target, { reduction }",
  (input: AnyTensor, target: AnyTensor, options: LossOptions = {}): AnyTensor =>
    wrap(ops.l1(...pair("l1Loss", input, target), options.reduction ?? "mean")),
);

/** ½·d²/beta for distances d below beta (1), from there on d − ½·beta. */
export const smoothL1Loss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R> & { readonly beta?: number },
) => PairLoss<T, B, R> = operation(
  "smoothL1Loss",
  "input, target, { reduction, beta }",
  (
    input: AnyTensor,
    target: AnyTensor,
    options: LossOptions & { readonly beta?: number } = {},
  ): AnyTensor => {
    const { beta = 1, reduction = "mean" } = options;
    return wrap(ops.smoothL1(...pair("smoothL1Loss", input, target), beta, reduction));
  },
);

/** ½·d² for distances d up to delta (1), from there on delta·(d − ½·delta). */
export const huberLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R> & { readonly delta?: number },
) => PairLoss<T, B, R> = operation(
  "huberLoss",
  "input, target, { reduction, delta }",
  (
    input: AnyTensor,
    target: AnyTensor,
    options: LossOptions & { readonly delta?: number } = {},
  ): AnyTensor => {
    const { delta = 1, reduction = "mean" } = options;
    return wrap(ops.huber(...pair("huberLoss", input, target), delta, reduction));
  },
);

/**
 * target·(log target − input), where `input` is a logarithm, and `target` too when `logTarget`. `"batchmean"` divides the sum by
 * the first size, which is the mathematical definition.
 */
export const klDiv: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction | "batchmean" = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R> & { readonly logTarget?: boolean },
) => PairLoss<T, B, R> = operation(
  "klDiv",
  "input, target, { reduction, logTarget }",
  (
    input: AnyTensor,
    target: AnyTensor,
    options: LossOptions<LossReduction | "batchmean"> & { readonly logTarget?: boolean } = {},
  ): AnyTensor => {
    const { logTarget = false, reduction = "mean" } = options;
    return wrap(ops.klDiv(...pair("klDiv", input, target), logTarget, reduction));
  },
);

export interface PoissonNllOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  /** The input is a logarithm; true. */
  readonly logInput?: boolean;
  /** Adds Stirling's approximation of log(target!); false. */
  readonly full?: boolean;
  /** 1e-8. */
  readonly eps?: number;
}

/** exp(input) − target·input, or input − target·log(input + eps). */
export const poissonNllLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: PoissonNllOptions<R>,
) => PairLoss<T, B, R> = operation(
  "poissonNllLoss",
  "input, target, { logInput, full, eps, reduction }",
  (
    input: AnyTensor,
    target: AnyTensor,
    { logInput = true, full = false, eps = 1e-8, reduction = "mean" }: PoissonNllOptions = {},
  ): AnyTensor => {
    const options = { logInput, full, eps, reduction };
    return wrap(ops.poissonNll(...pair("poissonNllLoss", input, target), options));
  },
);

/** ½·(log var + (input − target)²/var); `full` adds ½·log 2π; the variance is not taken below eps (1e-6). */
export const gaussianNllLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  variance: AnyTensor,
  options?: LossOptions<R> & { readonly full?: boolean; readonly eps?: number },
) => PairLoss<T, B, R> = operation(
  "gaussianNllLoss",
  "input, target, variance, { reduction, full, eps }",
  (
    input: AnyTensor,
    target: AnyTensor,
    variance: AnyTensor,
    options: LossOptions & { readonly full?: boolean; readonly eps?: number } = {},
  ): AnyTensor => {
    const { full = false, eps = 1e-6, reduction = "mean" } = options;
    const spread = tensorArgument("gaussianNllLoss", "var", variance);
    return wrap(ops.gaussianNll(...pair("gaussianNllLoss", input, target), spread, full, eps, reduction));
  },
);

export interface WeightedLossOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  readonly weight?: AnyTensor | null;
}

/** −(target·log input + (1 − target)·log(1 − input)) of probabilities, either logarithm not below −100. */
export const binaryCrossEntropy: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: AnyTensor,
  options?: WeightedLossOptions<R>,
) => Tensor<Reduced<T[ShapeKey], R>, T["dtype"]> = operation(
  "binaryCrossEntropy",
  "input, target, { weight, reduction }",
  (input: AnyTensor, target: AnyTensor, options: WeightedLossOptions = {}): AnyTensor => {
    const weight = optionalTensor("binaryCrossEntropy", "weight", options.weight);
    const values = pair("binaryCrossEntropy", input, target);
    return wrap(ops.binaryCrossEntropy(...values, weight, options.reduction ?? "mean"));
  },
);

/** {@link binaryCrossEntropy} of sigmoid(input), without overflow; `posWeight` weighs what should be 1. */
export const binaryCrossEntropyWithLogits: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: AnyTensor,
  options?: WeightedLossOptions<R> & { readonly posWeight?: AnyTensor | null },
) => Tensor<Reduced<T[ShapeKey], R>, T["dtype"]> = operation(
  "binaryCrossEntropyWithLogits",
  "input, target, { weight, reduction, posWeight }",
  (
    input: AnyTensor,
    target: AnyTensor,
    options: WeightedLossOptions & { readonly posWeight?: AnyTensor | null } = {},
  ): AnyTensor => {
    const op = "binaryCrossEntropyWithLogits";
    const weight = optionalTensor(op, "weight", options.weight);
    const posWeight = optionalTensor(op, "posWeight", options.posWeight);
    const values = pair(op, input, target);
    return wrap(ops.binaryCrossEntropyWithLogits(...values, weight, posWeight, options.reduction ?? "mean"));
  },
);

/** log(1 + exp(−target·input)). */
export const softMarginLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: Fits<T, B>,
  options?: LossOptions<R>,
) => PairLoss<T, B, R> = operation(
  "softMarginLoss",
  "input, target, { reduction }",
  (input: AnyTensor, target: AnyTensor, options: LossOptions = {}): AnyTensor =>
    wrap(ops.softMargin(...pair("softMarginLoss", input, target), options.reduction ?? "mean")),
);

export interface NllLossOptions<R extends LossReduction = LossReduction> extends WeightedLossOptions<R> {
  /** Targets of this number count for nothing, −100. */
  readonly ignoreIndex?: number;
}

/** −weight[target]·input[target] along the classes (axis 1), where `input` holds logarithms; the mean is over the weights. */
export const nllLoss: <
  T extends AnyTensor,
  const B extends AnyTensor,
  const R extends LossReduction = "mean",
>(
  input: T,
  target: B,
  options?: NllLossOptions<R>,
) => Tensor<Reduced<B[ShapeKey], R>, T["dtype"]> = operation(
  "nllLoss",
  "input, target, { ignoreIndex, weight, reduction }",
  (input: AnyTensor, target: AnyTensor, options: NllLossOptions = {}): AnyTensor => {
    const { ignoreIndex = -100, reduction = "mean" } = options;
    const weight = optionalTensor("nllLoss", "weight", options.weight);
    return wrap(nll("nllLoss", ...pair("nllLoss", input, target), { weight, ignoreIndex, reduction }));
  },
);

export interface CrossEntropyLossOptions<R extends LossReduction = LossReduction> extends NllLossOptions<R> {
  /** How much of the target is spread over all classes, 0 to 1; 0. */
  readonly labelSmoothing?: number;
}

/**
 * {@link nllLoss} of log-softmax along the classes (axis 1): targets are classes, or probabilities for each class when they have
 * the input's shape.
 */
export const crossEntropy: <T extends AnyTensor, const R extends LossReduction = "mean">(
  input: T,
  target: AnyTensor,
  options?: CrossEntropyLossOptions<R>,
) => Tensor<Reduced<number[], R>, T["dtype"]> = operation(
  "crossEntropy",
  "input, target, { labelSmoothing, ignoreIndex, weight, reduction }",
  (input: AnyTensor, target: AnyTensor, options: CrossEntropyLossOptions = {}): AnyTensor => {
    const { ignoreIndex = -100, reduction = "mean", labelSmoothing = 0 } = options;
    const weight = optionalTensor("crossEntropy", "weight", options.weight);
    const values = pair("crossEntropy", input, target);
    return wrap(crossEntropyOf(...values, { weight, ignoreIndex, reduction, labelSmoothing }));
  },
);

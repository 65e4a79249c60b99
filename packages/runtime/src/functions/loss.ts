/** Losses. Each is the function of that name in torch.nn.functional. `reduction` is "mean" (the default), "sum" or "none". */
import { DTypeError, type FloatResult, isFloat } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type LossOptions, pairLoss, type Reduced, scoreLoss } from "../declare/losses.ts";
import { xlogy } from "../ops/arithmetic.ts";
import { crossEntropy as crossEntropyOf, nll } from "../ops/loss/classification.ts";
import { type LossReduction, reduceLoss } from "../ops/loss/reduction.ts";
import * as ops from "../ops/loss/regression.ts";
import { abs, add, div, exp, ge, gt, le, log, lt, map, mul, neg, sub, where } from "../ops/pointwise.ts";
import { sum } from "../ops/reduction.ts";
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Fits, PairDType, PairShape, TripleDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export type { LossOptions } from "../declare/losses.ts";
export type { LossReduction } from "../ops/loss/reduction.ts";

/** (input − target)². */
export const mseLoss = pairLoss(
  "promoted",
  "mseLoss(input, target, { reduction })",
  (x, target) => {
    const difference = sub(x, target);
    return mul(difference, difference);
  },
  true,
);

/** |input − target|. */
export const l1Loss = pairLoss(
  "promoted",
  "l1Loss(input, target, { reduction })",
  (x, target) => abs(sub(x, target)),
  true,
);

/** With d = |input − target|: ½·d²/beta below beta (1), and d − ½·beta from there on. */
export const smoothL1Loss = pairLoss(
  "float",
  "smoothL1Loss(input, target, { reduction, beta })",
  (x, target, { beta = 1 }: { readonly beta?: number } = {}) => {
    if (!(beta >= 0))
      throw new RangeError(`smooth_l1_loss does not support negative values for beta. (got ${beta})`);
    const distance = (): Value => abs(sub(x, target));
    const compute = (): Value => {
      const near = div(mul(mul(distance(), 0.5), distance()), beta);
      return beta === 0 ? distance() : where(lt(distance(), beta), near, sub(distance(), 0.5 * beta));
    };
    return ops.byDifference("smoothL1Loss", x, target, compute, (difference) =>
      beta === 0
        ? map("sign", difference)
        : where(ge(distance(), beta), map("sign", difference), div(difference, beta)),
    );
  },
  true,
);

/** With d = |input − target|: ½·d² up to delta (1), and delta·(d − ½·delta) from there on. */
export const huberLoss = pairLoss(
  "float",
  "huberLoss(input, target, { reduction, delta })",
  (x, target, { delta = 1 }: { readonly delta?: number } = {}) => {
    const distance = (): Value => abs(sub(x, target));
    const compute = (): Value => {
      const near = mul(mul(distance(), 0.5), distance());
      return where(le(distance(), delta), near, mul(sub(distance(), 0.5 * delta), delta));
    };
    const losses = ops.byDifference("huberLoss", x, target, compute, (difference) =>
      where(ge(distance(), delta), mul(map("sign", difference), delta), difference),
    );
    if (delta > 0) return losses;
    throw new RangeError(`huber_loss does not support non-positive values for delta. (got ${delta})`);
  },
  true,
);

/**
 * target·(log target − input). `input` is a logarithm, and with `logTarget` so is `target`. `"batchmean"` divides the sum by the first
 * size, which is the mathematical definition.
 */
export const klDiv = declareFunction(
  "klDiv(input, target, { reduction, logTarget })",
  <T extends AnyTensor, const B extends AnyTensor, const R extends LossReduction | "batchmean" = "mean">(
    input: T,
    target: Fits<T, B>,
    options?: LossOptions<R> & { readonly logTarget?: boolean },
  ): Tensor<Reduced<PairShape<T, B>, R>, FloatResult<PairDType<T, B>>> => {
    const x = unwrap(input);
    const goal = unwrap(target);
    const reduction: LossReduction | "batchmean" = options?.reduction ?? "mean";
    if (!isFloat(x.node.dtype) || !isFloat(goal.node.dtype))
      throw new DTypeError("kl_div: Integral inputs not supported (cast them with float())");
    const losses = options?.logTarget ? mul(exp(goal), sub(goal, x)) : sub(xlogy(goal, goal), mul(goal, x));
    if (reduction !== "batchmean") return wrap(reduceLoss("klDiv", losses, reduction));
    const { shape } = x.node;
    const total = sum(losses, null, false, null);
    return wrap(shape.length === 0 ? total : div(total, shape[0]!));
  },
);

export interface PoissonNllOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  /** True if the input is a logarithm. Default true. */
  readonly logInput?: boolean;
  /** Adds Stirling's approximation of log(target!). Default false. */
  readonly full?: boolean;
  /** Added to the input before its logarithm is taken. Default 1e-8. */
  readonly eps?: number;
}

/** exp(input) − target·input, or input − target·log(input + eps). */
export const poissonNllLoss = pairLoss(
  "float",
  "poissonNllLoss(input, target, { logInput, full, eps, reduction })",
  (x, target, { logInput = true, full = false, eps = 1e-8 }: PoissonNllOptions = {}) => {
    const plain = logInput ? sub(exp(x), mul(target, x)) : sub(x, mul(target, log(add(x, eps))));
    if (!full) return plain;
    const stirling = add(sub(mul(target, log(target)), target), mul(log(mul(target, 2 * Math.PI)), 0.5));
    return add(plain, where(gt(target, 1), stirling, 0));
  },
);

/** ½·(log var + (input − target)²/var). A variance below eps (1e-6) counts as eps. `full` adds ½·log 2π. */
export const gaussianNllLoss = declareFunction(
  "gaussianNllLoss(input, target, variance, { reduction, full, eps })",
  <
    T extends AnyTensor,
    const B extends AnyTensor,
    const V extends AnyTensor,
    const R extends LossReduction = "mean",
  >(
    input: T,
    target: Fits<T, B>,
    variance: V,
    options?: LossOptions<R> & { readonly full?: boolean; readonly eps?: number },
  ): Tensor<Reduced<PairShape<T, B>, R>, FloatResult<TripleDType<T, B, V>>> => {
    const op = "gaussianNllLoss";
    const { full = false, eps = 1e-6 } = options ?? {};
    const spread = unwrap(variance);
    const [x, goal] = [unwrap(input), unwrap(target)];
    return wrap(reduceLoss(op, ops.gaussianNll(x, goal, spread, full, eps), options?.reduction ?? "mean"));
  },
);

export interface WeightedLossOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  readonly weight?: AnyTensor | null;
}

/** −(target·log input + (1 − target)·log(1 − input)) of probabilities. Logarithms below −100 count as −100. */
export const binaryCrossEntropy = scoreLoss(
  "input",
  "binaryCrossEntropy(input, target, { weight, reduction })",
  (x, target, reduction, options?: WeightedLossOptions) => {
    const op = "binaryCrossEntropy";
    const weight = optionalTensor(options?.weight);
    return reduceLoss(op, ops.binaryCrossEntropy(x, target, weight), reduction);
  },
);

/** {@link binaryCrossEntropy} of sigmoid(input), without overflow. `posWeight` multiplies the first term, which is about targets of 1. */
export const binaryCrossEntropyWithLogits = scoreLoss(
  "input",
  "binaryCrossEntropyWithLogits(input, target, { weight, reduction, posWeight })",
  (x, target, reduction, options?: WeightedLossOptions & { readonly posWeight?: AnyTensor | null }) => {
    const op = "binaryCrossEntropyWithLogits";
    const weight = optionalTensor(options?.weight);
    const posWeight = optionalTensor(options?.posWeight);
    return reduceLoss(op, ops.binaryCrossEntropyWithLogits(x, target, weight, posWeight), reduction);
  },
);

/** log(1 + exp(−target·input)). */
export const softMarginLoss = pairLoss("float", "softMarginLoss(input, target, { reduction })", (x, target) =>
  map("log1p", exp(mul(x, neg(target)))),
);

export interface NllLossOptions<R extends LossReduction = LossReduction> extends WeightedLossOptions<R> {
  /** Targets with this number are ignored. Default −100. */
  readonly ignoreIndex?: number;
}

/** −weight[target]·input[target] along the classes (axis 1), where `input` holds logarithms. The mean is weighted by the weights. */
export const nllLoss = scoreLoss(
  "classes",
  "nllLoss(input, target, { ignoreIndex, weight, reduction })",
  (x, target, reduction, options?: NllLossOptions) => {
    const weight = optionalTensor(options?.weight);
    return nll("nllLoss", x, target, { weight, ignoreIndex: options?.ignoreIndex ?? -100, reduction });
  },
);

export interface CrossEntropyLossOptions<R extends LossReduction = LossReduction> extends NllLossOptions<R> {
  /** The part of the target that is spread evenly over all classes, from 0 to 1. Default 0. */
  readonly labelSmoothing?: number;
}

/**
 * {@link nllLoss} of log-softmax along the classes (axis 1). Targets are classes; if they have the input's shape, they are a probability
 * for each class.
 */
export const crossEntropy = scoreLoss(
  "classes",
  "crossEntropy(input, target, { labelSmoothing, ignoreIndex, weight, reduction })",
  (x, target, reduction, options?: CrossEntropyLossOptions) => {
    const { ignoreIndex = -100, labelSmoothing = 0 } = options ?? {};
    const weight = optionalTensor(options?.weight);
    return crossEntropyOf(x, target, { weight, ignoreIndex, reduction, labelSmoothing });
  },
);

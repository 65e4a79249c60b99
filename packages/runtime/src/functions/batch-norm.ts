/** Normalisation over batches, samples and groups. Each is the function of that name in torch.nn.functional. */
import { writeInto } from "../alias/alias.ts";
import { declareFunction } from "../declare/declaration.ts";
import * as ops from "../ops/batch-norm.ts";
import { narrowed } from "../ops/movement.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapEach } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { layerNorm } from "./normalization.ts";

export interface AffineOptions {
  /** One number for each channel. */
  readonly weight?: AnyTensor | null;
  readonly bias?: AnyTensor | null;
  /** What keeps the divisor from zero, 1e-5. */
  readonly eps?: number;
}

export interface BatchNormOptions extends AffineOptions {
  /** Takes mean and variance of the batch, and moves the averages toward them; false. */
  readonly training?: boolean;
  /** How far the averages move, 0.1. */
  readonly momentum?: number;
}

export interface InstanceNormOptions extends AffineOptions {
  readonly runningMean?: AnyTensor | null;
  readonly runningVar?: AnyTensor | null;
  /** True; when false, the averages are used. */
  readonly useInputStats?: boolean;
  readonly momentum?: number;
}

export interface LocalResponseNormOptions {
  /** 1e-4. */
  readonly alpha?: number;
  /** 0.75. */
  readonly beta?: number;
  /** 1. */
  readonly k?: number;
}

const affineOf = (options: AffineOptions): ops.Affine => ({
  weight: optionalTensor(options.weight),
  bias: optionalTensor(options.bias),
});

function runningOf(
  mean: AnyTensor | null | undefined,
  variance: AnyTensor | null | undefined,
): ops.Running | null {
  const kept = [optionalTensor(mean), optionalTensor(variance)] as const;
  if (kept[0] === null || kept[1] === null) return null;
  return { mean: kept[0], variance: kept[1] };
}

/** The result. Averages that moved are written into the tensors that keep them. */
function kept(
  op: string,
  { result, running }: ops.Normalized,
  mean: AnyTensor | null | undefined,
  variance: AnyTensor | null | undefined,
): Value {
  if (running === null || mean == null || variance == null) return result;
  writeInto(op, mean, running.mean);
  writeInto(op, variance, running.variance);
  return result;
}

/**
 * Each channel (axis 1) less its mean and over its deviation, scaled and shifted. In training both are the batch's own, and
 * `runningMean` and `runningVar` are written in place; else they are those.
 */
export const batchNorm = declareFunction(
  "batchNorm(input, runningMean, runningVar, { training, momentum, weight, bias, eps })",
  <T extends AnyTensor>(
    x: T,
    runningMean: AnyTensor | null,
    runningVar: AnyTensor | null,
    options: BatchNormOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const op = "batchNorm";
    const { training = false, momentum = 0.1, eps = 1e-5 } = options;
    const running = runningOf(runningMean, runningVar);
    const value = unwrap(x);
    const normalized = ops.batchNorm(value, running, affineOf(options), training, momentum, eps);
    return wrap(kept(op, normalized, runningMean, runningVar));
  },
);

/** {@link batchNorm} as [result, mean, 1 / √(variance + eps)]; the latter two are empty when not training. */
export const nativeBatchNorm = declareFunction(
  "nativeBatchNorm(input, weight, bias, runningMean, runningVar, training, momentum, eps)",
  <T extends AnyTensor>(
    x: T,
    weight: AnyTensor | null,
    bias: AnyTensor | null,
    runningMean: AnyTensor | null,
    runningVar: AnyTensor | null,
    training: boolean,
    momentum: number,
    eps: number,
  ): [Tensor<T[ShapeKey], T["dtype"]>, Tensor<[number], T["dtype"]>, Tensor<[number], T["dtype"]>] => {
    const op = "nativeBatchNorm";
    const running = runningOf(runningMean, runningVar);
    const affine = affineOf({ weight, bias });
    const value = unwrap(x);
    const normalized = ops.batchNorm(value, running, affine, training, momentum, eps);
    const result = kept(op, normalized, runningMean, runningVar);
    const own = (statistic: Value): Value => (training ? statistic : narrowed(statistic, 0, 0, 0));
    return wrapEach([result, own(normalized.mean), own(normalized.scale)]);
  },
);

/** {@link Tensor.layerNorm} as [result, mean, 1 / √(variance + eps)]. */
export const nativeLayerNorm = declareFunction(
  "nativeLayerNorm(input, normalizedShape, weight, bias, eps)",
  <T extends AnyTensor>(
    x: T,
    normalizedShape: readonly number[],
    weight: AnyTensor | null | undefined,
    bias: AnyTensor | null | undefined,
    eps: number,
  ): [Tensor<T[ShapeKey], T["dtype"]>, Tensor<number[], T["dtype"]>, Tensor<number[], T["dtype"]>] => {
    const options = { weight: weight ?? null, bias: bias ?? null, eps };
    const result = layerNorm(x, normalizedShape, options);
    const [mean, scale] = ops.layerStatistics(unwrap(x), normalizedShape.length, eps);
    return [result, wrap(mean), wrap(scale)];
  },
);

/** {@link batchNorm} of each sample by itself. */
export const instanceNorm = declareFunction(
  "instanceNorm(input, { runningMean, runningVar, useInputStats, momentum, weight, bias, eps })",
  <T extends AnyTensor>(x: T, options: InstanceNormOptions = {}): Tensor<T[ShapeKey], T["dtype"]> => {
    const op = "instanceNorm";
    const { runningMean, runningVar, useInputStats = true, momentum = 0.1, eps = 1e-5 } = options;
    const running = runningOf(runningMean, runningVar);
    const value = unwrap(x);
    const normalized = ops.instanceNorm(value, running, affineOf(options), useInputStats, momentum, eps);
    return wrap(kept(op, normalized, runningMean, runningVar));
  },
);

/** Groups of channels of each sample less their mean and over their deviation; scaled and shifted by channel. */
export const groupNorm = declareFunction(
  "groupNorm(input, numGroups, { weight, bias, eps })",
  <T extends AnyTensor>(
    x: T,
    numGroups: number,
    options: AffineOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const value = unwrap(x);
    return wrap(ops.groupNorm(value, numGroups, affineOf(options), options.eps ?? 1e-5));
  },
);

/** x / √(mean(x²) + eps) over the last axes, whose sizes are `normalizedShape`, times `weight`. */
export const rmsNorm = declareFunction(
  "rmsNorm(input, normalizedShape, { weight, eps })",
  <T extends AnyTensor>(
    x: T,
    normalizedShape: readonly number[],
    options: { readonly weight?: AnyTensor | null; readonly eps?: number | null } = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const weight = optionalTensor(options.weight);
    return wrap(ops.rmsNorm(unwrap(x), normalizedShape, weight, options.eps ?? null));
  },
);

/** x / (k + alpha·mean of the squares of `size` neighbouring channels)^beta. */
export const localResponseNorm = declareFunction(
  "localResponseNorm(input, size, { alpha, beta, k })",
  <T extends AnyTensor>(
    x: T,
    size: number,
    { alpha = 1e-4, beta = 0.75, k = 1 }: LocalResponseNormOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.localResponseNorm(unwrap(x), size, alpha, beta, k)),
);

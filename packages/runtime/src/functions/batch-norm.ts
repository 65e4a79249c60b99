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
  /** Added to the variance, so that the divisor is not zero. Default 1e-5. */
  readonly eps?: number;
}

export interface BatchNormOptions extends AffineOptions {
  /** Uses the mean and variance of the batch, and moves the running averages toward them. Default false. */
  readonly training?: boolean;
  /** How far the averages move toward the batch's. Default 0.1. */
  readonly momentum?: number;
}

export interface InstanceNormOptions extends AffineOptions {
  readonly runningMean?: AnyTensor | null;
  readonly runningVar?: AnyTensor | null;
  /** Uses the mean and variance of each sample; if false, the averages. Default true. */
  readonly useInputStats?: boolean;
  readonly momentum?: number;
}

export interface LocalResponseNormOptions {
  /** Default 1e-4. */
  readonly alpha?: number;
  /** Default 0.75. */
  readonly beta?: number;
  /** Default 1. */
  readonly k?: number;
}

/** A tensor that may be left out. */
type Given = AnyTensor | null | undefined;

const affineOf = ({ weight, bias }: AffineOptions): ops.Affine => ({
  weight: optionalTensor(weight),
  bias: optionalTensor(bias),
});

/** The result of `normalize`. Averages that moved are written into `runningMean` and `runningVar`. */
function withAverages(
  op: string,
  mean: Given,
  variance: Given,
  normalize: (running: ops.Running | null) => ops.Normalized,
): ops.Normalized {
  const kept = [optionalTensor(mean), optionalTensor(variance)] as const;
  const running = kept[0] === null || kept[1] === null ? null : { mean: kept[0], variance: kept[1] };
  const normalized = normalize(running);
  if (normalized.running !== null) {
    writeInto(op, mean as AnyTensor, normalized.running.mean);
    writeInto(op, variance as AnyTensor, normalized.running.variance);
  }
  return normalized;
}

/**
 * For each channel (axis 1): (x − mean) / √(variance + eps) · weight + bias. In training, mean and variance are those of the batch, and
 * `runningMean` and `runningVar` are updated in place, unless the batch is empty; otherwise they are those two.
 */
export const batchNorm = declareFunction(
  "batchNorm(input, runningMean, runningVar, { training, momentum, weight, bias, eps })",
  <T extends AnyTensor>(
    x: T,
    runningMean: AnyTensor | null,
    runningVar: AnyTensor | null,
    options: BatchNormOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const { training = false, momentum = 0.1, eps = 1e-5 } = options;
    const normalize = (running: ops.Running | null): ops.Normalized =>
      ops.batchNorm(unwrap(x), running, affineOf(options), training, momentum, eps);
    return wrap(withAverages("batchNorm", runningMean, runningVar, normalize).result);
  },
);

/** {@link batchNorm} as [result, mean, 1 / √(variance + eps)]; the last two are empty when not training. */
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
    const normalize = (running: ops.Running | null): ops.Normalized =>
      ops.batchNorm(unwrap(x), running, affineOf({ weight, bias }), training, momentum, eps);
    const { result, mean, scale } = withAverages("nativeBatchNorm", runningMean, runningVar, normalize);
    const own = (statistic: Value): Value => (training ? statistic : narrowed(statistic, 0, 0, 0));
    return wrapEach([result, own(mean), own(scale)]);
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

/** {@link batchNorm} with the mean and variance of each sample by itself. An empty batch leaves the averages, which PyTorch makes NaN. */
export const instanceNorm = declareFunction(
  "instanceNorm(input, { runningMean, runningVar, useInputStats, momentum, weight, bias, eps })",
  <T extends AnyTensor>(x: T, options: InstanceNormOptions = {}): Tensor<T[ShapeKey], T["dtype"]> => {
    const { runningMean, runningVar, useInputStats = true, momentum = 0.1, eps = 1e-5 } = options;
    const normalize = (running: ops.Running | null): ops.Normalized =>
      ops.instanceNorm(unwrap(x), running, affineOf(options), useInputStats, momentum, eps);
    return wrap(withAverages("instanceNorm", runningMean, runningVar, normalize).result);
  },
);

/** (x − mean) / √(variance + eps) for groups of channels of each sample; scaled and shifted by channel. */
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

/** x / √(mean(x²) + eps) · weight over the last axes, whose sizes are `normalizedShape`. */
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

/** x / (k + alpha · mean of the squares of `size` neighbouring channels)^beta. */
export const localResponseNorm = declareFunction(
  "localResponseNorm(input, size, { alpha, beta, k })",
  <T extends AnyTensor>(
    x: T,
    size: number,
    { alpha = 1e-4, beta = 0.75, k = 1 }: LocalResponseNormOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.localResponseNorm(unwrap(x), size, alpha, beta, k)),
);

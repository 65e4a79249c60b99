/** Normalisation over batches, samples and groups. Each is the function of that name in torch.nn.functional. */

import { writeInto } from "../alias/alias.ts";
import { operation } from "../entry/operation.ts";
import * as ops from "../ops/batch-norm.ts";
import { narrowed } from "../ops/movement.ts";
import { optionalTensor } from "../tensor/optional.ts";
import { receiver, type Tensor, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Same } from "../tensor/types.ts";
import type { Value } from "../value.ts";

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

const affineOf = (op: string, options: AffineOptions): ops.Affine => ({
  weight: optionalTensor(op, "weight", options.weight),
  bias: optionalTensor(op, "bias", options.bias),
});

function runningOf(
  op: string,
  mean: AnyTensor | null | undefined,
  variance: AnyTensor | null | undefined,
): ops.Running | null {
  const kept = [optionalTensor(op, "runningMean", mean), optionalTensor(op, "runningVar", variance)] as const;
  if (kept[0] === null || kept[1] === null) return null;
  return { mean: kept[0], variance: kept[1] };
}

/** Writes the averages into the tensors that keep them. */
function keep(op: string, { running }: ops.Normalized, mean: AnyTensor, variance: AnyTensor): void {
  if (running === null) return;
  writeInto(op, mean, running.mean);
  writeInto(op, variance, running.variance);
}

/**
 * Each channel (axis 1) less its mean and over its deviation, scaled and shifted. In training both are the batch's own, and
 * `runningMean` and `runningVar` are written in place; else they are those.
 */
export const batchNorm: <T extends AnyTensor>(
  x: T,
  runningMean: AnyTensor | null,
  runningVar: AnyTensor | null,
  options?: BatchNormOptions,
) => Same<T> = operation(
  "batchNorm",
  "input, runningMean, runningVar, { training, momentum, weight, bias, eps }",
  (
    x: AnyTensor,
    runningMean: AnyTensor | null,
    runningVar: AnyTensor | null,
    options: BatchNormOptions = {},
  ): AnyTensor => {
    const op = "batchNorm";
    const { training = false, momentum = 0.1, eps = 1e-5 } = options;
    const running = runningOf(op, runningMean, runningVar);
    const value = unwrap(receiver(op, x));
    const normalized = ops.batchNorm(value, running, affineOf(op, options), training, momentum, eps);
    if (runningMean != null && runningVar != null) keep(op, normalized, runningMean, runningVar);
    return wrap(normalized.result);
  },
);

/** {@link batchNorm} as [result, mean, 1 / √(variance + eps)]; the latter two are empty when not training. */
export const nativeBatchNorm: <T extends AnyTensor>(
  x: T,
  weight: AnyTensor | null,
  bias: AnyTensor | null,
  runningMean: AnyTensor | null,
  runningVar: AnyTensor | null,
  training: boolean,
  momentum: number,
  eps: number,
) => [Same<T>, Tensor<[number], T["dtype"]>, Tensor<[number], T["dtype"]>] = operation(
  "nativeBatchNorm",
  "input, weight, bias, runningMean, runningVar, training, momentum, eps",
  (
    x: AnyTensor,
    weight: AnyTensor | null,
    bias: AnyTensor | null,
    runningMean: AnyTensor | null,
    runningVar: AnyTensor | null,
    training: boolean,
    momentum: number,
    eps: number,
  ): [AnyTensor, AnyTensor, AnyTensor] => {
    const op = "nativeBatchNorm";
    const running = runningOf(op, runningMean, runningVar);
    const affine = affineOf(op, { weight, bias });
    const normalized = ops.batchNorm(unwrap(receiver(op, x)), running, affine, training, momentum, eps);
    if (runningMean != null && runningVar != null) keep(op, normalized, runningMean, runningVar);
    const kept = (statistic: Value): AnyTensor => wrap(training ? statistic : narrowed(statistic, 0, 0, 0));
    return [wrap(normalized.result), kept(normalized.mean), kept(normalized.scale)];
  },
);

/** {@link Tensor.layerNorm} as [result, mean, 1 / √(variance + eps)]. */
export const nativeLayerNorm: <T extends AnyTensor>(
  x: T,
  normalizedShape: readonly number[],
  weight: AnyTensor | null | undefined,
  bias: AnyTensor | null | undefined,
  eps: number,
) => [Same<T>, Tensor<number[], T["dtype"]>, Tensor<number[], T["dtype"]>] = operation(
  "nativeLayerNorm",
  "input, normalizedShape, weight, bias, eps",
  (
    x: AnyTensor,
    normalizedShape: readonly number[],
    weight: AnyTensor | null | undefined,
    bias: AnyTensor | null | undefined,
    eps: number,
  ): [AnyTensor, AnyTensor, AnyTensor] => {
    const options = { weight: weight ?? null, bias: bias ?? null, eps };
    const result = receiver("nativeLayerNorm", x).layerNorm(normalizedShape, options);
    const [mean, scale] = ops.layerStatistics(unwrap(x), normalizedShape.length, eps);
    return [result, wrap(mean), wrap(scale)];
  },
);

/** {@link batchNorm} of each sample by itself. */
export const instanceNorm: <T extends AnyTensor>(x: T, options?: InstanceNormOptions) => Same<T> = operation(
  "instanceNorm",
  "input, { runningMean, runningVar, useInputStats, momentum, weight, bias, eps }",
  (x: AnyTensor, options: InstanceNormOptions = {}): AnyTensor => {
    const op = "instanceNorm";
    const { runningMean, runningVar, useInputStats = true, momentum = 0.1, eps = 1e-5 } = options;
    const running = runningOf(op, runningMean, runningVar);
    const value = unwrap(receiver(op, x));
    const normalized = ops.instanceNorm(value, running, affineOf(op, options), useInputStats, momentum, eps);
    if (runningMean && runningVar) keep(op, normalized, runningMean, runningVar);
    return wrap(normalized.result);
  },
);

/** Groups of channels of each sample less their mean and over their deviation; scaled and shifted by channel. */
export const groupNorm: <T extends AnyTensor>(x: T, numGroups: number, options?: AffineOptions) => Same<T> =
  operation(
    "groupNorm",
    "input, numGroups, { weight, bias, eps }",
    (x: AnyTensor, numGroups: number, options: AffineOptions = {}): AnyTensor => {
      const value = unwrap(receiver("groupNorm", x));
      return wrap(ops.groupNorm(value, numGroups, affineOf("groupNorm", options), options.eps ?? 1e-5));
    },
  );

/** x / √(mean(x²) + eps) over the last axes, whose sizes are `normalizedShape`, times `weight`. */
export const rmsNorm: <T extends AnyTensor>(
  x: T,
  normalizedShape: readonly number[],
  options?: { readonly weight?: AnyTensor | null; readonly eps?: number | null },
) => Same<T> = operation(
  "rmsNorm",
  "input, normalizedShape, { weight, eps }",
  (
    x: AnyTensor,
    normalizedShape: readonly number[],
    options: { readonly weight?: AnyTensor | null; readonly eps?: number | null } = {},
  ): AnyTensor => {
    const weight = optionalTensor("rmsNorm", "weight", options.weight);
    return wrap(ops.rmsNorm(unwrap(receiver("rmsNorm", x)), normalizedShape, weight, options.eps ?? null));
  },
);

/** x / (k + alpha·mean of the squares of `size` neighbouring channels)^beta. */
export const localResponseNorm: <T extends AnyTensor>(
  x: T,
  size: number,
  options?: LocalResponseNormOptions,
) => Same<T> = operation(
  "localResponseNorm",
  "input, size, { alpha, beta, k }",
  (
    x: AnyTensor,
    size: number,
    { alpha = 1e-4, beta = 0.75, k = 1 }: LocalResponseNormOptions = {},
  ): AnyTensor => wrap(ops.localResponseNorm(unwrap(receiver("localResponseNorm", x)), size, alpha, beta, k)),
);

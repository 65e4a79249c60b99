/** Losses of numbers against numbers, element by element. Sources: the functions of these names in torch.nn.functional. */
import { ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import * as record from "../../record.ts";
import type { Value } from "../../value.ts";
import { xlogy } from "../arithmetic.ts";
import { abs, add, div, exp, gt, le, log, lt, map, maximum, mul, neg, sub, where } from "../pointwise.ts";
import { sum } from "../reduction.ts";
import { type LossReduction, reduceLoss } from "./reduction.ts";

export function mse(x: Value, target: Value, reduction: LossReduction): Value {
  const difference = sub(x, target);
  return reduceLoss("mseLoss", mul(difference, difference), reduction);
}

export const l1 = (x: Value, target: Value, reduction: LossReduction): Value =>
  reduceLoss("l1Loss", abs(sub(x, target)), reduction);

/** Squared below beta, and from there on absolute. */
export function smoothL1(x: Value, target: Value, beta: number, reduction: LossReduction): Value {
  if (!(beta >= 0))
    throw new RangeError(
      `smoothL1Loss: smooth_l1_loss does not support negative values for beta. (got ${beta})`,
    );
  const distance = abs(sub(x, target));
  const near = div(mul(mul(distance, 0.5), distance), beta);
  const losses = beta === 0 ? distance : where(lt(distance, beta), near, sub(distance, 0.5 * beta));
  return reduceLoss("smoothL1Loss", losses, reduction);
}

/** delta times {@link smoothL1} of beta = delta. */
export function huber(x: Value, target: Value, delta: number, reduction: LossReduction): Value {
  const distance = abs(sub(x, target));
  const near = mul(mul(distance, 0.5), distance);
  const far = mul(sub(distance, 0.5 * delta), delta);
  const losses = reduceLoss("huberLoss", where(le(distance, delta), near, far), reduction);
  if (delta > 0) return losses;
  throw new RangeError(
    `huberLoss: huber_loss does not support non-positive values for delta. (got ${delta})`,
  );
}

/** target·(log target − x): x is a logarithm already, and target too when `logTarget`. */
export function klDiv(
  x: Value,
  target: Value,
  logTarget: boolean,
  reduction: LossReduction | "batchmean",
): Value {
  const losses = logTarget ? mul(exp(target), sub(target, x)) : sub(xlogy(target, target), mul(target, x));
  if (reduction !== "batchmean") return reduceLoss("klDiv", losses, reduction);
  const { shape } = x.node;
  const total = sum(losses, null, false, null);
  return shape.length === 0 ? total : div(total, shape[0]!);
}

export interface PoissonOptions {
  readonly logInput: boolean;
  readonly full: boolean;
  readonly eps: number;
  readonly reduction: LossReduction;
}

/** exp(x) − target·x, or x − target·log(x + eps); `full` adds Stirling's approximation of log(target!). */
export function poissonNll(x: Value, target: Value, options: PoissonOptions): Value {
  const { logInput, full, eps, reduction } = options;
  const plain = logInput ? sub(exp(x), mul(target, x)) : sub(x, mul(target, log(add(x, eps))));
  if (!full) return reduceLoss("poissonNllLoss", plain, reduction);
  const stirling = add(sub(mul(target, log(target)), target), mul(log(mul(target, 2 * Math.PI)), 0.5));
  return reduceLoss("poissonNllLoss", add(plain, where(gt(target, 1), stirling, 0)), reduction);
}

/** ½·(log variance + (x − target)² / variance), the variance not below eps; `full` adds ½·log 2π. */
export function gaussianNll(
  x: Value,
  target: Value,
  variance: Value,
  full: boolean,
  eps: number,
  reduction: LossReduction,
): Value {
  const spread = maximum(alignedVariance(x, variance), eps);
  const difference = sub(x, target);
  const losses = mul(add(log(spread), div(mul(difference, difference), spread)), 0.5);
  return reduceLoss("gaussianNllLoss", full ? add(losses, 0.5 * Math.log(2 * Math.PI)) : losses, reduction);
}

/** One variance for each element, or for each row. */
function alignedVariance(x: Value, variance: Value): Value {
  const [shape, own] = [x.node.shape, variance.node.shape];
  if (sameNumbers(shape, own)) return variance;
  const rows = shape.slice(0, -1);
  if (sameNumbers(rows, own)) return record.reshape(variance, [...own, 1]);
  if (own.at(-1) === 1 && sameNumbers(rows, own.slice(0, -1))) return variance;
  throw new ShapeError(
    `gaussianNllLoss: var is of incorrect size (shape ${showShape(own)} for ${showShape(shape)})`,
  );
}

/** −(target·log x + (1 − target)·log(1 − x)), either logarithm not below −100. */
export function binaryCrossEntropy(
  x: Value,
  target: Value,
  weight: Value | null,
  reduction: LossReduction,
): Value {
  if (!sameNumbers(x.node.shape, target.node.shape)) {
    throw new ShapeError(
      `binaryCrossEntropy: Using a target size (${showShape(target.node.shape)}) that is different to the input size (${showShape(x.node.shape)}) is deprecated. Please ensure they have the same size.`,
    );
  }
  const otherwise = mul(sub(target, 1), maximum(map("log1p", neg(x)), -100));
  const losses = sub(otherwise, mul(target, maximum(log(x), -100)));
  return reduceLoss("binaryCrossEntropy", weight === null ? losses : mul(losses, weight), reduction);
}

/** {@link binaryCrossEntropy} of sigmoid(x), without overflow; `posWeight` weighs what should be 1. */
export function binaryCrossEntropyWithLogits(
  x: Value,
  target: Value,
  weight: Value | null,
  posWeight: Value | null,
  reduction: LossReduction,
): Value {
  if (!sameNumbers(x.node.shape, target.node.shape)) {
    throw new ShapeError(
      `binaryCrossEntropyWithLogits: Target size (${showShape(target.node.shape)}) must be the same as input size (${showShape(x.node.shape)})`,
    );
  }
  // log(1 + exp(−x)) is max(−x, 0) + log(1 + exp(−|x|))
  const tail = add(map("log1p", exp(neg(abs(x)))), map("relu", neg(x)));
  const weighed = posWeight === null ? tail : mul(tail, add(mul(sub(posWeight, 1), target), 1));
  const losses = add(mul(sub(1, target), x), weighed);
  return reduceLoss(
    "binaryCrossEntropyWithLogits",
    weight === null ? losses : mul(losses, weight),
    reduction,
  );
}

/** log(1 + exp(−target·x)). */
export const softMargin = (x: Value, target: Value, reduction: LossReduction): Value =>
  reduceLoss("softMarginLoss", map("log1p", exp(mul(x, neg(target)))), reduction);

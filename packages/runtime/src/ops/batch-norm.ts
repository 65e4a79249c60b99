/** Normalisation by mean and variance over all but some axes, and norms that are like it. */
import {
  type DType,
  DTypeError,
  elementCount,
  isFloat,
  ShapeError,
  sameNumbers,
  showShape,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import { withRecording } from "../tape/step.ts";
import type { Value } from "../value.ts";
import { checkNormalized, checkStatistic } from "./normalization.ts";
import { float, onlyFloat, wide } from "./operand.ts";
import { add, div, map, mul, pow, sub } from "./pointwise.ts";
import { mean, varianceAndMean } from "./reduction.ts";
import { padded, windows } from "./windows.ts";

/** The scale and the shift of the result: one number for each channel. */
export interface Affine {
  readonly weight: Value | null;
  readonly bias: Value | null;
}

/** Running averages, one number for each channel. */
export interface Running {
  readonly mean: Value;
  readonly variance: Value;
}

export interface Normalized {
  readonly result: Value;
  /** The new averages; null if they stay. */
  readonly running: Running | null;
  /** The mean and 1 / √(variance + eps) that were used, one for each channel. */
  readonly mean: Value;
  readonly scale: Value;
}

/** One number for each channel, in a shape that broadcasts with [N, C, ...]. */
const perChannel = (values: Value, x: Value): Value =>
  record.reshape(values, [values.node.shape[0]!, ...x.node.shape.slice(2).map(() => 1)]);

function affine(x: Value, { weight, bias }: Affine, dtype: DType): Value {
  const scaled = weight === null ? x : mul(x, perChannel(weight, x));
  return record.cast(bias === null ? scaled : add(scaled, perChannel(bias, x)), dtype);
}

/** The averages moved toward those of `count` elements: (1 − momentum)·kept + momentum·seen. Of an input without elements they stay. */
function movedAverages(
  x: Value,
  running: Running | null,
  [average, variance]: readonly [Value, Value],
  count: number,
  momentum: number,
  each: (kept: Value) => Value = (kept) => kept,
): Running | null {
  if (running === null || elementCount(x.node.shape) === 0) return null;
  const blend = (kept: Value, seen: Value): Value =>
    each(record.cast(add(mul(kept, 1 - momentum), mul(seen, momentum)), kept.node.dtype));
  return withRecording(false, () => ({
    mean: blend(running.mean, average),
    variance: blend(running.variance, mul(variance, count / (count - 1))),
  }));
}

/** Normalises each channel (axis 1) by its mean and variance over the batch, or by the averages when not training. */
export function batchNorm(
  x: Value,
  running: Running | null,
  options: Affine,
  training: boolean,
  momentum: number,
  eps: number,
): Normalized {
  const { shape, dtype } = x.node;
  const channels = shape[1] ?? shape[0] ?? 1;
  checkChannels(x, channels, running, options);
  const values = wide(onlyFloat(x));
  const none = record.expand(record.constant("float32", 0), [channels]);
  if (elementCount(shape) === 0 && shape.length < 2)
    return { result: x, running: null, mean: none, scale: none };
  if (!training) {
    if (running === null)
      throw new TypeError("running_mean and running_var must be defined in evaluation mode");
    const scale = map("rsqrt", add(running.variance, eps));
    const unit = mul(sub(values, perChannel(running.mean, x)), perChannel(scale, x));
    return { result: affine(unit, options, dtype), running: null, mean: running.mean, scale };
  }
  const axes = shape.map((_, axis) => axis).filter((axis) => axis !== 1);
  const count = elementCount(shape) / channels;
  if (count === 1)
    throw new ShapeError(
      `Expected more than 1 value per channel when training, got input size ${showShape(shape)}`,
    );
  const [variance, average] = varianceAndMean(values, axes, 0, false);
  const scale = map("rsqrt", add(variance, eps));
  const unit = mul(sub(values, perChannel(average, x)), perChannel(scale, x));
  return {
    result: affine(unit, options, dtype),
    running: movedAverages(x, running, [average, variance], count, momentum),
    mean: average,
    scale,
  };
}

/** Normalises each channel of each sample by its own mean and variance, or by the averages if `useInputStats` is false. */
export function instanceNorm(
  x: Value,
  running: Running | null,
  options: Affine,
  useInputStats: boolean,
  momentum: number,
  eps: number,
): Normalized {
  const { shape, dtype } = x.node;
  if (shape.length < 2) throw new ShapeError(`expected a batch of channels (got shape ${showShape(shape)})`);
  const channels = shape[1]!;
  checkChannels(x, channels, running, options);
  const count = elementCount(shape.slice(2));
  if (!useInputStats) return batchNorm(x, running, options, false, momentum, eps);
  if (count === 1)
    throw new ShapeError(
      `Expected more than 1 spatial element when training, got input size ${showShape(shape)}`,
    );
  const values = wide(onlyFloat(x));
  const axes = shape.map((_, axis) => axis).slice(2);
  const [variance, average] = varianceAndMean(values, axes, 0, true);
  const scale = map("rsqrt", add(variance, eps));
  const flat = (stat: Value): Value => record.reshape(stat, shape.slice(0, 2));
  const statistics = [flat(average), flat(variance)] as const;
  return {
    result: affine(mul(sub(values, average), scale), options, dtype),
    running: movedAverages(x, running, statistics, count, momentum, (kept) => mean(kept, 0, false, null)),
    mean: flat(average),
    scale: flat(scale),
  };
}

/** The mean and 1 / √(variance + eps) of layer norm: over the last `count` axes, which are kept with size 1. */
export function layerStatistics(x: Value, count: number, eps: number): [Value, Value] {
  const rank = x.node.shape.length;
  const axes = Array.from({ length: count }, (_, k) => rank - count + k);
  const [variance, average] = varianceAndMean(x, axes, 0, true);
  return [average, map("rsqrt", add(variance, eps))];
}

/** Normalises groups of channels of each sample by their own mean and variance. */
export function groupNorm(x: Value, groups: number, options: Affine, eps: number): Value {
  const { shape, dtype } = x.node;
  if (shape.length < 2)
    throw new ShapeError(`Expected at least 2 dimensions for input tensor but received ${shape.length}`);
  const [count, channels] = shape as [number, number];
  if (!Number.isInteger(groups) || groups < 1)
    throw new RangeError(`Expected num groups to be greater than 0, got ${groups}`);
  if (channels % groups !== 0)
    throw new ShapeError(
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ${showShape(shape)} and num_groups=${groups}`,
    );
  checkChannels(x, channels, null, options);
  if (elementCount(shape) === count * groups && count === 1)
    throw new ShapeError(
      `Expected more than 1 value per channel when training, got input size ${showShape(shape)}`,
    );
  if (elementCount(shape) === 0) {
    const given = [options.weight, options.bias].filter((value) => value !== null);
    return withoutSlope("groupNorm", given, onlyFloat(x));
  }
  const values = wide(onlyFloat(x));
  const grouped = record.reshape(values, [count, groups, elementCount(shape) / (count * groups)]);
  const [variance, average] = varianceAndMean(grouped, 2, 0, true);
  const unit = mul(sub(grouped, average), map("rsqrt", add(variance, eps)));
  return affine(record.reshape(unit, shape), options, dtype);
}

const epsilon = { float16: 2 ** -10, float32: 2 ** -23, float64: 2 ** -52 } as const;

/** x / √(mean(x²) + eps) over the last axes, whose sizes are `normalized`. If eps is null, it is the dtype's epsilon. */
export function rmsNorm(
  x: Value,
  normalized: readonly number[],
  weight: Value | null,
  eps: number | null,
): Value {
  const { dtype } = x.node;
  const axes = checkNormalized(x, normalized, { weight });
  const values = wide(onlyFloat(x));
  if (!isFloat(dtype)) throw new DTypeError("floats only");
  const squares = mean(mul(values, values), axes, true, null);
  const unit = mul(values, map("rsqrt", add(squares, eps ?? epsilon[dtype])));
  return record.cast(weight === null ? unit : mul(unit, weight), dtype);
}

/** x / (k + alpha · mean of the squares of `size` neighbouring channels)^beta. */
export function localResponseNorm(x: Value, size: number, alpha: number, beta: number, k: number): Value {
  const { shape } = x.node;
  if (shape.length < 3)
    throw new ShapeError(`Expected 3D or higher dimensionality input (got ${shape.length} dimensions)`);
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`kernel size should be greater than zero, but got size ${size}`);
  if (elementCount(shape) === 0) return x;
  const [count, channels] = shape as [number, number];
  const places = elementCount(shape.slice(2));
  const squares = record.permute(record.reshape(mul(x, x), [count, channels, places]), [0, 2, 1]);
  const slide = {
    kernel: size,
    stride: 1,
    dilation: 1,
    before: Math.floor(size / 2),
    after: Math.floor((size - 1) / 2),
    count: channels,
  };
  const sums = record.reduce("sum", windows(padded(squares, [slide], 0), [slide]), [3]);
  // For integers the mean loses its fraction, as in their average pool.
  const neighbours = isFloat(x.node.dtype)
    ? div(sums, size)
    : record.binary("truncDivide", sums, record.constant("int64", BigInt(size)));
  const means = record.reshape(record.permute(neighbours, [0, 2, 1]), shape);
  return div(x, pow(add(mul(means, float(alpha)), k), beta));
}

function checkChannels(x: Value, channels: number, running: Running | null, { weight, bias }: Affine): void {
  for (const [name, value] of [
    ["running_mean", running?.mean ?? null],
    ["running_var", running?.variance ?? null],
    ["weight", weight],
    ["bias", bias],
  ] as const) {
    checkStatistic(x, name, value);
    if (value === null || sameNumbers(value.node.shape, [channels])) continue;
    throw new ShapeError(
      `${name} should contain ${channels} elements not ${elementCount(value.node.shape)} (shape ${showShape(value.node.shape)})`,
    );
  }
}

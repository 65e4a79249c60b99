/** Normalisation as layers. Source: torch.nn.BatchNorm1d and its like, LayerNorm, GroupNorm, RMSNorm. */
import type { Fits, UnknownRank } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkDivides, checkMade, type Given } from "../entry/made.ts";
import type { Takes } from "../entry/methods.ts";
import {
  type AnyTensor,
  batchNorm,
  full,
  groupNorm,
  instanceNorm,
  type LocalResponseNormOptions,
  layerNorm,
  localResponseNorm,
  noGrad,
  ones,
  rmsNorm,
  ShapeError,
  zeros,
} from "../js.ts";
import type { DTypeIn, Flow, OfShape, Same, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";
import { buffer, type FloatDType, type Parameter, parameter } from "./parameter.ts";

/** Axis 1 has C places; axis 0, if a shape of `Sample` axes is one sample. */
export interface ChannelFlow<C extends number, Sample extends number = never> extends Flow {
  readonly output: OfShape<WithChannels<ShapeIn<this>, C, Sample>, DTypeIn<this>>;
}

type WithChannels<S extends number[], C extends number, Sample extends number> =
  UnknownRank<S> extends true
    ? S
    : S["length"] extends Sample
      ? Channels<S, S[0], C, 0>
      : Channels<S, S[1], C, 1>;

type Channels<S extends number[], Own, C extends number, Axis extends number> = Own extends number
  ? Fits<Own, C> extends true
    ? S
    : `the input must have ${C} channels (axis ${Axis}), but has ${Own}`
  : S;

export interface NormOptions {
  /** Added to the variance, so that the divisor is not zero. Default 1e-5. */
  readonly eps?: number;
  readonly dtype?: FloatDType;
}

export interface AffineNormOptions extends NormOptions {
  /** Scales and shifts the result by parameters. Default true. */
  readonly affine?: boolean;
}

export interface BatchNormLayerOptions extends AffineNormOptions {
  /** How far the running averages move toward the batch's; null takes the mean of all batches. Default 0.1. */
  readonly momentum?: number | null;
  /** Keeps running averages. Without them, evaluation uses the statistics of the batch too. Default true. */
  readonly trackRunningStats?: boolean;
}

const normOptions: Kinds<NormOptions> = { eps: "number", dtype: "floating" };
const affineNormOptions: Kinds<AffineNormOptions> = { ...normOptions, affine: "flag" };
const batchNormOptions: Kinds<BatchNormLayerOptions> = {
  ...affineNormOptions,
  ...{ momentum: "number?", trackRunningStats: "flag" },
};

/** A parameter of one number for each channel. */
const channels = <C extends number>(count: C, value: number, dtype: FloatDType): Parameter<[C]> =>
  parameter(full([count] as readonly number[], value, { dtype })) as Parameter as Parameter<[C]>;

function checkRank(layer: object, ranks: readonly number[], { ndim }: AnyTensor): void {
  if (!ranks.includes(ndim))
    throw new ShapeError(
      `${layer.constructor.name}: expected ${ranks.map((rank) => `${rank}D`).join(" or ")} input (got ${ndim}D input)`,
    );
}

interface ChannelNorm {
  readonly ranks: readonly number[];
  readonly affine: boolean;
  readonly trackRunningStats: boolean;
  readonly options: NormOptions;
}

/** One number for each channel: parameters and running averages, if there are any. */
abstract class NormOfChannels<C extends number, F extends Flow> extends Layer<F> {
  protected static override readonly takes: Takes = { resetRunningStats: "" };
  weight: Parameter<[C]> | null = null;
  bias: Parameter<[C]> | null = null;
  runningMean: AnyTensor | null = null;
  runningVar: AnyTensor | null = null;
  numBatchesTracked: AnyTensor | null = null;
  readonly eps: number;
  protected readonly ranks: readonly number[];

  constructor(numFeatures: C, { ranks, affine, trackRunningStats, options }: ChannelNorm) {
    super();
    const { eps = 1e-5, dtype = "float32" } = options;
    this.ranks = ranks;
    this.eps = eps;
    if (affine) {
      this.weight = channels(numFeatures, 1, dtype);
      this.bias = channels(numFeatures, 0, dtype);
    }
    if (trackRunningStats) {
      this.runningMean = buffer(full([numFeatures] as readonly number[], 0, { dtype }));
      this.runningVar = buffer(full([numFeatures] as readonly number[], 1, { dtype }));
      this.numBatchesTracked = buffer(zeros([], { dtype: "int64" }));
    }
    this.keepFields();
  }

  /** Begins anew with running averages: means of 0, variances of 1, and no batch seen. */
  resetRunningStats(): void {
    this.runningMean?.zero_();
    this.runningVar?.fill_(1);
    this.numBatchesTracked?.zero_();
  }
}

/** Normalises each channel by its mean and variance: those of the batch in training, running averages in evaluation. */
export abstract class BatchNorm<C extends number = number> extends NormOfChannels<C, ChannelFlow<C>> {
  readonly momentum: number | null;

  constructor(ranks: readonly number[], given: Given, numFeatures: C, options: BatchNormLayerOptions) {
    checkMade(new.target, given, { count: { numFeatures } }, options, batchNormOptions);
    const { affine = true, trackRunningStats = true, momentum = 0.1 } = options;
    super(numFeatures, { ranks, affine, trackRunningStats, options });
    this.momentum = momentum;
  }

  protected run(input: AnyTensor): AnyTensor {
    checkRank(this, this.ranks, input);
    const { runningMean, runningVar, weight, bias, eps, momentum } = this;
    const options = { training: this.training || runningMean === null, weight, bias, eps };
    if (!this.training || runningMean === null || runningVar === null)
      return batchNorm(input, runningMean, runningVar, { ...options, momentum: 0 });
    this.numBatchesTracked?.add_(1);
    if (momentum !== null) return batchNorm(input, runningMean, runningVar, { ...options, momentum });
    const { shape, dtype } = runningMean;
    const seen = [zeros(shape, { dtype }), zeros(shape, { dtype })] as const;
    const made = batchNorm(input, ...seen, { ...options, momentum: 1 });
    // An empty batch counts as one, but leaves the averages as they are.
    if (input.numel() > 0) this.#average([runningMean, runningVar], seen);
    return made;
  }

  /**
   * Moves averages over all batches toward what the last one had. Their number is a tensor, so that every step is the same program: nothing
   * is read, and `jit` records it once.
   */
  #average(averages: readonly AnyTensor[], seen: readonly AnyTensor[]): void {
    const count = this.numBatchesTracked;
    if (count === null) return;
    noGrad(() => {
      const share: AnyTensor = count.double().reciprocal();
      const rest: AnyTensor = share.neg().add(1);
      for (const [k, average] of averages.entries()) average.mul_(rest).add_(seen[k]!.mul(share));
    });
  }
}

/** Batch norm of x [N, C] or [N, C, length]. */
export class BatchNorm1d<const C extends number = number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super([2, 3], arguments, numFeatures, options);
  }
}

/** Batch norm of x [N, C, height, width]. */
export class BatchNorm2d<const C extends number = number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super([4], arguments, numFeatures, options);
  }
}

/** Batch norm of x [N, C, depth, height, width]. */
export class BatchNorm3d<const C extends number = number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super([5], arguments, numFeatures, options);
  }
}

export interface InstanceNormLayerOptions extends AffineNormOptions {
  /** Keeps running averages, which evaluation uses instead of a sample's own statistics. Default false. */
  readonly trackRunningStats?: boolean;
  /** How far the running averages move. Default 0.1. */
  readonly momentum?: number;
}

const instanceNormOptions: Kinds<InstanceNormLayerOptions> = {
  ...affineNormOptions,
  ...{ momentum: "number", trackRunningStats: "flag" },
};

/** Normalises each channel of each sample by its mean and variance. By default it has no parameters, as in PyTorch. */
abstract class InstanceNorm<C extends number, Sample extends number> extends NormOfChannels<
  C,
  ChannelFlow<C, Sample>
> {
  readonly momentum: number;

  constructor(ranks: readonly number[], given: Given, numFeatures: C, options: InstanceNormLayerOptions) {
    checkMade(new.target, given, { count: { numFeatures } }, options, instanceNormOptions);
    const { affine = false, trackRunningStats = false, momentum = 0.1 } = options;
    super(numFeatures, { ranks, affine, trackRunningStats, options });
    this.momentum = momentum;
  }

  protected run(input: AnyTensor): AnyTensor {
    checkRank(this, this.ranks, input);
    // [C, ...] is one sample.
    const isSample = input.ndim === this.ranks[0];
    const { weight, bias, eps, momentum, runningMean, runningVar } = this;
    const made: AnyTensor = instanceNorm(isSample ? input.unsqueeze(0) : input, {
      ...{ weight, bias, eps, momentum, runningMean, runningVar },
      useInputStats: this.training || runningMean === null,
    });
    return isSample ? made.squeeze(0) : made;
  }
}

/** Instance norm of x [N, C, length], or of one sample. */
export class InstanceNorm1d<const C extends number = number> extends InstanceNorm<C, 2> {
  constructor(numFeatures: C, options: InstanceNormLayerOptions = {}) {
    super([2, 3], arguments, numFeatures, options);
  }
}

/** Instance norm of x [N, C, height, width], or of one sample. */
export class InstanceNorm2d<const C extends number = number> extends InstanceNorm<C, 3> {
  constructor(numFeatures: C, options: InstanceNormLayerOptions = {}) {
    super([3, 4], arguments, numFeatures, options);
  }
}

/** Instance norm of x [N, C, depth, height, width], or of one sample. */
export class InstanceNorm3d<const C extends number = number> extends InstanceNorm<C, 4> {
  constructor(numFeatures: C, options: InstanceNormLayerOptions = {}) {
    super([4, 5], arguments, numFeatures, options);
  }
}

/** Normalises groups of channels of each sample by their mean and variance. */
export class GroupNorm<const C extends number = number> extends Layer<ChannelFlow<C>> {
  weight: Parameter<[C]> | null = null;
  bias: Parameter<[C]> | null = null;
  readonly numGroups: number;
  readonly eps: number;

  /** @throws RangeError when the groups are not of equal size. */
  constructor(numGroups: number, numChannels: C, options: AffineNormOptions = {}) {
    checkMade(
      new.target,
      arguments,
      { positive: { numGroups }, count: { numChannels } },
      options,
      affineNormOptions,
    );
    super();
    const { eps = 1e-5, affine = true, dtype = "float32" } = options;
    checkDivides(new.target, { num_groups: numGroups }, { num_channels: numChannels });
    this.numGroups = numGroups;
    this.eps = eps;
    if (affine) {
      this.weight = channels(numChannels, 1, dtype);
      this.bias = channels(numChannels, 0, dtype);
    }
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return groupNorm(input, this.numGroups, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

export interface LayerNormLayerOptions extends NormOptions {
  /** Scales the result by `weight` and shifts it by `bias`. Default true. */
  readonly elementwiseAffine?: boolean;
  /** Has a `bias` too. Default true. */
  readonly bias?: boolean;
}

const layerNormOptions: Kinds<LayerNormLayerOptions> = {
  ...normOptions,
  ...{ elementwiseAffine: "flag", bias: "flag" },
};

const sizesOf = (normalizedShape: number | readonly number[]): readonly number[] =>
  typeof normalizedShape === "number" ? [normalizedShape] : normalizedShape;

/** (x − mean) / √(variance + eps) over the last axes, scaled and shifted. */
export class LayerNorm extends Layer<Same> {
  weight: Parameter | null = null;
  bias: Parameter | null = null;
  readonly normalizedShape: readonly number[];
  readonly eps: number;

  constructor(normalizedShape: number | readonly number[], options: LayerNormLayerOptions = {}) {
    checkMade(new.target, arguments, { counts: { normalizedShape } }, options, layerNormOptions);
    super();
    const { eps = 1e-5, elementwiseAffine = true, bias = true, dtype = "float32" } = options;
    this.normalizedShape = sizesOf(normalizedShape);
    this.eps = eps;
    if (!elementwiseAffine) return;
    this.weight = parameter(ones(this.normalizedShape, { dtype }));
    if (bias) this.bias = parameter(zeros(this.normalizedShape, { dtype }));
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return layerNorm(input, this.normalizedShape, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

export interface RMSNormOptions {
  /** Default: the dtype's epsilon. */
  readonly eps?: number | null;
  readonly dtype?: FloatDType;
  readonly elementwiseAffine?: boolean;
}

const rmsNormOptions: Kinds<RMSNormOptions> = {
  eps: "number?",
  dtype: "floating",
  elementwiseAffine: "flag",
};

/** x / √(mean(x²) + eps) over the last axes, scaled. */
export class RMSNorm extends Layer<Same> {
  weight: Parameter | null = null;
  readonly normalizedShape: readonly number[];
  readonly eps: number | null;

  constructor(normalizedShape: number | readonly number[], options: RMSNormOptions = {}) {
    checkMade(new.target, arguments, { counts: { normalizedShape } }, options, rmsNormOptions);
    super();
    const { eps = null, elementwiseAffine = true, dtype = "float32" } = options;
    this.normalizedShape = sizesOf(normalizedShape);
    this.eps = eps;
    if (elementwiseAffine) this.weight = parameter(ones(this.normalizedShape, { dtype }));
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return rmsNorm(input, this.normalizedShape, { weight: this.weight, eps: this.eps });
  }
}

/** x / (k + alpha · mean of the squares of `size` neighbouring channels)^beta (Krizhevsky et al., 2012). */
export class LocalResponseNorm extends Layer<Same> {
  readonly size: number;
  readonly options: LocalResponseNormOptions;

  constructor(size: number, options: LocalResponseNormOptions = {}) {
    checkMade(new.target, arguments, { positive: { size } }, options, {
      alpha: "number",
      beta: "number",
      k: "number",
    });
    super();
    this.size = size;
    this.options = options;
  }

  protected run(input: AnyTensor): AnyTensor {
    return localResponseNorm(input, this.size, this.options);
  }
}

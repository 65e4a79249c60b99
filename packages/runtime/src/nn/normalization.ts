/** Normalisation as layers. Source: torch.nn.BatchNorm1d and its kin, LayerNorm, GroupNorm, RMSNorm. */
import type { Fits } from "@fuseau/ir";
import {
  type AnyTensor,
  batchNorm,
  full,
  groupNorm,
  instanceNorm,
  layerNorm,
  ones,
  rmsNorm,
  ShapeError,
  zeros,
} from "../js.ts";
import type { DTypeIn, Flow, OfShape, Same, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";
import { buffer, type FloatDType, type Parameter, parameter } from "./parameter.ts";

/** Axis 1 has `C` places. */
export interface ChannelFlow<C extends number> extends Flow {
  readonly output: OfShape<WithChannels<ShapeIn<this>, C>, DTypeIn<this>>;
}

type WithChannels<S extends number[], C extends number> = S extends [
  number,
  infer Own extends number,
  ...number[],
]
  ? Fits<Own, C> extends true
    ? S
    : `the input must have ${C} channels (axis 1), but has ${Own}`
  : S;

export interface NormOptions {
  /** What keeps the divisor from zero, 1e-5. */
  readonly eps?: number;
  readonly dtype?: FloatDType;
}

export interface AffineNormOptions extends NormOptions {
  /** Whether the result is scaled and shifted by parameters; true. */
  readonly affine?: boolean;
}

export interface BatchNormLayerOptions extends AffineNormOptions {
  /** How far the running averages move; null takes the mean of all batches. 0.1 */
  readonly momentum?: number | null;
  /** Whether averages are kept; true. Without them it takes the batch's own statistics in evaluation too. */
  readonly trackRunningStats?: boolean;
}

/** A parameter of one number for each channel. */
const channels = <C extends number>(count: C, value: number, dtype: FloatDType): Parameter<[C]> =>
  parameter(full([count] as readonly number[], value, { dtype })) as Parameter as Parameter<[C]>;

/** Each channel less its mean and over its deviation: the batch's own in training, running averages in evaluation. */
abstract class BatchNorm<C extends number> extends Layer<ChannelFlow<C>> {
  weight: Parameter<[C]> | null = null;
  bias: Parameter<[C]> | null = null;
  runningMean: AnyTensor | null = null;
  runningVar: AnyTensor | null = null;
  numBatchesTracked: AnyTensor | null = null;
  readonly eps: number;
  readonly momentum: number | null;
  readonly #ranks: readonly number[];
  readonly #name: string;

  constructor(name: string, ranks: readonly number[], numFeatures: C, options: BatchNormLayerOptions) {
    super();
    const {
      eps = 1e-5,
      momentum = 0.1,
      affine = true,
      trackRunningStats = true,
      dtype = "float32",
    } = options;
    this.#name = name;
    this.#ranks = ranks;
    this.eps = eps;
    this.momentum = momentum;
    if (affine) {
      this.weight = channels(numFeatures, 1, dtype);
      this.bias = channels(numFeatures, 0, dtype);
    }
    if (trackRunningStats) {
      this.runningMean = buffer(full([numFeatures] as readonly number[], 0, { dtype }));
      this.runningVar = buffer(full([numFeatures] as readonly number[], 1, { dtype }));
      this.numBatchesTracked = buffer(zeros([], { dtype: "int64" }));
    }
  }

  protected run(input: AnyTensor): AnyTensor {
    if (!this.#ranks.includes(input.ndim))
      throw new ShapeError(
        `${this.#name}: expected ${this.#ranks.map((rank) => `${rank}D`).join(" or ")} input (got ${input.ndim}D input)`,
      );
    const { runningMean, runningVar, weight, bias, eps } = this;
    const training = this.training || runningMean === null;
    return batchNorm(input, runningMean, runningVar, {
      training,
      momentum: this.training && runningMean !== null ? this.#step() : 0,
      weight,
      bias,
      eps,
    });
  }

  /** Counts the batch; gives how far the averages move. */
  #step(): number {
    this.numBatchesTracked?.add_(1);
    return this.momentum ?? 1 / Number(this.numBatchesTracked?.item() ?? 1);
  }
}

/** Batch norm of x [N, C] or [N, C, length]. */
export class BatchNorm1d<const C extends number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super("BatchNorm1d", [2, 3], numFeatures, options);
  }
}

/** Batch norm of x [N, C, height, width]. */
export class BatchNorm2d<const C extends number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super("BatchNorm2d", [4], numFeatures, options);
  }
}

/** Batch norm of x [N, C, depth, height, width]. */
export class BatchNorm3d<const C extends number> extends BatchNorm<C> {
  constructor(numFeatures: C, options: BatchNormLayerOptions = {}) {
    super("BatchNorm3d", [5], numFeatures, options);
  }
}

/** Each channel of each sample less its mean and over its deviation. Without parameters by default, as in PyTorch. */
export class InstanceNorm2d<const C extends number> extends Layer<ChannelFlow<C>> {
  weight: Parameter<[C]> | null = null;
  bias: Parameter<[C]> | null = null;
  readonly eps: number;

  constructor(numFeatures: C, { eps = 1e-5, affine = false, dtype = "float32" }: AffineNormOptions = {}) {
    super();
    this.eps = eps;
    if (affine) {
      this.weight = channels(numFeatures, 1, dtype);
      this.bias = channels(numFeatures, 0, dtype);
    }
  }

  protected run(input: AnyTensor): AnyTensor {
    return instanceNorm(input, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

/** Groups of channels of each sample less their mean and over their deviation. */
export class GroupNorm<const C extends number> extends Layer<ChannelFlow<C>> {
  weight: Parameter<[C]> | null = null;
  bias: Parameter<[C]> | null = null;
  readonly numGroups: number;
  readonly eps: number;

  constructor(
    numGroups: number,
    numChannels: C,
    { eps = 1e-5, affine = true, dtype = "float32" }: AffineNormOptions = {},
  ) {
    super();
    if (numChannels % numGroups !== 0)
      throw new RangeError(
        `GroupNorm: num_channels must be divisible by num_groups (${numChannels} by ${numGroups})`,
      );
    this.numGroups = numGroups;
    this.eps = eps;
    if (affine) {
      this.weight = channels(numChannels, 1, dtype);
      this.bias = channels(numChannels, 0, dtype);
    }
  }

  protected run(input: AnyTensor): AnyTensor {
    return groupNorm(input, this.numGroups, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

export interface LayerNormLayerOptions extends NormOptions {
  /** Whether the result is scaled by `weight` and shifted by `bias`; true. */
  readonly elementwiseAffine?: boolean;
  /** Whether there is a `bias` with it; true. */
  readonly bias?: boolean;
}

const sizesOf = (normalizedShape: number | readonly number[]): readonly number[] =>
  typeof normalizedShape === "number" ? [normalizedShape] : normalizedShape;

/** (x − mean) / √(variance + eps) over the last axes, scaled and shifted. */
export class LayerNorm extends Layer<Same> {
  weight: Parameter | null = null;
  bias: Parameter | null = null;
  readonly normalizedShape: readonly number[];
  readonly eps: number;

  constructor(normalizedShape: number | readonly number[], options: LayerNormLayerOptions = {}) {
    super();
    const { eps = 1e-5, elementwiseAffine = true, bias = true, dtype = "float32" } = options;
    this.normalizedShape = sizesOf(normalizedShape);
    this.eps = eps;
    if (!elementwiseAffine) return;
    this.weight = parameter(ones(this.normalizedShape, { dtype }));
    if (bias) this.bias = parameter(zeros(this.normalizedShape, { dtype }));
  }

  protected run(input: AnyTensor): AnyTensor {
    return layerNorm(input, this.normalizedShape, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

export interface RMSNormOptions {
  /** The dtype's own epsilon by default. */
  readonly eps?: number | null;
  readonly dtype?: FloatDType;
  readonly elementwiseAffine?: boolean;
}

/** x / √(mean(x²) + eps) over the last axes, scaled. */
export class RMSNorm extends Layer<Same> {
  weight: Parameter | null = null;
  readonly normalizedShape: readonly number[];
  readonly eps: number | null;

  constructor(normalizedShape: number | readonly number[], options: RMSNormOptions = {}) {
    super();
    const { eps = null, elementwiseAffine = true, dtype = "float32" } = options;
    this.normalizedShape = sizesOf(normalizedShape);
    this.eps = eps;
    if (elementwiseAffine) this.weight = parameter(ones(this.normalizedShape, { dtype }));
  }

  protected run(input: AnyTensor): AnyTensor {
    return rmsNorm(input, this.normalizedShape, { weight: this.weight, eps: this.eps });
  }
}

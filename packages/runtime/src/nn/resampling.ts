/** Layers that change spatial sizes. Source: torch.nn.Upsample, PixelShuffle, Fold and their like. */

import type { PixelShuffled, PixelUnshuffled, Resampled } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade, type Given } from "../entry/made.ts";
import {
  type AnyTensor,
  type BlockOptions,
  channelShuffle,
  fold,
  type InterpolateOptions,
  interpolate,
  pixelShuffle,
  pixelUnshuffle,
  type Tensor,
  unfold,
} from "../js.ts";
import type { DTypeIn, Flow, Same, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

const modes = ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"] as const;

const plainKinds: Kinds<PlainUpsampling> = { size: "counts?", scaleFactor: "numbers?" };
const kinds: Kinds<InterpolateOptions> = {
  ...{ ...plainKinds, mode: modes },
  ...{ alignCorners: "flag?", recomputeScaleFactor: "flag?" },
};

export interface UpsampleFlow<O> extends Flow {
  readonly output: Tensor<Resampled<ShapeIn<this>, O>, DTypeIn<this>>;
}

/**
 * x [N, C, ...sizes] resampled to `size`, or to `scaleFactor` times its size: by the nearest place, or by linear or cubic interpolation.
 */
export class Upsample<const O extends InterpolateOptions = InterpolateOptions> extends Layer<
  UpsampleFlow<O>
> {
  readonly #options: InterpolateOptions;

  constructor(options: O) {
    checkMade(new.target, arguments, {}, options, kinds);
    super();
    this.#options = options;
  }

  protected run(input: AnyTensor): AnyTensor {
    return interpolate(input, this.#options);
  }
}

type PlainUpsampling = Pick<InterpolateOptions, "size" | "scaleFactor">;

/** {@link Upsample} of two axes with mode "nearest". */
export class UpsamplingNearest2d<const O extends PlainUpsampling = PlainUpsampling> extends Upsample<O> {
  constructor(options: O) {
    checkMade(new.target, arguments, {}, options, plainKinds);
    super({ ...options, mode: "nearest" });
  }
}

/** {@link Upsample} of two axes with mode "bilinear" and aligned corners. */
export class UpsamplingBilinear2d<const O extends PlainUpsampling = PlainUpsampling> extends Upsample<O> {
  constructor(options: O) {
    checkMade(new.target, arguments, {}, options, plainKinds);
    super({ ...options, mode: "bilinear", alignCorners: true });
  }
}

type Dealing = (input: AnyTensor, count: number) => AnyTensor;

/** Moves channels to places, or places to channels. */
abstract class Shuffle<F extends Flow> extends Layer<F> {
  readonly #deal: Dealing;
  readonly #count: number;

  constructor(deal: Dealing, given: Given, argument: string, count: number) {
    checkMade(new.target, given, { positive: { [argument]: count } });
    super();
    this.#deal = deal;
    this.#count = count;
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#deal(input, this.#count);
  }
}

export interface PixelShuffleFlow<R extends number> extends Flow {
  readonly output: Tensor<PixelShuffled<ShapeIn<this>, R>, DTypeIn<this>>;
}

export interface PixelUnshuffleFlow<R extends number> extends Flow {
  readonly output: Tensor<PixelUnshuffled<ShapeIn<this>, R>, DTypeIn<this>>;
}

/** [..., C·r², H, W] → [..., C, H·r, W·r]. */
export class PixelShuffle<const R extends number = number> extends Shuffle<PixelShuffleFlow<R>> {
  constructor(upscaleFactor: R) {
    super(pixelShuffle, arguments, "upscaleFactor", upscaleFactor);
  }
}

/** [..., C, H·r, W·r] → [..., C·r², H, W]. */
export class PixelUnshuffle<const R extends number = number> extends Shuffle<PixelUnshuffleFlow<R>> {
  constructor(downscaleFactor: R) {
    super(pixelUnshuffle, arguments, "downscaleFactor", downscaleFactor);
  }
}

/** The channels of [N, C, ...] divided into `groups`, and interleaved. */
export class ChannelShuffle extends Shuffle<Same> {
  constructor(groups: number) {
    super(channelShuffle, arguments, "groups", groups);
  }
}

/** Takes any shape; the dtype stays. */
export interface BlockFlow extends Flow {
  readonly output: Tensor<number[], DTypeIn<this>>;
}

type Sizes = number | readonly number[];

const blockOptions: Kinds<BlockOptions> = { dilation: "counts", padding: "counts", stride: "counts" };

/** The windows of [N, C, H, W] or [C, H, W] as columns [N, C·kernel, windows]. */
export class Unfold extends Layer<BlockFlow> {
  readonly kernelSize: Sizes;
  readonly options: BlockOptions;

  constructor(kernelSize: Sizes, options: BlockOptions = {}) {
    checkMade(new.target, arguments, { counts: { kernelSize } }, options, blockOptions);
    super();
    this.kernelSize = kernelSize;
    this.options = options;
  }

  protected run(input: AnyTensor): AnyTensor {
    return unfold(input, this.kernelSize, this.options);
  }
}

/** Columns [N, C·kernel, windows] or [C·kernel, windows] summed into [N, C, ...outputSize]: the transpose of {@link Unfold}. */
export class Fold extends Layer<BlockFlow> {
  readonly outputSize: Sizes;
  readonly kernelSize: Sizes;
  readonly options: BlockOptions;

  constructor(outputSize: Sizes, kernelSize: Sizes, options: BlockOptions = {}) {
    checkMade(new.target, arguments, { counts: { outputSize, kernelSize } }, options, blockOptions);
    super();
    this.outputSize = outputSize;
    this.kernelSize = kernelSize;
    this.options = options;
  }

  protected run(input: AnyTensor): AnyTensor {
    return fold(input, this.outputSize, this.kernelSize, this.options);
  }
}

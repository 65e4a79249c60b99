/** Places resampled, traded with channels, or cut into windows. Each is the function of that name in torch.nn.functional. */
import type { Sizes } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type InterpolationMode, interpolate as interpolateOf } from "../ops/interpolation.ts";
import * as ops from "../ops/shuffle.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

export type { InterpolationMode } from "../ops/interpolation.ts";

/** Either `size` or `scaleFactor` is given, a number for every spatial axis or a list. */
export interface InterpolateOptions {
  readonly size?: number | readonly number[] | null;
  readonly scaleFactor?: number | readonly number[] | null;
  /** "nearest"; linear, bilinear and trilinear are for one, two and three axes, bicubic for two. */
  readonly mode?: InterpolationMode;
  /** The middles of the corner places are kept, and not their outer edges; for the linear and cubic modes. */
  readonly alignCorners?: boolean | null;
  /** The scale is computed from the sizes, although a factor is given. */
  readonly recomputeScaleFactor?: boolean | null;
}

/** x [N, C, ...sizes] resampled to other sizes. */
export const interpolate = declareFunction(
  "interpolate(input, { size, scaleFactor, mode, alignCorners, recomputeScaleFactor })",
  <T extends AnyTensor>(x: T, options: InterpolateOptions): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
    wrap(
      interpolateOf(unwrap(x), {
        size: options?.size ?? null,
        scaleFactor: options?.scaleFactor ?? null,
        mode: options?.mode ?? "nearest",
        alignCorners: options?.alignCorners ?? null,
        recomputeScaleFactor: options?.recomputeScaleFactor ?? null,
      }),
    ),
);

/** [..., C·r², H, W] → [..., C, H·r, W·r]. */
export const pixelShuffle = declareFunction(
  "pixelShuffle(input, upscaleFactor)",
  <T extends AnyTensor>(x: T, upscaleFactor: number): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
    wrap(ops.pixelShuffle(unwrap(x), upscaleFactor)),
);

/** [..., C, H·r, W·r] → [..., C·r², H, W]. */
export const pixelUnshuffle = declareFunction(
  "pixelUnshuffle(input, downscaleFactor)",
  <T extends AnyTensor>(x: T, downscaleFactor: number): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
    wrap(ops.pixelUnshuffle(unwrap(x), downscaleFactor)),
);

/** The channels of [N, C, ...] dealt out to `groups` in turn. */
export const channelShuffle = declareFunction(
  "channelShuffle(input, groups)",
  <T extends AnyTensor>(x: T, groups: number): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(ops.channelShuffle(unwrap(x), groups)),
);

/** Numbers hold for both axes. */
export interface BlockOptions {
  readonly dilation?: number | readonly number[];
  readonly padding?: number | readonly number[];
  readonly stride?: number | readonly number[];
}

const blocksOf = (kernelSize: number | readonly number[], options: BlockOptions): ops.Blocks => ({
  kernelSize,
  stride: options.stride ?? 1,
  padding: options.padding ?? 0,
  dilation: options.dilation ?? 1,
});

/** The windows of [N, C, H, W] as columns [N, C·kernel, windows] (im2col). The method of that name is another op. */
export const unfold = declareFunction(
  "unfold(input, kernelSize, { dilation, padding, stride })",
  <T extends AnyTensor>(
    x: T,
    kernelSize: number | readonly number[],
    options: BlockOptions = {},
  ): Tensor<number[], T["dtype"]> => wrap(ops.unfold(unwrap(x), blocksOf(kernelSize, options))),
);

/** Columns [N, C·kernel, windows] summed into [N, C, ...outputSize] (col2im). */
export const fold = declareFunction(
  "fold(input, outputSize, kernelSize, { dilation, padding, stride })",
  <T extends AnyTensor>(
    x: T,
    outputSize: number | readonly number[],
    kernelSize: number | readonly number[],
    options: BlockOptions = {},
  ): Tensor<number[], T["dtype"]> => wrap(ops.fold(unwrap(x), outputSize, blocksOf(kernelSize, options))),
);

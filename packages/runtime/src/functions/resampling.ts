/** Resampling, pixel shuffling, and windows as columns. Each is the function of that name in torch.nn.functional. */
import {
  checkChoice,
  checkInteger,
  elementCount,
  type GridShape,
  type PixelShuffled,
  type PixelUnshuffled,
  type Resampled,
  ShapeError,
  showArgument,
  showShape,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { linspace } from "../ops/creation.ts";
import { type InterpolateOptions, interpolate as interpolateOf } from "../ops/interpolation.ts";
import { stack } from "../ops/movement.ts";
import { onlyFloat } from "../ops/operand.ts";
import { mul } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { type GridMode, type GridPadding, sampleGrid } from "../ops/sampling-grid.ts";
import { foldWindows, padded, perAxis, type Slide, windows } from "../ops/windows.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export type { InterpolateOptions, InterpolationMode } from "../ops/interpolation.ts";
export type { GridMode, GridPadding } from "../ops/sampling-grid.ts";

/** x [N, C, ...sizes] resampled to other sizes. */
export const interpolate = declareFunction(
  "interpolate(input, { size, scaleFactor, mode, alignCorners, recomputeScaleFactor })",
  <T extends AnyTensor, const O extends InterpolateOptions>(
    x: T,
    options: O,
  ): Tensor<Resampled<T[ShapeKey], O>, T["dtype"]> => wrap(interpolateOf(unwrap(x), options ?? {})),
);

/** {@link interpolate}, by its old name. */
export const upsample = declareFunction(
  "upsample(input, { size, scaleFactor, mode, alignCorners })",
  interpolate,
);

/* @__NO_SIDE_EFFECTS__ */
const upsampled = (name: string, kind: InterpolateOptions) =>
  declareFunction(
    `${name}(input, { size, scaleFactor })`,
    <T extends AnyTensor, const O extends Pick<InterpolateOptions, "size" | "scaleFactor">>(
      x: T,
      options: O,
    ): Tensor<Resampled<T[ShapeKey], O>, T["dtype"]> =>
      wrap(interpolateOf(unwrap(x), { ...options, ...kind })),
  );

/** {@link interpolate} with mode "nearest". */
export const upsampleNearest = upsampled("upsampleNearest", { mode: "nearest" });

/** {@link interpolate} with mode "bilinear" and aligned corners. */
export const upsampleBilinear = upsampled("upsampleBilinear", { mode: "bilinear", alignCorners: true });

/** Options of {@link gridSample}: how it interpolates, and what it reads outside. */
export interface GridSampleOptions {
  /** "bilinear" (for two or three axes), "nearest", or "bicubic" (for two). Default "bilinear". */
  readonly mode?: GridMode;
  /** What is read outside: 0, the nearest place of the border, or its mirror image. Default "zeros". */
  readonly paddingMode?: GridPadding;
  /** True if −1 and 1 are the centres of the corner places, and not their outer edges. Default false. */
  readonly alignCorners?: boolean;
}

const gridModes: readonly GridMode[] = ["bilinear", "nearest", "bicubic"];
const gridPaddings: readonly GridPadding[] = ["zeros", "border", "reflection"];

/** The sizes N and C of the images, followed by those of the grid. */
type Sampled<X extends number[], G extends number[]> = X extends [
  infer N extends number,
  infer C extends number,
  ...number[],
]
  ? G extends [number, ...infer R extends number[], number]
    ? [N, C, ...R]
    : number[]
  : number[];

/**
 * Images x [N, C, H, W] read at the places of grid [N, h, w, 2]. Coordinates are from −1 to 1, and the one along W comes first. Also [N, C,
 * D, H, W] with a grid [N, d, h, w, 3]. PyTorch: `grid_sample`.
 * @throws ShapeError when they do not fit, DTypeError for different dtypes.
 */
export const gridSample = declareFunction(
  "gridSample(input, grid, { mode, paddingMode, alignCorners })",
  <T extends AnyTensor, G extends AnyTensor>(
    input: T,
    grid: G,
    { mode = "bilinear", paddingMode = "zeros", alignCorners = false }: GridSampleOptions = {},
  ): Tensor<Sampled<T[ShapeKey], G[ShapeKey]>, T["dtype"]> => {
    const [x, places] = [unwrap(input), unwrap(grid)];
    checkChoice("mode", mode, gridModes);
    checkChoice("paddingMode", paddingMode, gridPaddings);
    return wrap(sampleGrid(x, places, mode, paddingMode, alignCorners));
  },
);

/** What −1 and 1 mean. */
export interface AffineGridOptions {
  readonly alignCorners?: boolean;
}

/**
 * The grid [N, H, W, 2] with which {@link gridSample} applies the affine maps theta [N, 2, 3] to images of `size` [N, C, H, W]. Also for
 * [N, C, D, H, W] and [N, 3, 4]. PyTorch: `affine_grid`.
 */
export const affineGrid = declareFunction(
  "affineGrid(theta, size, { alignCorners })",
  <T extends AnyTensor, const S extends readonly number[]>(
    theta: T,
    size: S,
    { alignCorners = false }: AffineGridOptions = {},
  ): Tensor<GridShape<S>, T["dtype"]> => {
    const x = onlyFloat(unwrap(theta));
    const { shape, dtype } = x.node;
    if (!Array.isArray(size))
      throw new TypeError(
        `size must be an array of integers, e.g. [1, 3, 32, 32], but got ${showArgument(size)}`,
      );
    for (const each of size) checkInteger("size", each);
    const sizes = size.slice(2) as number[];
    if (size.some((each) => each <= 0))
      throw new RangeError(`Expected non-zero, positive output size. Got ${showShape(size)}`);
    const rank = sizes.length;
    if (rank !== 2 && rank !== 3)
      throw new ShapeError(`affine_grid only supports 4D and 5D sizes, but got ${showShape(size)}`);
    if (shape.length !== 3 || shape[0] !== size[0] || shape[1] !== rank || shape[2] !== rank + 1)
      throw new ShapeError(
        `Expected a batch of ${rank}D affine matrices of shape Nx${rank}x${rank + 1} for size ${showShape(size)}. Got ${showShape(shape)}.`,
      );
    const places = sizes.map((length, axis) => {
      const scale = alignCorners || length === 0 ? 1 : (length - 1) / length;
      const along = length === 1 ? 0 : 1;
      const line = record.cast(mul(linspace(-along, along, length, "float64"), scale), dtype);
      const own = record.reshape(
        line,
        sizes.map((_, other) => (other === axis ? length : 1)),
      );
      return record.expand(own, sizes);
    });
    const points = stack([...places.reverse(), record.expand(record.constant(dtype, 1), sizes)], -1);
    const flat = record.reshape(points, [elementCount(sizes), rank + 1]);
    const moved = matmul(flat, record.permute(x, [0, 2, 1]));
    return wrap(record.reshape(moved, [shape[0] as number, ...sizes, rank]));
  },
);

function checkFactor(op: string, name: string, x: Value, factor: number): void {
  if (x.node.shape.length < 3)
    throw new ShapeError(
      `${op === "pixelShuffle" ? "pixel_shuffle" : "pixel_unshuffle"} expects input to have at least 3 dimensions, but got input with ${x.node.shape.length} dimension(s)`,
    );
  checkInteger(name, factor);
  if (factor < 1) throw new RangeError(`expects a positive ${name}, but got ${factor}`);
}

const lastFive = (leading: number, order: readonly number[]): number[] => [
  ...Array.from({ length: leading }, (_, axis) => axis),
  ...order.map((axis) => leading + axis),
];

/** [..., C·r², H, W] → [..., C, H·r, W·r]. */
export const pixelShuffle = declareFunction(
  "pixelShuffle(input, upscaleFactor)",
  <T extends AnyTensor, const R extends number>(
    input: T,
    upscaleFactor: R,
  ): Tensor<PixelShuffled<T[ShapeKey], R>, T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    checkFactor("pixelShuffle", "upscale_factor", x, upscaleFactor);
    const leading = shape.slice(0, -3);
    const [channels, height, width] = shape.slice(-3) as [number, number, number];
    if (channels % (upscaleFactor * upscaleFactor) !== 0)
      throw new ShapeError(
        `pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=${channels} is not divisible by ${upscaleFactor * upscaleFactor}`,
      );
    const kept = channels / (upscaleFactor * upscaleFactor);
    const apart = record.reshape(x, [...leading, kept, upscaleFactor, upscaleFactor, height, width]);
    const moved = record.permute(apart, lastFive(leading.length, [0, 3, 1, 4, 2]));
    return wrap(record.reshape(moved, [...leading, kept, height * upscaleFactor, width * upscaleFactor]));
  },
);

/** [..., C, H·r, W·r] → [..., C·r², H, W]. */
export const pixelUnshuffle = declareFunction(
  "pixelUnshuffle(input, downscaleFactor)",
  <T extends AnyTensor, const R extends number>(
    input: T,
    downscaleFactor: R,
  ): Tensor<PixelUnshuffled<T[ShapeKey], R>, T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    checkFactor("pixelUnshuffle", "downscale_factor", x, downscaleFactor);
    const leading = shape.slice(0, -3);
    const [channels, height, width] = shape.slice(-3) as [number, number, number];
    for (const [name, size, axis] of [
      ["height", height, -2],
      ["width", width, -1],
    ] as const) {
      if (size % downscaleFactor !== 0)
        throw new ShapeError(
          `pixel_unshuffle expects ${name} to be divisible by downscale_factor, but input.size(${axis})=${size} is not divisible by ${downscaleFactor}`,
        );
    }
    const sizes = [height / downscaleFactor, width / downscaleFactor] as const;
    const apart = record.reshape(x, [
      ...leading,
      channels,
      sizes[0],
      downscaleFactor,
      sizes[1],
      downscaleFactor,
    ]);
    const moved = record.permute(apart, lastFive(leading.length, [0, 2, 4, 1, 3]));
    return wrap(record.reshape(moved, [...leading, channels * downscaleFactor * downscaleFactor, ...sizes]));
  },
);

/** The channels of [N, C, ...] divided into `groups`, and interleaved. */
export const channelShuffle = declareFunction(
  "channelShuffle(input, groups)",
  <T extends AnyTensor>(input: T, groups: number): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    if (shape.length < 3)
      throw new ShapeError(
        `channel_shuffle expects input with > 2 dims, but got input with sizes ${showShape(shape)}`,
      );
    checkInteger("groups", groups);
    const [count, channels, ...rest] = shape as [number, number, ...number[]];
    if (groups < 1)
      throw new RangeError(
        `Number of groups to divide channels in must be positive. Value of groups:${groups}`,
      );
    if (channels % groups !== 0)
      throw new ShapeError(
        `Number of channels must be divisible by groups. Got ${channels} channels and ${groups} groups.`,
      );
    const apart = record.reshape(x, [count, groups, channels / groups, ...rest]);
    return wrap(record.reshape(record.permute(apart, [0, 2, 1, ...rest.map((_, axis) => axis + 3)]), shape));
  },
);

/** A number is for both axes. */
export interface BlockOptions {
  readonly dilation?: number | readonly number[];
  readonly padding?: number | readonly number[];
  readonly stride?: number | readonly number[];
}

function blockSlides(
  sizes: readonly number[],
  kernelSize: number | readonly number[],
  options: BlockOptions,
): Slide[] {
  const kernel = perAxis("kernelSize", kernelSize, 2);
  const stride = perAxis("stride", options.stride ?? 1, 2);
  const padding = perAxis("padding", options.padding ?? 0, 2);
  const dilation = perAxis("dilation", options.dilation ?? 1, 2);
  for (const [name, list, least] of [
    ["kernel size", kernel, 1],
    ["stride", stride, 1],
    ["dilation", dilation, 1],
    ["padding", padding, 0],
  ] as const) {
    if (list.some((value) => value < least))
      throw new RangeError(
        `${name} should be ${least === 0 ? "non-negative" : "greater than zero"}, but got ${showShape(list)}`,
      );
  }
  const slides = sizes.map((size, axis): Slide => {
    const reach = dilation[axis]! * (kernel[axis]! - 1) + 1;
    const count = Math.floor((size + 2 * padding[axis]! - reach) / stride[axis]!) + 1;
    return {
      kernel: kernel[axis]!,
      stride: stride[axis]!,
      dilation: dilation[axis]!,
      before: padding[axis]!,
      after: padding[axis]!,
      count,
    };
  });
  if (slides.some(({ count }) => count < 1))
    throw new ShapeError(
      `Given input with spatial size (${sizes.join(", ")}), kernel_size=(${kernel.join(", ")}), dilation=(${dilation.join(", ")}), padding=(${padding.join(", ")}), calculated shape of the array of sliding blocks as (${slides.map(({ count }) => count).join(", ")}), but its components must be at least one.`,
    );
  return slides;
}

/** The windows of [N, C, H, W] as columns [N, C·kernel, windows] (im2col). The tensor method of that name is another op. */
export const unfold = declareFunction(
  "unfold(input, kernelSize, { dilation, padding, stride })",
  <T extends AnyTensor>(
    input: T,
    kernelSize: number | readonly number[],
    options: BlockOptions = {},
  ): Tensor<number[], T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    const batch = shape.length === 3 ? record.reshape(x, [1, ...shape]) : x;
    if (batch.node.shape.length !== 4 || batch.node.shape.slice(1).includes(0))
      throw new ShapeError(
        `Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ${showShape(shape)}`,
      );
    const [count, channels, ...sizes] = batch.node.shape as [number, number, number, number];
    const slides = blockSlides(sizes, kernelSize, options);
    const view = windows(padded(batch, slides, 0), slides);
    const inner = channels * elementCount(slides.map(({ kernel }) => kernel));
    const places = elementCount(slides.map((slide) => slide.count));
    const columns = record.reshape(record.permute(view, [0, 1, 4, 5, 2, 3]), [count, inner, places]);
    return wrap(shape.length === 3 ? record.reshape(columns, [inner, places]) : columns);
  },
);

/** Columns [N, C·kernel, windows] summed into [N, C, ...outputSize] (col2im). */
export const fold = declareFunction(
  "fold(input, outputSize, kernelSize, { dilation, padding, stride })",
  <T extends AnyTensor>(
    input: T,
    outputSize: number | readonly number[],
    kernelSize: number | readonly number[],
    options: BlockOptions = {},
  ): Tensor<number[], T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    const batch = shape.length === 2 ? record.reshape(x, [1, ...shape]) : x;
    if (batch.node.shape.length !== 3)
      throw new ShapeError(
        `Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: ${showShape(shape)}`,
      );
    const sizes = perAxis("outputSize", outputSize, 2);
    const slides = blockSlides(sizes, kernelSize, options);
    const [count, inner, places] = batch.node.shape as [number, number, number];
    const kernel = slides.map((slide) => slide.kernel);
    const counts = slides.map((slide) => slide.count);
    if (inner % elementCount(kernel) !== 0)
      throw new ShapeError(
        `Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=${inner} and kernel_size=(${kernel.join(", ")}).`,
      );
    if (places !== elementCount(counts))
      throw new ShapeError(
        `Given output_size=(${sizes.join(", ")}), kernel_size=(${kernel.join(", ")}), expected size of input's dimension 2 to match the calculated number of sliding blocks ${counts.join(" * ")} = ${elementCount(counts)}, but got input.size(2)=${places}.`,
      );
    const channels = inner / elementCount(kernel);
    const columns = record.reshape(batch, [count, channels, ...kernel, ...counts]);
    const result = foldWindows(columns, slides, sizes);
    return wrap(shape.length === 2 ? record.reshape(result, [channels, ...sizes]) : result);
  },
);

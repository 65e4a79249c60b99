/** Convolutions. Each is the function of that name in torch.nn.functional. */
import type { Sizes } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { convolve, convolveTransposed } from "../ops/convolution.ts";
import { type ShapeKey, type Tensor, tensorArgument, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Numbers hold for every spatial axis, lists have one for each. */
export interface ConvolutionOptions {
  /** One number for each output channel. */
  readonly bias?: AnyTensor | null;
  /** 1. */
  readonly stride?: number | readonly number[];
  /** Zeros on either side, 0; `"same"` keeps the sizes (for stride 1), `"valid"` is none. */
  readonly padding?: number | readonly number[] | "same" | "valid";
  /** Distance of the kernel's places, 1. */
  readonly dilation?: number | readonly number[];
  /** Groups of channels that do not mix, 1. */
  readonly groups?: number;
}

export interface TransposedConvolutionOptions extends ConvolutionOptions {
  /** Places cut from either side, 0. */
  readonly padding?: number | readonly number[];
  /** Places added at the end, 0: which of the inputs that give one output is meant. */
  readonly outputPadding?: number | readonly number[];
}

const convolution = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, weight, { bias, stride, padding, dilation, groups })`,
    <T extends AnyTensor>(
      x: T,
      weight: AnyTensor,
      options: ConvolutionOptions = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> => {
      const values = [tensorArgument(name, "input", x), tensorArgument(name, "weight", weight)] as const;
      return wrap(
        convolve(name, rank, ...values, optionalTensor(name, "bias", options.bias), {
          stride: options.stride ?? 1,
          padding: options.padding ?? 0,
          dilation: options.dilation ?? 1,
          groups: options.groups ?? 1,
        }),
      );
    },
  );

const transposed = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, weight, { bias, stride, padding, outputPadding, dilation, groups })`,
    <T extends AnyTensor>(
      x: T,
      weight: AnyTensor,
      options: TransposedConvolutionOptions = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> => {
      const values = [tensorArgument(name, "input", x), tensorArgument(name, "weight", weight)] as const;
      return wrap(
        convolveTransposed(name, rank, ...values, optionalTensor(name, "bias", options.bias), {
          stride: options.stride ?? 1,
          padding: options.padding ?? 0,
          outputPadding: options.outputPadding ?? 0,
          dilation: options.dilation ?? 1,
          groups: options.groups ?? 1,
        }),
      );
    },
  );

/**
 * Slides `weight` [O, C / groups, kernel] over x [N, C, size] or [C, size], as [N, O, ...]. Products are summed in the order of a
 * matrix product.
 * @throws ShapeError when channels, kernel and sizes do not fit, DTypeError for different dtypes.
 */
export const conv1d = convolution("conv1d", 1);

/** {@link conv1d} over two axes: x [N, C, height, width] or [C, height, width], `weight` [O, C / groups, ...kernel]. */
export const conv2d = convolution("conv2d", 2);

/** {@link conv1d} over three axes: x [N, C, ...sizes] or [C, ...sizes], `weight` [O, C / groups, ...kernel]. */
export const conv3d = convolution("conv3d", 3);

/** The transpose of {@link conv1d}: x [N, C, size], `weight` [C, O / groups, kernel]; every element adds its kernel's image. */
export const convTranspose1d = transposed("convTranspose1d", 1);

/** {@link convTranspose1d} over two axes: x [N, C, height, width], `weight` [C, O / groups, ...kernel]. */
export const convTranspose2d = transposed("convTranspose2d", 2);

/** {@link convTranspose1d} over three axes: x [N, C, ...sizes], `weight` [C, O / groups, ...kernel]. */
export const convTranspose3d = transposed("convTranspose3d", 3);

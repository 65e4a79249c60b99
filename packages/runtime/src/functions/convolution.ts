/** Convolutions. Each is the function of that name in torch.nn.functional. */
import type { Sizes } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { convolve, convolveTransposed } from "../ops/convolution.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
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

/** As many axes, of sizes that the options decide. */
type Convolved<T extends AnyTensor> = Tensor<Sizes<T[ShapeKey]>, T["dtype"]>;

/**
 * Slides `weight` [O, C / groups, ...kernel] over x [N, C, ...sizes] or [C, ...sizes], as [N, O, ...]: sums of products, in the
 * order of a product of matrices.
 * @throws ShapeError when channels, kernel and sizes do not fit, DTypeError for different dtypes.
 */
export type ConvolutionFunction = <T extends AnyTensor>(
  x: T,
  weight: AnyTensor,
  options?: ConvolutionOptions,
) => Convolved<T>;

/** The transpose of a convolution: x [N, C, ...], `weight` [C, O / groups, ...kernel]; every element adds its kernel's image. */
export type TransposedConvolutionFunction = <T extends AnyTensor>(
  x: T,
  weight: AnyTensor,
  options?: TransposedConvolutionOptions,
) => Convolved<T>;

function convolution(op: string, rank: number): ConvolutionFunction {
  const run = (x: AnyTensor, weight: AnyTensor, options: ConvolutionOptions = {}): AnyTensor =>
    wrap(
      convolve(
        op,
        rank,
        tensorArgument(op, "input", x),
        tensorArgument(op, "weight", weight),
        optionalTensor(op, "bias", options.bias),
        {
          stride: options.stride ?? 1,
          padding: options.padding ?? 0,
          dilation: options.dilation ?? 1,
          groups: options.groups ?? 1,
        },
      ),
    );
  return operation(op, "input, weight, { bias, stride, padding, dilation, groups }", run);
}

function transposed(op: string, rank: number): TransposedConvolutionFunction {
  const run = (x: AnyTensor, weight: AnyTensor, options: TransposedConvolutionOptions = {}): AnyTensor =>
    wrap(
      convolveTransposed(
        op,
        rank,
        tensorArgument(op, "input", x),
        tensorArgument(op, "weight", weight),
        optionalTensor(op, "bias", options.bias),
        {
          stride: options.stride ?? 1,
          padding: options.padding ?? 0,
          outputPadding: options.outputPadding ?? 0,
          dilation: options.dilation ?? 1,
          groups: options.groups ?? 1,
        },
      ),
    );
  return operation(op, "input, weight, { bias, stride, padding, outputPadding, dilation, groups }", run);
}

/** {@link ConvolutionFunction} over one axis. */
export const conv1d: ConvolutionFunction = convolution("conv1d", 1);
/** {@link ConvolutionFunction} over two axes. */
export const conv2d: ConvolutionFunction = convolution("conv2d", 2);
/** {@link ConvolutionFunction} over three axes. */
export const conv3d: ConvolutionFunction = convolution("conv3d", 3);
/** {@link TransposedConvolutionFunction} over one axis. */
export const convTranspose1d: TransposedConvolutionFunction = transposed("convTranspose1d", 1);
/** {@link TransposedConvolutionFunction} over two axes. */
export const convTranspose2d: TransposedConvolutionFunction = transposed("convTranspose2d", 2);
/** {@link TransposedConvolutionFunction} over three axes. */
export const convTranspose3d: TransposedConvolutionFunction = transposed("convTranspose3d", 3);

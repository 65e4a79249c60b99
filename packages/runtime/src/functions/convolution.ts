/** Convolutions. Each is the function of that name in torch.nn.functional. */
import type {
  Accept,
  Add,
  ConvolutionSliding,
  ConvolvedOrFail,
  Multiply,
  Ok,
  OptionOf,
  Sizes,
  TransposeConvolvedOrFail,
  UnknownRank,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { convolve, convolveTransposed } from "../ops/convolution.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, NoOptions } from "../tensor/types.ts";

/** A number is for every spatial axis; a list has one for each. */
export interface ConvolutionOptions {
  /** One number for each output channel. */
  readonly bias?: AnyTensor | null;
  /** Default 1. */
  readonly stride?: number | readonly number[];
  /** Zeros at either end of each axis; `"same"` keeps the sizes (with stride 1), `"valid"` means none. Default 0. */
  readonly padding?: number | readonly number[] | "same" | "valid";
  /** The distance between neighbouring places of the kernel. Default 1. */
  readonly dilation?: number | readonly number[];
  /** The number of groups of channels, which are convolved separately. Default 1. */
  readonly groups?: number;
}

export interface TransposedConvolutionOptions extends ConvolutionOptions {
  /** Places removed at either end. Default 0. */
  readonly padding?: number | readonly number[];
  /** Places added at the end: with a stride, inputs of several sizes give one size, and this selects among them. Default 0. */
  readonly outputPadding?: number | readonly number[];
}

type Groups<O> = OptionOf<O, "groups", 1> extends infer G extends number ? G : number;

/** The parts of the shape of `weight`, or the message. */
type Filters<W extends number[], R extends number> = W extends [
  infer First extends number,
  infer Second extends number,
  ...infer Kernel extends number[],
]
  ? Kernel["length"] extends R
    ? readonly [First, Second, Kernel]
    : `weight should have ${Add<R, 2>} dimensions, but got ${W["length"]}`
  : `weight should have ${Add<R, 2>} dimensions, but got ${W["length"]}`;

/** The shape of a convolution, or the message. */
type Convolved<T extends AnyTensor, W extends AnyTensor, R extends number, O> =
  UnknownRank<W[ShapeKey]> extends true
    ? Sizes<T[ShapeKey]>
    : Filters<W[ShapeKey], R> extends infer F
      ? F extends readonly [infer Out extends number, infer Per extends number, infer Kernel]
        ? ConvolvedOrFail<T[ShapeKey], Multiply<Per, Groups<O>>, Out, R, ConvolutionSliding<Kernel, O>>
        : F
      : never;

type TransposeConvolved<T extends AnyTensor, W extends AnyTensor, R extends number, O> =
  UnknownRank<W[ShapeKey]> extends true
    ? Sizes<T[ShapeKey]>
    : Filters<W[ShapeKey], R> extends infer F
      ? F extends readonly [infer In extends number, infer Per extends number, infer Kernel]
        ? TransposeConvolvedOrFail<
            T[ShapeKey],
            In,
            Multiply<Per, Groups<O>>,
            R,
            ConvolutionSliding<Kernel, O>,
            OptionOf<O, "outputPadding", 0>
          >
        : F
      : never;

/* @__NO_SIDE_EFFECTS__ */
const convolution = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, weight, { bias, stride, padding, dilation, groups })`,
    <T extends AnyTensor, W extends AnyTensor, const O extends ConvolutionOptions = NoOptions>(
      x: T,
      weight: Accept<Convolved<T, W, R, O>, W>,
      options?: O,
    ): Tensor<Ok<Convolved<T, W, R, O>>, T["dtype"]> => {
      const { bias, stride = 1, padding = 0, dilation = 1, groups = 1 }: ConvolutionOptions = options ?? {};
      const values = [unwrap(x), unwrap(weight)] as const;
      const own = optionalTensor(bias);
      return wrap(convolve(rank, ...values, own, { stride, padding, dilation, groups }));
    },
  );

/* @__NO_SIDE_EFFECTS__ */
const transposed = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, weight, { bias, stride, padding, outputPadding, dilation, groups })`,
    <T extends AnyTensor, W extends AnyTensor, const O extends TransposedConvolutionOptions = NoOptions>(
      x: T,
      weight: Accept<TransposeConvolved<T, W, R, O>, W>,
      options?: O,
    ): Tensor<Ok<TransposeConvolved<T, W, R, O>>, T["dtype"]> => {
      const given: TransposedConvolutionOptions = options ?? {};
      const { bias, stride = 1, padding = 0, outputPadding = 0, dilation = 1, groups = 1 } = given;
      const values = [unwrap(x), unwrap(weight)] as const;
      const own = optionalTensor(bias);
      const places = { stride, padding, outputPadding, dilation, groups };
      return wrap(convolveTransposed(rank, ...values, own, places));
    },
  );

/**
 * Slides `weight` [O, C / groups, kernel] over x [N, C, size] or [C, size]; the result is [N, O, ...] or [O, ...]. Products are summed in
 * the order of a matrix product.
 * @throws ShapeError when channels, kernel and sizes do not fit, DTypeError for different dtypes.
 */
export const conv1d = convolution("conv1d", 1);

/** {@link conv1d} over two axes: x [N, C, height, width] or [C, height, width], `weight` [O, C / groups, ...kernel]. */
export const conv2d = convolution("conv2d", 2);

/** {@link conv1d} over three axes: x [N, C, ...sizes] or [C, ...sizes], `weight` [O, C / groups, ...kernel]. */
export const conv3d = convolution("conv3d", 3);

/**
 * The transpose of {@link conv1d}: x is [N, C, size], `weight` [C, O / groups, kernel]. Every element adds the kernel, times itself, to the
 * result.
 */
export const convTranspose1d = transposed("convTranspose1d", 1);

/** {@link convTranspose1d} over two axes: x [N, C, height, width], `weight` [C, O / groups, ...kernel]. */
export const convTranspose2d = transposed("convTranspose2d", 2);

/** {@link convTranspose1d} over three axes: x [N, C, ...sizes], `weight` [C, O / groups, ...kernel]. */
export const convTranspose3d = transposed("convTranspose3d", 3);

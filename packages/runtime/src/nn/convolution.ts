/** Convolutions as layers. Source: torch.nn.Conv1d and its kin. */
import type { ConvolutionSliding, ConvolvedOrFail, OptionOf, TransposeConvolvedOrFail } from "@fuseau/ir";
import {
  type AnyTensor,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  type NoOptions,
} from "../js.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";
import { type LinearOptions, uniformParameter } from "./linear.ts";
import type { Parameter } from "./parameter.ts";

export interface ConvolutionFlow<In extends number, Out extends number, R extends number, K, O> extends Flow {
  readonly output: OfShape<
    ConvolvedOrFail<ShapeIn<this>, In, Out, R, ConvolutionSliding<K, O>>,
    DTypeIn<this>
  >;
}

export interface TransposeConvolutionFlow<In extends number, Out extends number, R extends number, K, O>
  extends Flow {
  readonly output: OfShape<
    TransposeConvolvedOrFail<
      ShapeIn<this>,
      In,
      Out,
      R,
      ConvolutionSliding<K, O>,
      OptionOf<O, "outputPadding", 0>
    >,
    DTypeIn<this>
  >;
}

type Sizes = number | readonly number[];

/** Numbers hold for every spatial axis, lists have one for each. */
interface Places {
  /** 1 */
  readonly stride?: Sizes;
  /** Distance of the kernel's places, 1. */
  readonly dilation?: Sizes;
  /** Groups of channels that do not mix, 1. */
  readonly groups?: number;
}

export interface ConvOptions extends LinearOptions, Places {
  /** Zeros on either side, 0; `"same"` keeps the sizes (for stride 1), `"valid"` is none. */
  readonly padding?: Sizes | "same" | "valid";
}

export interface ConvTransposeOptions extends LinearOptions, Places {
  /** Places cut from either side, 0. */
  readonly padding?: Sizes;
  /** Places added at the end, 0. */
  readonly outputPadding?: Sizes;
}

type Bias = { readonly bias: AnyTensor | null };

const kernelOf = (rank: number, size: Sizes): readonly number[] =>
  typeof size === "number" ? new Array<number>(rank).fill(size) : size;

/** Sums of products under a kernel that slides. `weight` and `bias` are at first uniform within ±1/√(fan in). */
abstract class Convolution<Out extends number, F extends Flow, O extends LinearOptions> extends Layer<F> {
  weight: Parameter;
  bias: Parameter<[Out]> | null;
  readonly #convolve: (
    input: AnyTensor,
    weight: AnyTensor,
    options: Omit<O, keyof LinearOptions> & Bias,
  ) => AnyTensor;
  readonly #options: Omit<O, keyof LinearOptions>;

  constructor(
    convolve: (
      input: AnyTensor,
      weight: AnyTensor,
      options: Omit<O, keyof LinearOptions> & Bias,
    ) => AnyTensor,
    weight: readonly number[],
    out: Out,
    options: O,
  ) {
    super();
    const { bias = true, dtype = "float32", generator, ...places } = options;
    const from = generator === undefined ? { dtype } : { dtype, generator };
    const fan = weight.slice(1).reduce((product, size) => product * size, 1);
    this.weight = uniformParameter(weight, fan, from);
    this.bias = bias ? uniformParameter([out], fan, from) : null;
    this.#convolve = convolve;
    this.#options = places;
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#convolve(input, this.weight, { ...this.#options, bias: this.bias });
  }
}

/** The shape of a convolution's weight: [out, in / groups, ...kernel]. */
const weightOf = (rank: number, from: number, out: number, size: Sizes, groups = 1): readonly number[] => [
  out,
  from / groups,
  ...kernelOf(rank, size),
];

/** x [N, in, length] as [N, out, length]. */
export class Conv1d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<Out, ConvolutionFlow<In, Out, 1, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(conv1d, weightOf(1, inChannels, outChannels, kernelSize, options.groups), outChannels, options);
  }
}

/** x [N, in, height, width] as [N, out, height, width]. */
export class Conv2d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<Out, ConvolutionFlow<In, Out, 2, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(conv2d, weightOf(2, inChannels, outChannels, kernelSize, options.groups), outChannels, options);
  }
}

/** x [N, in, depth, height, width] as [N, out, depth, height, width]. */
export class Conv3d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<Out, ConvolutionFlow<In, Out, 3, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(conv3d, weightOf(3, inChannels, outChannels, kernelSize, options.groups), outChannels, options);
  }
}

/** The transpose of {@link Conv1d}: every element adds its kernel's image. */
export class ConvTranspose1d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<Out, TransposeConvolutionFlow<In, Out, 1, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(
      convTranspose1d,
      weightOf(1, outChannels, inChannels, kernelSize, options.groups),
      outChannels,
      options,
    );
  }
}

/** The transpose of {@link Conv2d}. */
export class ConvTranspose2d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<Out, TransposeConvolutionFlow<In, Out, 2, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(
      convTranspose2d,
      weightOf(2, outChannels, inChannels, kernelSize, options.groups),
      outChannels,
      options,
    );
  }
}

/** The transpose of {@link Conv3d}. */
export class ConvTranspose3d<
  const In extends number,
  const Out extends number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<Out, TransposeConvolutionFlow<In, Out, 3, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(
      convTranspose3d,
      weightOf(3, outChannels, inChannels, kernelSize, options.groups),
      outChannels,
      options,
    );
  }
}

/** Convolutions as layers. Source: torch.nn.Conv1d and its like. */
import {
  type ConvolutionSliding,
  type ConvolvedOrFail,
  elementCount,
  type OptionOf,
  type TransposeConvolvedOrFail,
} from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkDivides, checkMade, type Given } from "../entry/made.ts";
import {
  type AnyTensor,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  type NoOptions,
  pad,
} from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";
import { type LinearOptions, linearOptions, uniformParameter } from "./linear.ts";
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

/** A number is for every spatial axis; a list has one for each. */
interface Places {
  /** Default 1. */
  readonly stride?: Sizes;
  /** The distance between neighbouring places of the kernel. Default 1. */
  readonly dilation?: Sizes;
  /** The number of groups of channels, which are convolved separately. Default 1. */
  readonly groups?: number;
}

export interface ConvOptions extends LinearOptions, Places {
  /** Places added at either end of each axis; `"same"` keeps the sizes (with stride 1), `"valid"` means none. Default 0. */
  readonly padding?: Sizes | "same" | "valid";
  /** What the padding is: `"zeros"` (default), or the input mirrored, its edge repeated, or its other end, as in {@link pad}. */
  readonly paddingMode?: (typeof paddingModes)[number];
}

export interface ConvTransposeOptions extends LinearOptions, Places {
  /** Places removed at either end. Default 0. */
  readonly padding?: Sizes;
  /** Places added at the end. Default 0. */
  readonly outputPadding?: Sizes;
}

const paddingModes = ["zeros", "reflect", "replicate", "circular"] as const;

const places: Kinds<LinearOptions & Places> = {
  ...linearOptions,
  ...{ stride: "counts", dilation: "counts", groups: "positive" },
};
const convOptions: Kinds<ConvOptions> = { ...places, padding: "padding", paddingMode: paddingModes };
const convTransposeOptions: Kinds<ConvTransposeOptions> = {
  ...places,
  ...{ padding: "counts", outputPadding: "counts" },
};

/** What differs between the kinds of convolution. */
interface Form<O> {
  readonly rank: number;
  readonly kinds: Kinds<O>;
  readonly isTransposed: boolean;
  readonly convolve: (
    input: AnyTensor,
    weight: AnyTensor,
    options: Omit<O, keyof LinearOptions> & { readonly bias: AnyTensor | null },
  ) => AnyTensor;
}

/** Sums of products with a sliding kernel. `weight` and `bias` are at first uniform within ±1/√(fan in). */
abstract class Convolution<
  In extends number,
  Out extends number,
  F extends Flow,
  O extends LinearOptions & Places,
> extends Layer<F> {
  /** [out, in / groups, ...kernel]; for a transposed convolution [in, out / groups, ...kernel]. */
  weight: Parameter;
  bias: Parameter<[Out]> | null;
  readonly #convolve: Form<O>["convolve"];
  readonly #options: Omit<O, keyof LinearOptions>;

  /** @throws RangeError for channels that the groups do not divide, a kernel of another rank, and padding "same" with a stride. */
  constructor(form: Form<O>, given: Given, inChannels: In, outChannels: Out, kernelSize: Sizes, options: O) {
    const { rank, kinds, isTransposed, convolve } = form;
    checkMade(
      new.target,
      given,
      { count: { inChannels, outChannels }, counts: { kernelSize } },
      ...([options, kinds] as const),
    );
    const { bias = true, dtype = "float32", generator, ...others } = options;
    const { groups = 1, stride = 1 } = others;
    if ((others as ConvOptions).padding === "same" && [stride].flat().some((step) => step !== 1))
      throw trimmed(
        new RangeError(
          `${new.target.name}: padding='same' is not supported for strided convolutions (stride ${stride})`,
        ),
        new.target,
      );
    checkDivides(new.target, { groups }, { in_channels: inChannels });
    checkDivides(new.target, { groups }, { out_channels: outChannels });
    const kernel =
      typeof kernelSize === "number" ? new Array<number>(rank).fill(kernelSize) : [...kernelSize];
    if (kernel.length !== rank)
      throw trimmed(
        new RangeError(
          `${new.target.name}: kernelSize must have ${rank} ${rank === 1 ? "size" : "sizes"}, but got [${kernel.join(", ")}]`,
        ),
        new.target,
      );
    super();
    const [first, second] = isTransposed ? [inChannels, outChannels] : [outChannels, inChannels];
    const shape: readonly number[] = [first, second / groups, ...kernel];
    const from = generator === undefined ? { dtype } : { dtype, generator };
    const fan = elementCount(shape.slice(1));
    this.weight = uniformParameter(shape, fan, from);
    this.bias = bias ? uniformParameter([outChannels], fan, from) : null;
    this.#convolve = convolve;
    this.#options = others;
    this.keepFields();
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#convolve(input, this.weight, { ...this.#options, bias: this.bias });
  }
}

type ZeroPadded = Omit<ConvOptions, "paddingMode">;

const formOf = (rank: number, convolve: Form<ZeroPadded>["convolve"]): Form<ConvOptions> => ({
  ...{ rank, kinds: convOptions, isTransposed: false },
  convolve: (input, weight, { paddingMode = "zeros", ...options }) => {
    const { padding = 0, ...others } = options;
    if (paddingMode === "zeros") return convolve(input, weight, options);
    const widths = widthsOf(weight.shape.slice(2), padding, others.dilation ?? 1);
    return convolve(pad(input, widths, { mode: paddingMode }), weight, others);
  },
});

/** How many places are added before and after each axis, the last axis first. */
function widthsOf(
  kernel: readonly number[],
  padding: NonNullable<ConvOptions["padding"]>,
  dilation: Sizes,
): number[] {
  const at = (sizes: Sizes, axis: number): number =>
    typeof sizes === "number" ? sizes : (sizes[axis] ?? (sizes[0] as number));
  return kernel
    .map((size, axis) => {
      if (padding === "valid") return [0, 0];
      if (padding !== "same") return [at(padding, axis), at(padding, axis)];
      // If it is odd, the longer part comes after.
      const all = at(dilation, axis) * (size - 1);
      return [Math.floor(all / 2), Math.ceil(all / 2)];
    })
    .reverse()
    .flat();
}

const transposeOf = (
  rank: number,
  convolve: Form<ConvTransposeOptions>["convolve"],
): Form<ConvTransposeOptions> => ({ rank, convolve, kinds: convTransposeOptions, isTransposed: true });

/** x [N, in, length] → [N, out, length]. */
export class Conv1d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<In, Out, ConvolutionFlow<In, Out, 1, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(formOf(1, conv1d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

/** x [N, in, height, width] → [N, out, height, width]. */
export class Conv2d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<In, Out, ConvolutionFlow<In, Out, 2, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(formOf(2, conv2d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

/** x [N, in, depth, height, width] → [N, out, depth, height, width]. */
export class Conv3d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvOptions = NoOptions,
> extends Convolution<In, Out, ConvolutionFlow<In, Out, 3, K, O>, ConvOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(formOf(3, conv3d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

/** The transpose of {@link Conv1d}: every element adds the kernel, times itself, to the result. */
export class ConvTranspose1d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<In, Out, TransposeConvolutionFlow<In, Out, 1, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(transposeOf(1, convTranspose1d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

/** The transpose of {@link Conv2d}. */
export class ConvTranspose2d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<In, Out, TransposeConvolutionFlow<In, Out, 2, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(transposeOf(2, convTranspose2d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

/** The transpose of {@link Conv3d}. */
export class ConvTranspose3d<
  const In extends number = number,
  const Out extends number = number,
  const K extends Sizes = Sizes,
  const O extends ConvTransposeOptions = NoOptions,
> extends Convolution<In, Out, TransposeConvolutionFlow<In, Out, 3, K, O>, ConvTransposeOptions> {
  constructor(inChannels: In, outChannels: Out, kernelSize: K, options: O = {} as O) {
    super(transposeOf(3, convTranspose3d), arguments, inChannels, outChannels, kernelSize, options);
  }
}

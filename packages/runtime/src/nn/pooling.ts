/** Pools as layers. Source: torch.nn.MaxPool1d and its like. */

import type { AdaptedOrFail, DType, PooledOrFail, PoolSliding } from "@fuseau/ir";
import type { Kinds } from "../entry/kinds.ts";
import { checkMade, type Given } from "../entry/made.ts";
import { signatureOf } from "../entry/signature.ts";
import {
  type AdaptiveMaxOptions,
  type AdaptiveSize,
  type AnyTensor,
  type AveragePoolOptions,
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  lpPool1d,
  lpPool2d,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  maxUnpool1d,
  maxUnpool2d,
  maxUnpool3d,
  type NoOptions,
  type PooledPlaces,
  type PoolOptions,
  type Tensor,
  type UnpoolOptions,
  type WithPlaces,
} from "../js.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";
import { Module } from "./module.ts";
import { refusedAt } from "./refused.ts";

const unpoolCall = signatureOf("forward", "input: tensor, indices: tensor, { outputSize }");

/** `Pick` makes TypeScript compare two pools by what they give, so that every one without indices may stand where the class is named alone. */
export interface MaxPoolFlow<R extends number, K, O> extends Flow {
  readonly output: WithPlaces<
    PooledOrFail<ShapeIn<this>, R, PoolSliding<K, O>>,
    DTypeIn<this>,
    Pick<O, "returnIndices" & keyof O>
  >;
}

export interface AdaptiveMaxFlow<R extends number, V, O> extends Flow {
  readonly output: WithPlaces<AdaptedOrFail<ShapeIn<this>, R, V>, DTypeIn<this>, O>;
}

export interface PoolFlow<R extends number, K, O> extends Flow {
  readonly output: OfShape<PooledOrFail<ShapeIn<this>, R, PoolSliding<K, O>>, DTypeIn<this>>;
}

export interface AdaptiveFlow<R extends number, V> extends Flow {
  readonly output: OfShape<AdaptedOrFail<ShapeIn<this>, R, V>, DTypeIn<this>>;
}

type Sizes = number | readonly number[];

/** The options of max pools. `dilation` is the distance between neighbouring places of a window; default 1. */
export interface MaxPoolLayerOptions extends PoolOptions {
  readonly dilation?: Sizes;
  /** Gives `{ values, indices }`: also the positions in the flattened spatial axes, for {@link MaxUnpool2d} and its like. Default false. */
  readonly returnIndices?: boolean;
}

const poolOptions: Kinds<PoolOptions> = { stride: "counts?", padding: "counts", ceilMode: "flag" };
const maxPoolOptions: Kinds<MaxPoolLayerOptions> = {
  ...poolOptions,
  ...{ dilation: "counts", returnIndices: "flag" },
};
const adaptiveMaxOptions: Kinds<AdaptiveMaxOptions> = { returnIndices: "flag" };
const averagePoolOptions: Kinds<AveragePoolOptions> = {
  ...poolOptions,
  ...{ countIncludePad: "flag", divisorOverride: "integer?" },
};

/** What a pool gives. */
type Results = AnyTensor | PooledPlaces<number[], DType>;

type Pooling<O> = (input: AnyTensor, size: Sizes, options: O) => Results;

/** One element for each window of each channel. */
abstract class Pool<F extends Flow, O extends PoolOptions> extends Layer<F> {
  readonly #pool: (input: AnyTensor) => Results;

  constructor(pool: Pooling<O>, given: Given, kernelSize: Sizes, options: O, kinds: Kinds<O>) {
    checkMade(new.target, given, { counts: { kernelSize } }, options, kinds);
    super();
    this.#pool = (input) => pool(input, kernelSize, options);
  }

  protected run(input: AnyTensor): Results {
    return this.#pool(input);
  }
}

/** The largest element of every window; the stride is the kernel's size by default. */
export class MaxPool1d<
  const K extends Sizes = Sizes,
  const O extends MaxPoolLayerOptions = NoOptions,
> extends Pool<MaxPoolFlow<1, K, O>, MaxPoolLayerOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(maxPool1d, arguments, kernelSize, options, maxPoolOptions);
  }
}

/** The largest element of every window, over two axes; the stride is the kernel's size by default. */
export class MaxPool2d<
  const K extends Sizes = Sizes,
  const O extends MaxPoolLayerOptions = NoOptions,
> extends Pool<MaxPoolFlow<2, K, O>, MaxPoolLayerOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(maxPool2d, arguments, kernelSize, options, maxPoolOptions);
  }
}

/** The largest element of every window, over three axes; the stride is the kernel's size by default. */
export class MaxPool3d<
  const K extends Sizes = Sizes,
  const O extends MaxPoolLayerOptions = NoOptions,
> extends Pool<MaxPoolFlow<3, K, O>, MaxPoolLayerOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(maxPool3d, arguments, kernelSize, options, maxPoolOptions);
  }
}

/** The mean of every window. */
export class AvgPool1d<
  const K extends Sizes = Sizes,
  const O extends AveragePoolOptions = NoOptions,
> extends Pool<PoolFlow<1, K, O>, AveragePoolOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(avgPool1d, arguments, kernelSize, options, averagePoolOptions);
  }
}

/** The mean of every window, over two axes. */
export class AvgPool2d<
  const K extends Sizes = Sizes,
  const O extends AveragePoolOptions = NoOptions,
> extends Pool<PoolFlow<2, K, O>, AveragePoolOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(avgPool2d, arguments, kernelSize, options, averagePoolOptions);
  }
}

/** The mean of every window, over three axes. */
export class AvgPool3d<
  const K extends Sizes = Sizes,
  const O extends AveragePoolOptions = NoOptions,
> extends Pool<PoolFlow<3, K, O>, AveragePoolOptions> {
  constructor(kernelSize: K, options: O = {} as O) {
    super(avgPool3d, arguments, kernelSize, options, averagePoolOptions);
  }
}

/** The options of average pools, without padding. */
export type PowerPoolOptions = Omit<PoolOptions, "padding">;

const powerPoolOptions: Kinds<PowerPoolOptions> = { stride: "counts?", ceilMode: "flag" };

/** (Σ x^p)^(1/p) of every window; the stride is the kernel's size by default. */
export class LPPool1d<
  const K extends Sizes = Sizes,
  const O extends PowerPoolOptions = NoOptions,
> extends Pool<PoolFlow<1, K, O>, PowerPoolOptions> {
  constructor(normType: number, kernelSize: K, options: O = {} as O) {
    checkMade(
      new.target,
      arguments,
      { number: { normType }, counts: { kernelSize } },
      options,
      powerPoolOptions,
    );
    super((x, size, given) => lpPool1d(x, normType, size, given), [], kernelSize, options, powerPoolOptions);
  }
}

/** (Σ x^p)^(1/p) of every window, over two axes; the stride is the kernel's size by default. */
export class LPPool2d<
  const K extends Sizes = Sizes,
  const O extends PowerPoolOptions = NoOptions,
> extends Pool<PoolFlow<2, K, O>, PowerPoolOptions> {
  constructor(normType: number, kernelSize: K, options: O = {} as O) {
    checkMade(
      new.target,
      arguments,
      { number: { normType }, counts: { kernelSize } },
      options,
      powerPoolOptions,
    );
    super((x, size, given) => lpPool2d(x, normType, size, given), [], kernelSize, options, powerPoolOptions);
  }
}

type Unpooling = (x: AnyTensor, indices: AnyTensor, size: Sizes, options: UnpoolOptions) => AnyTensor;

/** Elements at the positions that a max pool's `indices` name, zeros elsewhere. */
abstract class Unpool extends Module {
  readonly #unpool: Unpooling;
  readonly kernelSize: Sizes;
  readonly options: Omit<UnpoolOptions, "outputSize">;

  constructor(
    unpool: Unpooling,
    given: Given,
    kernelSize: Sizes,
    options: Omit<UnpoolOptions, "outputSize">,
  ) {
    checkMade(new.target, given, { counts: { kernelSize } }, options, {
      stride: "counts?",
      padding: "counts",
    });
    super();
    this.#unpool = unpool;
    this.kernelSize = kernelSize;
    this.options = options;
  }

  /** The spatial sizes are those that the windows fill exactly, unless `outputSize` is given. */
  forward<T extends AnyTensor>(
    input: T,
    indices: AnyTensor,
    options: Pick<UnpoolOptions, "outputSize"> = {},
  ): Tensor<number[], T["dtype"]> {
    return refusedAt(this.forward, unpoolCall, arguments, () =>
      this.#unpool(input, indices, this.kernelSize, { ...this.options, ...options }),
    ) as Tensor<number[], T["dtype"]>;
  }
}

/* @__NO_SIDE_EFFECTS__ */
const undoing = (
  unpool: Unpooling,
): (new (
  kernelSize: Sizes,
  options?: Omit<UnpoolOptions, "outputSize">,
) => Unpool) =>
  class extends Unpool {
    constructor(kernelSize: Sizes, options: Omit<UnpoolOptions, "outputSize"> = {}) {
      super(unpool, arguments, kernelSize, options);
    }
  };

/** The inverse of {@link MaxPool1d}, as far as there is one: elements at its positions, and zeros elsewhere. */
export class MaxUnpool1d extends undoing(maxUnpool1d) {}
/** The inverse of {@link MaxPool2d}, as far as there is one: elements at its positions, and zeros elsewhere. */
export class MaxUnpool2d extends undoing(maxUnpool2d) {}
/** The inverse of {@link MaxPool3d}, as far as there is one: elements at its positions, and zeros elsewhere. */
export class MaxUnpool3d extends undoing(maxUnpool3d) {}

/** One element for each window; the sizes of the result are given. */
abstract class AdaptivePool<F extends Flow> extends Layer<F> {
  readonly #pool: (input: AnyTensor) => Results;

  constructor(
    pool: (input: AnyTensor, size: AdaptiveSize, options?: AdaptiveMaxOptions) => Results,
    given: Given,
    outputSize: AdaptiveSize,
    options?: AdaptiveMaxOptions,
  ) {
    const kinds = options === undefined ? {} : adaptiveMaxOptions;
    checkMade(new.target, given, { countsOrNulls: { outputSize } }, options, kinds);
    super();
    this.#pool = (input) => pool(input, outputSize, options);
  }

  protected run(input: AnyTensor): Results {
    return this.#pool(input);
  }
}

/** The mean of windows that give the sizes asked for; null keeps an axis. */
export class AdaptiveAvgPool1d<const V extends AdaptiveSize = AdaptiveSize> extends AdaptivePool<
  AdaptiveFlow<1, V>
> {
  constructor(outputSize: V) {
    super(adaptiveAvgPool1d, arguments, outputSize);
  }
}

/** The mean of windows that give the sizes asked for, over two axes; null keeps an axis. */
export class AdaptiveAvgPool2d<const V extends AdaptiveSize = AdaptiveSize> extends AdaptivePool<
  AdaptiveFlow<2, V>
> {
  constructor(outputSize: V) {
    super(adaptiveAvgPool2d, arguments, outputSize);
  }
}

/** The mean of windows that give the sizes asked for, over three axes; null keeps an axis. */
export class AdaptiveAvgPool3d<const V extends AdaptiveSize = AdaptiveSize> extends AdaptivePool<
  AdaptiveFlow<3, V>
> {
  constructor(outputSize: V) {
    super(adaptiveAvgPool3d, arguments, outputSize);
  }
}

/** The largest element of windows that give the sizes asked for; null keeps an axis. */
export class AdaptiveMaxPool1d<
  const V extends AdaptiveSize = AdaptiveSize,
  const O extends AdaptiveMaxOptions = NoOptions,
> extends AdaptivePool<AdaptiveMaxFlow<1, V, O>> {
  constructor(outputSize: V, options: O = {} as O) {
    super(adaptiveMaxPool1d, arguments, outputSize, options);
  }
}

/** The largest element of windows that give the sizes asked for, over two axes; null keeps an axis. */
export class AdaptiveMaxPool2d<
  const V extends AdaptiveSize = AdaptiveSize,
  const O extends AdaptiveMaxOptions = NoOptions,
> extends AdaptivePool<AdaptiveMaxFlow<2, V, O>> {
  constructor(outputSize: V, options: O = {} as O) {
    super(adaptiveMaxPool2d, arguments, outputSize, options);
  }
}

/** The largest element of windows that give the sizes asked for, over three axes; null keeps an axis. */
export class AdaptiveMaxPool3d<
  const V extends AdaptiveSize = AdaptiveSize,
  const O extends AdaptiveMaxOptions = NoOptions,
> extends AdaptivePool<AdaptiveMaxFlow<3, V, O>> {
  constructor(outputSize: V, options: O = {} as O) {
    super(adaptiveMaxPool3d, arguments, outputSize, options);
  }
}

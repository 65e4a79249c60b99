/** Pools as layers. Source: torch.nn.MaxPool1d and its kin. */
import type { AdaptedOrFail, PooledOrFail, PoolSliding } from "@fuseau/ir";
import {
  type AdaptiveSize,
  type AnyTensor,
  type AveragePoolOptions,
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  avgPool1d,
  avgPool2d,
  maxPool1d,
  maxPool2d,
  type NoOptions,
  type PoolOptions,
} from "../js.ts";
import type { DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

export interface PoolFlow<R extends number, K, O> extends Flow {
  readonly output: OfShape<PooledOrFail<ShapeIn<this>, R, PoolSliding<K, O>>, DTypeIn<this>>;
}

export interface AdaptiveFlow<R extends number, V> extends Flow {
  readonly output: OfShape<AdaptedOrFail<ShapeIn<this>, R, V>, DTypeIn<this>>;
}

type Sizes = number | readonly number[];
type Run = (input: AnyTensor) => AnyTensor;

/** One number for each window of each channel. */
abstract class Pool<F extends Flow> extends Layer<F> {
  readonly #pool: Run;

  constructor(pool: Run) {
    super();
    this.#pool = pool;
  }

  protected run(input: AnyTensor): AnyTensor {
    return this.#pool(input);
  }
}

/** As for max pools: dilation is the distance of the window's places, 1. */
export interface MaxPoolLayerOptions extends PoolOptions {
  readonly dilation?: Sizes;
}

/** The largest element of every window; the stride is the kernel's size by default. */
export class MaxPool1d<const K extends Sizes, const O extends MaxPoolLayerOptions = NoOptions> extends Pool<
  PoolFlow<1, K, O>
> {
  constructor(kernelSize: K, options: O = {} as O) {
    super((x) => maxPool1d(x, kernelSize as Sizes, options as MaxPoolLayerOptions));
  }
}

/** The largest element of every window, over two axes. */
export class MaxPool2d<const K extends Sizes, const O extends MaxPoolLayerOptions = NoOptions> extends Pool<
  PoolFlow<2, K, O>
> {
  constructor(kernelSize: K, options: O = {} as O) {
    super((x) => maxPool2d(x, kernelSize as Sizes, options as MaxPoolLayerOptions));
  }
}

/** The mean of every window. */
export class AvgPool1d<const K extends Sizes, const O extends AveragePoolOptions = NoOptions> extends Pool<
  PoolFlow<1, K, O>
> {
  constructor(kernelSize: K, options: O = {} as O) {
    super((x) => avgPool1d(x, kernelSize as Sizes, options as AveragePoolOptions));
  }
}

/** The mean of every window, over two axes. */
export class AvgPool2d<const K extends Sizes, const O extends AveragePoolOptions = NoOptions> extends Pool<
  PoolFlow<2, K, O>
> {
  constructor(kernelSize: K, options: O = {} as O) {
    super((x) => avgPool2d(x, kernelSize as Sizes, options as AveragePoolOptions));
  }
}

/** The mean of as many windows as asked for; null keeps an axis. */
export class AdaptiveAvgPool1d<const V extends AdaptiveSize> extends Pool<AdaptiveFlow<1, V>> {
  constructor(outputSize: V) {
    super((x) => adaptiveAvgPool1d(x, outputSize as AdaptiveSize));
  }
}

/** The mean of as many windows as asked for, over two axes. */
export class AdaptiveAvgPool2d<const V extends AdaptiveSize> extends Pool<AdaptiveFlow<2, V>> {
  constructor(outputSize: V) {
    super((x) => adaptiveAvgPool2d(x, outputSize as AdaptiveSize));
  }
}

/** The largest element of as many windows as asked for. */
export class AdaptiveMaxPool1d<const V extends AdaptiveSize> extends Pool<AdaptiveFlow<1, V>> {
  constructor(outputSize: V) {
    super((x) => adaptiveMaxPool1d(x, outputSize as AdaptiveSize));
  }
}

/** The largest element of as many windows as asked for, over two axes. */
export class AdaptiveMaxPool2d<const V extends AdaptiveSize> extends Pool<AdaptiveFlow<2, V>> {
  constructor(outputSize: V) {
    super((x) => adaptiveMaxPool2d(x, outputSize as AdaptiveSize));
  }
}

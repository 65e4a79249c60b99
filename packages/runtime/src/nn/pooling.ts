/** Pools as layers. Source: torch.nn.MaxPool1d and its kin. */
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
  type PoolOptions,
} from "../js.ts";
import type { Channels, DTypeIn, Flow, OfShape, ShapeIn } from "./flow.ts";
import { Layer } from "./layer.ts";

/** Channels stay; what becomes of the axes of space is left open. */
export interface PoolFlow<Space extends number[]> extends Flow {
  readonly output: OfShape<Pooled<ShapeIn<this>, Space>, DTypeIn<this>>;
}

type Pooled<S extends number[], Space extends number[]> = S extends [
  number,
  infer C extends number,
  ...number[],
]
  ? S["length"] extends [0, ...Space]["length"]
    ? [S[0], ...Space]
    : Channels<S, C, C, Space>
  : Channels<S, number, number, Space>;

type Sizes = number | readonly number[];
type Run = (input: AnyTensor) => AnyTensor;

/** One number for each window of each channel. */
abstract class Pool<Space extends number[]> extends Layer<PoolFlow<Space>> {
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
export class MaxPool1d extends Pool<[number]> {
  constructor(kernelSize: Sizes, options: MaxPoolLayerOptions = {}) {
    super((x) => maxPool1d(x, kernelSize, options));
  }
}

/** The largest element of every window, over two axes. */
export class MaxPool2d extends Pool<[number, number]> {
  constructor(kernelSize: Sizes, options: MaxPoolLayerOptions = {}) {
    super((x) => maxPool2d(x, kernelSize, options));
  }
}

/** The mean of every window. */
export class AvgPool1d extends Pool<[number]> {
  constructor(kernelSize: Sizes, options: AveragePoolOptions = {}) {
    super((x) => avgPool1d(x, kernelSize, options));
  }
}

/** The mean of every window, over two axes. */
export class AvgPool2d extends Pool<[number, number]> {
  constructor(kernelSize: Sizes, options: AveragePoolOptions = {}) {
    super((x) => avgPool2d(x, kernelSize, options));
  }
}

/** The mean of as many windows as asked for; null keeps an axis. */
export class AdaptiveAvgPool1d extends Pool<[number]> {
  constructor(outputSize: AdaptiveSize) {
    super((x) => adaptiveAvgPool1d(x, outputSize));
  }
}

/** The mean of as many windows as asked for, over two axes. */
export class AdaptiveAvgPool2d extends Pool<[number, number]> {
  constructor(outputSize: AdaptiveSize) {
    super((x) => adaptiveAvgPool2d(x, outputSize));
  }
}

/** The largest element of as many windows as asked for. */
export class AdaptiveMaxPool1d extends Pool<[number]> {
  constructor(outputSize: AdaptiveSize) {
    super((x) => adaptiveMaxPool1d(x, outputSize));
  }
}

/** The largest element of as many windows as asked for, over two axes. */
export class AdaptiveMaxPool2d extends Pool<[number, number]> {
  constructor(outputSize: AdaptiveSize) {
    super((x) => adaptiveMaxPool2d(x, outputSize));
  }
}

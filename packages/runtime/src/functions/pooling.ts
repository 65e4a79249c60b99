/** Pools. Each is the function of that name in torch.nn.functional. */

import type { DType, Sizes } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type AdaptiveSize, adaptiveAveragePool, adaptiveMaxPool } from "../ops/adaptive.ts";
import * as ops from "../ops/pooling.ts";
import { type ShapeKey, type Tensor, tensorArgument, wrap, wrapAs } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export type { AdaptiveSize } from "../ops/adaptive.ts";

/** Numbers hold for every spatial axis, lists have one for each. */
export interface PoolOptions {
  /** The kernel's size by default. */
  readonly stride?: number | readonly number[] | null;
  /** Places on either side that count as the lowest value, at most half the kernel; 0. */
  readonly padding?: number | readonly number[];
  /** Counts a last window that is partial; false. */
  readonly ceilMode?: boolean;
}

export interface MaxPoolOptions<I extends boolean = boolean> extends PoolOptions {
  /** Distance of the window's places, 1. */
  readonly dilation?: number | readonly number[];
  /** Also gives the places in the flattened spatial axes, for {@link maxUnpool2d} and its like; false. */
  readonly returnIndices?: I;
}

export interface AveragePoolOptions extends PoolOptions {
  /** Padding counts as zeros; true. */
  readonly countIncludePad?: boolean;
  /** Divides by this and not by the window's size. */
  readonly divisorOverride?: number | null;
}

export interface UnpoolOptions {
  readonly stride?: number | readonly number[] | null;
  readonly padding?: number | readonly number[];
  /** The spatial sizes, or all of them; by default those that the pool's windows fill exactly. */
  readonly outputSize?: readonly number[] | null;
}

/** Largest elements and their places. */
export interface PooledPlaces<S extends number[], D extends DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, "int64">;
}

type MaxPooled<T extends AnyTensor, I extends boolean> = I extends true
  ? PooledPlaces<Sizes<T[ShapeKey]>, T["dtype"]>
  : Tensor<Sizes<T[ShapeKey]>, T["dtype"]>;

const poolOf = (kernelSize: number | readonly number[], options: MaxPoolOptions): ops.Pool => ({
  kernelSize,
  stride: options.stride ?? null,
  padding: options.padding ?? 0,
  dilation: options.dilation ?? 1,
  ceilMode: options.ceilMode ?? false,
});

const withPlaces = <R>([values, indices]: [Value, Value | null]): R =>
  wrapAs(indices === null ? values : { values, indices });

const maxPool = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, kernelSize, { stride, padding, dilation, ceilMode, returnIndices })`,
    <T extends AnyTensor, const I extends boolean = false>(
      x: T,
      kernelSize: number | readonly number[],
      options: MaxPoolOptions<I> = {},
    ): MaxPooled<T, I> => {
      const pool = poolOf(kernelSize, options);
      const value = tensorArgument(name, "input", x);
      return withPlaces(ops.maxPool(name, rank, value, pool, options.returnIndices ?? false));
    },
  );

const averagePool = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, kernelSize, { stride, padding, ceilMode, countIncludePad, divisorOverride })`,
    <T extends AnyTensor>(
      x: T,
      kernelSize: number | readonly number[],
      options: AveragePoolOptions = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
      wrap(
        ops.averagePool(name, rank, tensorArgument(name, "input", x), {
          ...poolOf(kernelSize, options),
          countIncludePad: options.countIncludePad ?? true,
          divisorOverride: options.divisorOverride ?? null,
        }),
      ),
  );

const maxUnpool = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, indices, kernelSize, { stride, padding, outputSize })`,
    <T extends AnyTensor>(
      x: T,
      indices: AnyTensor,
      kernelSize: number | readonly number[],
      options: UnpoolOptions = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> => {
      const value = tensorArgument(name, "input", x);
      const sizes =
        options.outputSize?.slice(-rank) ?? ops.unpooledSizes(name, rank, value, poolOf(kernelSize, options));
      return wrap(ops.maxUnpool(name, rank, value, tensorArgument(name, "indices", indices), sizes));
    },
  );

const lpPool = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, normType, kernelSize, { stride, ceilMode })`,
    <T extends AnyTensor>(
      x: T,
      normType: number,
      kernelSize: number | readonly number[],
      options: Omit<PoolOptions, "padding"> = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
      wrap(ops.lpPool(name, rank, tensorArgument(name, "input", x), normType, poolOf(kernelSize, options))),
  );

const adaptiveAverage = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, outputSize)`,
    <T extends AnyTensor>(x: T, outputSize: AdaptiveSize): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> =>
      wrap(adaptiveAveragePool(name, rank, tensorArgument(name, "input", x), outputSize)),
  );

const adaptiveMax = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, outputSize, { returnIndices })`,
    <T extends AnyTensor, const I extends boolean = false>(
      x: T,
      outputSize: AdaptiveSize,
      options: { readonly returnIndices?: I } = {},
    ): MaxPooled<T, I> => {
      const value = tensorArgument(name, "input", x);
      return withPlaces(adaptiveMaxPool(name, rank, value, outputSize, options.returnIndices ?? false));
    },
  );

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over one axis; NaN wins. */
export const maxPool1d = maxPool("maxPool1d", 1);

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over two axes; NaN wins. */
export const maxPool2d = maxPool("maxPool2d", 2);

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over three axes; NaN wins. */
export const maxPool3d = maxPool("maxPool3d", 3);

/** The mean of every window of x [N, C, ...sizes] or [C, ...sizes], over one axis. */
export const avgPool1d = averagePool("avgPool1d", 1);

/** The mean of every window of x [N, C, ...sizes] or [C, ...sizes], over two axes. */
export const avgPool2d = averagePool("avgPool2d", 2);

/** The mean of every window of x [N, C, ...sizes] or [C, ...sizes], over three axes. */
export const avgPool3d = averagePool("avgPool3d", 3);

/** (Σ x^normType)^(1/normType) of every window, over one axis. */
export const lpPool1d = lpPool("lpPool1d", 1);

/** (Σ x^normType)^(1/normType) of every window, over two axes. */
export const lpPool2d = lpPool("lpPool2d", 2);

/** Elements put where `indices` say, zeros elsewhere, over one axis: what undoes a max pool as far as can be. */
export const maxUnpool1d = maxUnpool("maxUnpool1d", 1);

/** Elements put where `indices` say, zeros elsewhere, over two axes: what undoes a max pool as far as can be. */
export const maxUnpool2d = maxUnpool("maxUnpool2d", 2);

/** Elements put where `indices` say, zeros elsewhere, over three axes: what undoes a max pool as far as can be. */
export const maxUnpool3d = maxUnpool("maxUnpool3d", 3);

/** The mean of as many windows as asked for, over one axis; null keeps an axis. */
export const adaptiveAvgPool1d = adaptiveAverage("adaptiveAvgPool1d", 1);

/** The mean of as many windows as asked for, over two axes; null keeps an axis. */
export const adaptiveAvgPool2d = adaptiveAverage("adaptiveAvgPool2d", 2);

/** The mean of as many windows as asked for, over three axes; null keeps an axis. */
export const adaptiveAvgPool3d = adaptiveAverage("adaptiveAvgPool3d", 3);

/** The largest element of as many windows as asked for, over one axis; null keeps an axis. */
export const adaptiveMaxPool1d = adaptiveMax("adaptiveMaxPool1d", 1);

/** The largest element of as many windows as asked for, over two axes; null keeps an axis. */
export const adaptiveMaxPool2d = adaptiveMax("adaptiveMaxPool2d", 2);

/** The largest element of as many windows as asked for, over three axes; null keeps an axis. */
export const adaptiveMaxPool3d = adaptiveMax("adaptiveMaxPool3d", 3);

/** {@link maxPool2d} with its places. */
export const maxPool2dWithIndices = declareFunction(
  "maxPool2dWithIndices(input, kernelSize, { stride, padding, dilation, ceilMode })",
  <T extends AnyTensor>(
    x: T,
    kernelSize: number | readonly number[],
    options?: Omit<MaxPoolOptions, "returnIndices">,
  ): PooledPlaces<Sizes<T[ShapeKey]>, T["dtype"]> =>
    maxPool2d(x, kernelSize, { ...options, returnIndices: true }),
);

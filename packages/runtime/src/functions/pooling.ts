/** Pools. Each is the function of that name in torch.nn.functional. */

import type { DType, Sizes } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { type AdaptiveSize, adaptiveAveragePool, adaptiveMaxPool } from "../ops/adaptive.ts";
import * as ops from "../ops/pooling.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
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

type Pooled<T extends AnyTensor> = Tensor<Sizes<T[ShapeKey]>, T["dtype"]>;

/** Largest elements and their places. */
export interface PooledPlaces<S extends number[], D extends DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, "int64">;
}

type MaxPooled<T extends AnyTensor, I extends boolean> = I extends true
  ? PooledPlaces<Sizes<T[ShapeKey]>, T["dtype"]>
  : Pooled<T>;

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes]; NaN wins. */
export type MaxPoolFunction = <T extends AnyTensor, const I extends boolean = false>(
  x: T,
  kernelSize: number | readonly number[],
  options?: MaxPoolOptions<I>,
) => MaxPooled<T, I>;

/** The mean of every window of x [N, C, ...sizes] or [C, ...sizes]. */
export type AveragePoolFunction = <T extends AnyTensor>(
  x: T,
  kernelSize: number | readonly number[],
  options?: AveragePoolOptions,
) => Pooled<T>;

/** Elements put where `indices` say, zeros elsewhere: what undoes a max pool as far as can be. */
export type MaxUnpoolFunction = <T extends AnyTensor>(
  x: T,
  indices: AnyTensor,
  kernelSize: number | readonly number[],
  options?: UnpoolOptions,
) => Pooled<T>;

/** The mean of as many windows as asked for; null keeps an axis. */
export type AdaptiveAveragePoolFunction = <T extends AnyTensor>(x: T, outputSize: AdaptiveSize) => Pooled<T>;

/** The largest element of as many windows as asked for; null keeps an axis. */
export type AdaptiveMaxPoolFunction = <T extends AnyTensor, const I extends boolean = false>(
  x: T,
  outputSize: AdaptiveSize,
  options?: { readonly returnIndices?: I },
) => MaxPooled<T, I>;

/** (Σ x^normType)^(1/normType) of every window. */
export type LpPoolFunction = <T extends AnyTensor>(
  x: T,
  normType: number,
  kernelSize: number | readonly number[],
  options?: Omit<PoolOptions, "padding">,
) => Pooled<T>;

const poolOf = (kernelSize: number | readonly number[], options: MaxPoolOptions): ops.Pool => ({
  kernelSize,
  stride: options.stride ?? null,
  padding: options.padding ?? 0,
  dilation: options.dilation ?? 1,
  ceilMode: options.ceilMode ?? false,
});

const withPlaces = ([values, indices]: [Value, Value | null]): AnyTensor | PooledPlaces<number[], DType> =>
  indices === null
    ? wrap(values)
    : { values: wrap(values), indices: wrap(indices) as Tensor<number[], "int64"> };

function maxPool(op: string, rank: number): MaxPoolFunction {
  const run = (x: AnyTensor, kernelSize: number | readonly number[], options: MaxPoolOptions = {}) =>
    withPlaces(
      ops.maxPool(
        op,
        rank,
        tensorArgument(op, "input", x),
        poolOf(kernelSize, options),
        options.returnIndices ?? false,
      ),
    );
  return operation(op, "input, kernelSize, { stride, padding, dilation, ceilMode, returnIndices }", run);
}

function averagePool(op: string, rank: number): AveragePoolFunction {
  const run = (x: AnyTensor, kernelSize: number | readonly number[], options: AveragePoolOptions = {}) =>
    wrap(
      ops.averagePool(op, rank, tensorArgument(op, "input", x), {
        ...poolOf(kernelSize, options),
        countIncludePad: options.countIncludePad ?? true,
        divisorOverride: options.divisorOverride ?? null,
      }),
    );
  const signature = "input, kernelSize, { stride, padding, ceilMode, countIncludePad, divisorOverride }";
  return operation(op, signature, run);
}

function maxUnpool(op: string, rank: number): MaxUnpoolFunction {
  const run = (
    x: AnyTensor,
    indices: AnyTensor,
    kernelSize: number | readonly number[],
    options: UnpoolOptions = {},
  ): AnyTensor => {
    const value = tensorArgument(op, "input", x);
    const sizes =
      options.outputSize?.slice(-rank) ?? ops.unpooledSizes(op, rank, value, poolOf(kernelSize, options));
    return wrap(ops.maxUnpool(op, rank, value, tensorArgument(op, "indices", indices), sizes));
  };
  return operation(op, "input, indices, kernelSize, { stride, padding, outputSize }", run);
}

function lpPool(op: string, rank: number): LpPoolFunction {
  const run = (
    x: AnyTensor,
    normType: number,
    kernelSize: number | readonly number[],
    options: PoolOptions = {},
  ): AnyTensor =>
    wrap(ops.lpPool(op, rank, tensorArgument(op, "input", x), normType, poolOf(kernelSize, options)));
  return operation(op, "input, normType, kernelSize, { stride, ceilMode }", run);
}

function adaptiveAverage(op: string, rank: number): AdaptiveAveragePoolFunction {
  const run = (x: AnyTensor, outputSize: AdaptiveSize): AnyTensor =>
    wrap(adaptiveAveragePool(op, rank, tensorArgument(op, "input", x), outputSize));
  return operation(op, "input, outputSize", run);
}

function adaptiveMax(op: string, rank: number): AdaptiveMaxPoolFunction {
  const run = (x: AnyTensor, outputSize: AdaptiveSize, options: { readonly returnIndices?: boolean } = {}) =>
    withPlaces(
      adaptiveMaxPool(op, rank, tensorArgument(op, "input", x), outputSize, options.returnIndices ?? false),
    );
  return operation(op, "input, outputSize, { returnIndices }", run);
}

/** {@link MaxPoolFunction} over one axis. */
export const maxPool1d: MaxPoolFunction = maxPool("maxPool1d", 1);
/** {@link MaxPoolFunction} over two axes. */
export const maxPool2d: MaxPoolFunction = maxPool("maxPool2d", 2);
/** {@link MaxPoolFunction} over three axes. */
export const maxPool3d: MaxPoolFunction = maxPool("maxPool3d", 3);
/** {@link AveragePoolFunction} over one axis. */
export const avgPool1d: AveragePoolFunction = averagePool("avgPool1d", 1);
/** {@link AveragePoolFunction} over two axes. */
export const avgPool2d: AveragePoolFunction = averagePool("avgPool2d", 2);
/** {@link AveragePoolFunction} over three axes. */
export const avgPool3d: AveragePoolFunction = averagePool("avgPool3d", 3);
/** {@link LpPoolFunction} over one axis. */
export const lpPool1d: LpPoolFunction = lpPool("lpPool1d", 1);
/** {@link LpPoolFunction} over two axes. */
export const lpPool2d: LpPoolFunction = lpPool("lpPool2d", 2);
/** {@link MaxUnpoolFunction} over one axis. */
export const maxUnpool1d: MaxUnpoolFunction = maxUnpool("maxUnpool1d", 1);
/** {@link MaxUnpoolFunction} over two axes. */
export const maxUnpool2d: MaxUnpoolFunction = maxUnpool("maxUnpool2d", 2);
/** {@link MaxUnpoolFunction} over three axes. */
export const maxUnpool3d: MaxUnpoolFunction = maxUnpool("maxUnpool3d", 3);
/** {@link AdaptiveAveragePoolFunction} over one axis. */
export const adaptiveAvgPool1d: AdaptiveAveragePoolFunction = adaptiveAverage("adaptiveAvgPool1d", 1);
/** {@link AdaptiveAveragePoolFunction} over two axes. */
export const adaptiveAvgPool2d: AdaptiveAveragePoolFunction = adaptiveAverage("adaptiveAvgPool2d", 2);
/** {@link AdaptiveAveragePoolFunction} over three axes. */
export const adaptiveAvgPool3d: AdaptiveAveragePoolFunction = adaptiveAverage("adaptiveAvgPool3d", 3);
/** {@link AdaptiveMaxPoolFunction} over one axis. */
export const adaptiveMaxPool1d: AdaptiveMaxPoolFunction = adaptiveMax("adaptiveMaxPool1d", 1);
/** {@link AdaptiveMaxPoolFunction} over two axes. */
export const adaptiveMaxPool2d: AdaptiveMaxPoolFunction = adaptiveMax("adaptiveMaxPool2d", 2);
/** {@link AdaptiveMaxPoolFunction} over three axes. */
export const adaptiveMaxPool3d: AdaptiveMaxPoolFunction = adaptiveMax("adaptiveMaxPool3d", 3);

/** {@link maxPool2d} with its places. */
export const maxPool2dWithIndices: <T extends AnyTensor>(
  x: T,
  kernelSize: number | readonly number[],
  options?: Omit<MaxPoolOptions, "returnIndices">,
) => PooledPlaces<Sizes<T[ShapeKey]>, T["dtype"]> = operation(
  "maxPool2dWithIndices",
  "input, kernelSize, { stride, padding, dilation, ceilMode }",
  (x: AnyTensor, kernelSize: number | readonly number[], options?: MaxPoolOptions) =>
    maxPool2d(x, kernelSize, { ...options, returnIndices: true }),
);

/** Pools. Each is the function of that name in torch.nn.functional. */
import type {
  Accept,
  AdaptedOrFail,
  DType,
  Ok,
  OptionOf,
  PooledOrFail,
  PoolSliding,
  Sizes,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type AdaptiveSize, adaptiveAveragePool, adaptiveMaxPool } from "../ops/adaptive.ts";
import type { AveragePoolOptions, Kernel, MaxPoolOptions, PoolOptions } from "../ops/pooling.ts";
import * as ops from "../ops/pooling.ts";
import { type ShapeKey, type Tensor, unwrap, wrap, wrapAs } from "../tensor/handle.ts";
import type { AnyTensor, NoOptions } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export type { AdaptiveSize } from "../ops/adaptive.ts";
export type { AveragePoolOptions, MaxPoolOptions, PoolOptions } from "../ops/pooling.ts";

export interface AdaptiveMaxOptions {
  /** Also returns the positions in the flattened spatial axes. Default false. */
  readonly returnIndices?: boolean;
}

export interface UnpoolOptions {
  readonly stride?: number | readonly number[] | null;
  readonly padding?: number | readonly number[];
  /** The spatial sizes, or all sizes. Default: those that the pool's windows fill exactly. */
  readonly outputSize?: readonly number[] | null;
}

/** The largest elements and their positions. */
export interface PooledPlaces<S extends number[], D extends DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, "int64">;
}

/** The shape of a pool, or the message. */
type Pooled<T extends AnyTensor, R extends number, K, O> = PooledOrFail<T[ShapeKey], R, PoolSliding<K, O>>;

/** The elements, with their positions if O asks for them; both where it is not known whether it does. A message for a shape stays one. */
export type WithPlaces<S, D extends DType, O> = [S] extends [number[]]
  ? OptionOf<O, "returnIndices", false> extends infer Asked
    ? Asked extends true
      ? PooledPlaces<S, D>
      : Tensor<S, D>
    : never
  : S;

const withPlaces = <R>([values, indices]: [Value, Value | null]): R =>
  wrapAs(indices === null ? values : { values, indices });

/* @__NO_SIDE_EFFECTS__ */
const maxPool = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, kernelSize, { stride, padding, dilation, ceilMode, returnIndices })`,
    <T extends AnyTensor, const K extends Kernel, const O extends MaxPoolOptions = NoOptions>(
      x: Accept<Pooled<T, R, K, O>, T>,
      kernelSize: K,
      options?: O,
    ): WithPlaces<Ok<Pooled<T, R, K, O>>, T["dtype"], O> => {
      const given: MaxPoolOptions = options ?? {};
      return withPlaces(ops.maxPool(name, rank, unwrap(x), kernelSize, given, given.returnIndices));
    },
  );

/* @__NO_SIDE_EFFECTS__ */
const averagePool = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, kernelSize, { stride, padding, ceilMode, countIncludePad, divisorOverride })`,
    <T extends AnyTensor, const K extends Kernel, const O extends AveragePoolOptions = NoOptions>(
      x: Accept<Pooled<T, R, K, O>, T>,
      kernelSize: K,
      options?: O,
    ): Tensor<Ok<Pooled<T, R, K, O>>, T["dtype"]> => {
      return wrap(ops.averagePool(name, rank, unwrap(x), kernelSize, options ?? {}));
    },
  );

/* @__NO_SIDE_EFFECTS__ */
const maxUnpool = (name: string, rank: number) =>
  declareFunction(
    `${name}(input, indices, kernelSize, { stride, padding, outputSize })`,
    <T extends AnyTensor>(
      x: T,
      indices: AnyTensor,
      kernelSize: number | readonly number[],
      options: UnpoolOptions = {},
    ): Tensor<Sizes<T[ShapeKey]>, T["dtype"]> => {
      const value = unwrap(x);
      const sizes = ops.unpooledSizes(rank, value, kernelSize, options);
      return wrap(ops.maxUnpool(rank, value, unwrap(indices), sizes));
    },
  );

/* @__NO_SIDE_EFFECTS__ */
const lpPool = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, normType, kernelSize, { stride, ceilMode })`,
    <T extends AnyTensor, const K extends Kernel, const O extends Omit<PoolOptions, "padding"> = NoOptions>(
      x: Accept<Pooled<T, R, K, O>, T>,
      normType: number,
      kernelSize: K,
      options?: O,
    ): Tensor<Ok<Pooled<T, R, K, O>>, T["dtype"]> => {
      return wrap(ops.lpPool(name, rank, unwrap(x), normType, kernelSize, options ?? {}));
    },
  );

/* @__NO_SIDE_EFFECTS__ */
const adaptiveAverage = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, outputSize)`,
    <T extends AnyTensor, const V extends AdaptiveSize>(
      x: Accept<AdaptedOrFail<T[ShapeKey], R, V>, T>,
      outputSize: V,
    ): Tensor<Ok<AdaptedOrFail<T[ShapeKey], R, V>>, T["dtype"]> =>
      wrap(adaptiveAveragePool(rank, unwrap(x), outputSize)),
  );

/* @__NO_SIDE_EFFECTS__ */
const adaptiveMax = <const R extends number>(name: string, rank: R) =>
  declareFunction(
    `${name}(input, outputSize, { returnIndices })`,
    <T extends AnyTensor, const V extends AdaptiveSize, const O extends AdaptiveMaxOptions = NoOptions>(
      x: Accept<AdaptedOrFail<T[ShapeKey], R, V>, T>,
      outputSize: V,
      options?: O,
    ): WithPlaces<Ok<AdaptedOrFail<T[ShapeKey], R, V>>, T["dtype"], O> => {
      const { returnIndices = false }: AdaptiveMaxOptions = options ?? {};
      const value = unwrap(x);
      return withPlaces(adaptiveMaxPool(rank, value, outputSize, returnIndices));
    },
  );

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over one axis; NaN if the window has one. */
export const maxPool1d = maxPool("maxPool1d", 1);

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over two axes; NaN if the window has one. */
export const maxPool2d = maxPool("maxPool2d", 2);

/** The largest element of every window of x [N, C, ...sizes] or [C, ...sizes], over three axes; NaN if the window has one. */
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

/** Elements at the positions that `indices` name, zeros elsewhere, over one axis: the inverse of a max pool, as far as there is one. */
export const maxUnpool1d = maxUnpool("maxUnpool1d", 1);

/** Elements at the positions that `indices` name, zeros elsewhere, over two axes: the inverse of a max pool, as far as there is one. */
export const maxUnpool2d = maxUnpool("maxUnpool2d", 2);

/** Elements at the positions that `indices` name, zeros elsewhere, over three axes: the inverse of a max pool, as far as there is one. */
export const maxUnpool3d = maxUnpool("maxUnpool3d", 3);

/** The mean of windows that give the sizes asked for, over one axis; null keeps an axis. */
export const adaptiveAvgPool1d = adaptiveAverage("adaptiveAvgPool1d", 1);

/** The mean of windows that give the sizes asked for, over two axes; null keeps an axis. */
export const adaptiveAvgPool2d = adaptiveAverage("adaptiveAvgPool2d", 2);

/** The mean of windows that give the sizes asked for, over three axes; null keeps an axis. */
export const adaptiveAvgPool3d = adaptiveAverage("adaptiveAvgPool3d", 3);

/** The largest element of windows that give the sizes asked for, over one axis; null keeps an axis. */
export const adaptiveMaxPool1d = adaptiveMax("adaptiveMaxPool1d", 1);

/** The largest element of windows that give the sizes asked for, over two axes; null keeps an axis. */
export const adaptiveMaxPool2d = adaptiveMax("adaptiveMaxPool2d", 2);

/** The largest element of windows that give the sizes asked for, over three axes; null keeps an axis. */
export const adaptiveMaxPool3d = adaptiveMax("adaptiveMaxPool3d", 3);

/** {@link maxPool2d} with the positions. */
export const maxPool2dWithIndices = declareFunction(
  "maxPool2dWithIndices(input, kernelSize, { stride, padding, dilation, ceilMode })",
  <
    T extends AnyTensor,
    const K extends Kernel,
    const O extends Omit<MaxPoolOptions, "returnIndices"> = NoOptions,
  >(
    x: Accept<Pooled<T, 2, K, O>, T>,
    kernelSize: K,
    options?: O,
  ): PooledPlaces<Ok<Pooled<T, 2, K, O>>, T["dtype"]> =>
    withPlaces(ops.maxPool("maxPool2dWithIndices", 2, unwrap(x), kernelSize, options ?? {}, true)),
);

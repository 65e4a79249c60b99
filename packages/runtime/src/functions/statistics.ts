/** Statistics as functions: `quantile(x, 0.5)` is `x.quantile(0.5)`. */

import type { Axes, CheckAxes, DType, FloatResult, MeanDType, SumDType } from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type { Folded, FoldOptions, SumOptions } from "../tensor/reduction.ts";
import type {
  CovarianceOptions,
  MinMax,
  QuantileOptions,
  QuantileShape,
  Quantiles,
  ReducedAlong,
  SquareShape,
} from "../tensor/statistics.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.nansum} */
export const nansum: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("nansum");

/** {@link Tensor.nanmean} */
export const nanmean: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("nanmean");

/** {@link Tensor.aminmax} */
export const aminmax: <
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => MinMax<ReducedAlong<T[ShapeKey], A, K>, T["dtype"]> = functionOf("aminmax");

/** {@link Tensor.quantile} */
export const quantile: <
  T extends AnyTensor,
  const Q extends Quantiles,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  q: Q,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: QuantileOptions<K>,
) => Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]> = functionOf("quantile");

/** {@link Tensor.nanquantile} */
export const nanquantile: <
  T extends AnyTensor,
  const Q extends Quantiles,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  q: Q,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: QuantileOptions<K>,
) => Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]> = functionOf("nanquantile");

/** {@link Tensor.cov} */
export const cov: <T extends AnyTensor>(
  x: T,
  options?: CovarianceOptions,
) => Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> = functionOf("cov");

/** {@link Tensor.corrcoef} */
export const corrcoef: <T extends AnyTensor>(
  x: T,
) => Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> = functionOf("corrcoef");

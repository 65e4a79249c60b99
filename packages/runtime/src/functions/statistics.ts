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
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** {@link Tensor.nansum} */
export function nansum<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
export function nansum(x: AnyTensor, dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("nansum", x).nansum(dim, options);
}

/** {@link Tensor.nanmean} */
export function nanmean<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
export function nanmean(x: AnyTensor, dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("nanmean", x).nanmean(dim, options);
}

/** {@link Tensor.aminmax} */
export function aminmax<
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): MinMax<ReducedAlong<T[ShapeKey], A, K>, T["dtype"]>;
export function aminmax(x: AnyTensor, dim?: number | null, options?: FoldOptions): MinMax<number[], DType> {
  return receiver("aminmax", x).aminmax(dim, options);
}

/** {@link Tensor.quantile} */
export function quantile<
  T extends AnyTensor,
  const Q extends Quantiles,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  q: Q,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: QuantileOptions<K>,
): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]>;
export function quantile(
  x: AnyTensor,
  q: Quantiles,
  dim?: number | null,
  options?: QuantileOptions,
): AnyTensor {
  return receiver("quantile", x).quantile(q, dim, options);
}

/** {@link Tensor.nanquantile} */
export function nanquantile<
  T extends AnyTensor,
  const Q extends Quantiles,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  q: Q,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: QuantileOptions<K>,
): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]>;
export function nanquantile(
  x: AnyTensor,
  q: Quantiles,
  dim?: number | null,
  options?: QuantileOptions,
): AnyTensor {
  return receiver("nanquantile", x).nanquantile(q, dim, options);
}

/** {@link Tensor.cov} */
export function cov<T extends AnyTensor>(
  x: T,
  options?: CovarianceOptions,
): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> {
  return receiver("cov", x).cov(options);
}

/** {@link Tensor.corrcoef} */
export function corrcoef<T extends AnyTensor>(
  x: T,
): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> {
  return receiver("corrcoef", x).corrcoef();
}

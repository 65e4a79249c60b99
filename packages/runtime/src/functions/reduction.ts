/** The reductions as functions: `sum(x, 0)` is `x.sum(0)`. */
import type { Axes, CheckAxes, DType, FloatResult, MeanDType, SumDType, TruthDType } from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type {
  CheckExtreme,
  ExtremeResult,
  Extremes,
  Folded,
  FoldOptions,
  SumOptions,
  VarianceOptions,
} from "../tensor/reduction.ts";
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** {@link Tensor.sum} */
export function sum<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
export function sum(x: AnyTensor, dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("sum", x).sum(dim, options);
}

/** {@link Tensor.prod} */
export function prod<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
export function prod(x: AnyTensor, dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("prod", x).prod(dim, options);
}

/** {@link Tensor.mean} */
export function mean<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
export function mean(x: AnyTensor, dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("mean", x).mean(dim, options);
}

/** {@link Tensor.amax} */
export function amax<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): Folded<T, A, K, T["dtype"]>;
export function amax(x: AnyTensor, dim?: Axes, options?: FoldOptions): AnyTensor {
  return receiver("amax", x).amax(dim, options);
}

/** {@link Tensor.amin} */
export function amin<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): Folded<T, A, K, T["dtype"]>;
export function amin(x: AnyTensor, dim?: Axes, options?: FoldOptions): AnyTensor {
  return receiver("amin", x).amin(dim, options);
}

/** {@link Tensor.argmax} */
export function argmax<
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: FoldOptions<K>): Folded<T, A, K, "int64">;
export function argmax(x: AnyTensor, dim?: number | null, options?: FoldOptions): AnyTensor {
  return receiver("argmax", x).argmax(dim, options);
}

/** {@link Tensor.argmin} */
export function argmin<
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(x: T, dim?: CheckAxes<T[ShapeKey], A>, options?: FoldOptions<K>): Folded<T, A, K, "int64">;
export function argmin(x: AnyTensor, dim?: number | null, options?: FoldOptions): AnyTensor {
  return receiver("argmin", x).argmin(dim, options);
}

/** {@link Tensor.any} */
export function any<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): Folded<T, A, K, TruthDType<T["dtype"]>>;
export function any(x: AnyTensor, dim?: Axes, options?: FoldOptions): AnyTensor {
  return receiver("any", x).any(dim, options);
}

/** {@link Tensor.all} */
export function all<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): Folded<T, A, K, TruthDType<T["dtype"]>>;
export function all(x: AnyTensor, dim?: Axes, options?: FoldOptions): AnyTensor {
  return receiver("all", x).all(dim, options);
}

/** {@link Tensor.var}, which is a reserved word */
export function variance<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
): Folded<T, A, K, MeanDType<T["dtype"]>>;
export function variance(x: AnyTensor, dim?: Axes, options?: VarianceOptions): AnyTensor {
  return receiver("var", x).var(dim, options);
}

/** {@link Tensor.std} */
export function std<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
): Folded<T, A, K, MeanDType<T["dtype"]>>;
export function std(x: AnyTensor, dim?: Axes, options?: VarianceOptions): AnyTensor {
  return receiver("std", x).std(dim, options);
}

/** {@link Tensor.varMean} */
export function varMean<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
): [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>];
export function varMean(x: AnyTensor, dim?: Axes, options?: VarianceOptions): [AnyTensor, AnyTensor] {
  return receiver("varMean", x).varMean(dim, options);
}

/** {@link Tensor.stdMean} */
export function stdMean<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
): [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>];
export function stdMean(x: AnyTensor, dim?: Axes, options?: VarianceOptions): [AnyTensor, AnyTensor] {
  return receiver("stdMean", x).stdMean(dim, options);
}

/** {@link Tensor.max} */
export function max<
  T extends AnyTensor,
  const A extends number | null | AnyTensor = null,
  const K extends boolean = false,
>(x: T, dim?: CheckExtreme<T, A>, options?: FoldOptions<K>): ExtremeResult<T, A, K>;
export function max(
  x: AnyTensor,
  dim?: number | null | AnyTensor,
  options?: FoldOptions,
): AnyTensor | Extremes<number[], DType> {
  return receiver("max", x).max(dim, options);
}

/** {@link Tensor.min} */
export function min<
  T extends AnyTensor,
  const A extends number | null | AnyTensor = null,
  const K extends boolean = false,
>(x: T, dim?: CheckExtreme<T, A>, options?: FoldOptions<K>): ExtremeResult<T, A, K>;
export function min(
  x: AnyTensor,
  dim?: number | null | AnyTensor,
  options?: FoldOptions,
): AnyTensor | Extremes<number[], DType> {
  return receiver("min", x).min(dim, options);
}

/** {@link Tensor.norm} */
export function norm<
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(
  x: T,
  p?: number | "fro",
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
): Folded<T, A, K, NoInfer<D>>;
export function norm(x: AnyTensor, p?: number | "fro", dim?: Axes, options?: SumOptions): AnyTensor {
  return receiver("norm", x).norm(p, dim, options);
}

/** {@link Tensor.logsumexp} */
export function logsumexp<T extends AnyTensor, const A extends Axes, const K extends boolean = false>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
): Folded<T, A, K, FloatResult<T["dtype"]>>;
export function logsumexp(x: AnyTensor, dim: Axes, options?: FoldOptions): AnyTensor {
  return receiver("logsumexp", x).logsumexp(dim, options);
}

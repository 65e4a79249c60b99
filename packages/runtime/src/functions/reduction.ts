/** The reductions as functions: `sum(x, 0)` is `x.sum(0)`. */

import type { Axes, CheckAxes, DType, FloatResult, MeanDType, SumDType, TruthDType } from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type {
  CheckExtreme,
  ExtremeResult,
  Folded,
  FoldOptions,
  SumOptions,
  VarianceOptions,
} from "../tensor/reduction.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.sum} */
export const sum: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("sum");

/** {@link Tensor.prod} */
export const prod: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = SumDType<T["dtype"]>,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("prod");

/** {@link Tensor.mean} */
export const mean: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("mean");

/** {@link Tensor.amax} */
export const amax: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, T["dtype"]> = functionOf("amax");

/** {@link Tensor.amin} */
export const amin: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, T["dtype"]> = functionOf("amin");

/** {@link Tensor.argmax} */
export const argmax: <
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, "int64"> = functionOf("argmax");

/** {@link Tensor.argmin} */
export const argmin: <
  T extends AnyTensor,
  const A extends number | null = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, "int64"> = functionOf("argmin");

/** {@link Tensor.any} */
export const any: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, TruthDType<T["dtype"]>> = functionOf("any");

/** {@link Tensor.all} */
export const all: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, TruthDType<T["dtype"]>> = functionOf("all");

/** {@link Tensor.var}, which is a reserved word */
export const variance: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
) => Folded<T, A, K, MeanDType<T["dtype"]>> = functionOf("var");

/** {@link Tensor.std} */
export const std: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
) => Folded<T, A, K, MeanDType<T["dtype"]>> = functionOf("std");

/** {@link Tensor.varMean} */
export const varMean: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
) => [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>] = functionOf("varMean");

/** {@link Tensor.stdMean} */
export const stdMean: <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
  x: T,
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: VarianceOptions<K>,
) => [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>] = functionOf("stdMean");

/** {@link Tensor.max} */
export const max: <
  T extends AnyTensor,
  const A extends number | null | AnyTensor = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckExtreme<T, A>,
  options?: FoldOptions<K>,
) => ExtremeResult<T, A, K> = functionOf("max");

/** {@link Tensor.min} */
export const min: <
  T extends AnyTensor,
  const A extends number | null | AnyTensor = null,
  const K extends boolean = false,
>(
  x: T,
  dim?: CheckExtreme<T, A>,
  options?: FoldOptions<K>,
) => ExtremeResult<T, A, K> = functionOf("min");

/** {@link Tensor.norm} */
export const norm: <
  T extends AnyTensor,
  const A extends Axes = null,
  const K extends boolean = false,
  D extends DType = MeanDType<T["dtype"]>,
>(
  x: T,
  p?: number | "fro",
  dim?: CheckAxes<T[ShapeKey], A>,
  options?: SumOptions<K, D>,
) => Folded<T, A, K, NoInfer<D>> = functionOf("norm");

/** {@link Tensor.logsumexp} */
export const logsumexp: <T extends AnyTensor, const A extends Axes, const K extends boolean = false>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: FoldOptions<K>,
) => Folded<T, A, K, FloatResult<T["dtype"]>> = functionOf("logsumexp");

/** Softmax and its kin, layer norm, and products as functions: `matmul(a, b)` is `a.matmul(b)`. */

import type { CheckAxes, DType, Matmul, MeanDType, SizeAt } from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type { DTypeOptions, LayerNormOptions } from "../tensor/normalization.ts";
import type { FitsProduct } from "../tensor/product.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, Same } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.softmax} */
export const softmax: <T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
) => Tensor<T[ShapeKey], NoInfer<D>> = functionOf("softmax");

/** {@link Tensor.logSoftmax} */
export const logSoftmax: <
  T extends AnyTensor,
  const A extends number,
  D extends DType = MeanDType<T["dtype"]>,
>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
) => Tensor<T[ShapeKey], NoInfer<D>> = functionOf("logSoftmax");

/** {@link Tensor.softmin} */
export const softmin: <T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
) => Tensor<T[ShapeKey], NoInfer<D>> = functionOf("softmin");

/** {@link Tensor.layerNorm} */
export const layerNorm: <T extends AnyTensor>(
  x: T,
  normalizedShape: readonly number[],
  options?: LayerNormOptions,
) => Same<T> = functionOf("layerNorm");

/** {@link Tensor.matmul} */
export const matmul: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("matmul");

/** {@link Tensor.mm} */
export const mm: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("mm");

/** {@link Tensor.bmm} */
export const bmm: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("bmm");

/** {@link Tensor.mv} */
export const mv: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("mv");

/** {@link Tensor.dot} */
export const dot: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("dot");

/** {@link Tensor.outer} */
export const outer: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
) => Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], PairDType<A, B>> = functionOf("outer");

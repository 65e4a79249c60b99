/** Softmax and its kin, layer norm, and products as functions: `matmul(a, b)` is `a.matmul(b)`. */
import type { CheckAxes, DType, Matmul, MeanDType, SizeAt } from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type { DTypeOptions, LayerNormOptions } from "../tensor/normalization.ts";
import type { FitsProduct } from "../tensor/product.ts";
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, Same } from "../tensor/types.ts";

/** {@link Tensor.softmax} */
export function softmax<T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
export function softmax(x: AnyTensor, dim: number, options?: DTypeOptions): AnyTensor {
  return receiver("softmax", x).softmax(dim, options);
}

/** {@link Tensor.logSoftmax} */
export function logSoftmax<
  T extends AnyTensor,
  const A extends number,
  D extends DType = MeanDType<T["dtype"]>,
>(x: T, dim: CheckAxes<T[ShapeKey], A>, options?: DTypeOptions<D>): Tensor<T[ShapeKey], NoInfer<D>>;
export function logSoftmax(x: AnyTensor, dim: number, options?: DTypeOptions): AnyTensor {
  return receiver("logSoftmax", x).logSoftmax(dim, options);
}

/** {@link Tensor.softmin} */
export function softmin<T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
  x: T,
  dim: CheckAxes<T[ShapeKey], A>,
  options?: DTypeOptions<D>,
): Tensor<T[ShapeKey], NoInfer<D>>;
export function softmin(x: AnyTensor, dim: number, options?: DTypeOptions): AnyTensor {
  return receiver("softmin", x).softmin(dim, options);
}

/** {@link Tensor.layerNorm} */
export function layerNorm<T extends AnyTensor>(
  x: T,
  normalizedShape: readonly number[],
  options?: LayerNormOptions,
): Same<T> {
  return receiver("layerNorm", x).layerNorm(normalizedShape, options);
}

/** {@link Tensor.matmul} */
export function matmul<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]>;
export function matmul(a: AnyTensor, b: AnyTensor): AnyTensor {
  return receiver("matmul", a).matmul(b);
}

/** {@link Tensor.mm} */
export function mm<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]>;
export function mm(a: AnyTensor, b: AnyTensor): AnyTensor {
  return receiver("mm", a).mm(b);
}

/** {@link Tensor.bmm} */
export function bmm<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]>;
export function bmm(a: AnyTensor, b: AnyTensor): AnyTensor {
  return receiver("bmm", a).bmm(b);
}

/** {@link Tensor.mv} */
export function mv<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]>;
export function mv(a: AnyTensor, b: AnyTensor): AnyTensor {
  return receiver("mv", a).mv(b);
}

/** {@link Tensor.dot} */
export function dot<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]>;
export function dot(a: AnyTensor, b: AnyTensor): AnyTensor {
  return receiver("dot", a).dot(b);
}

/** {@link Tensor.outer} */
export function outer<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
): Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], PairDType<A, B>> {
  return receiver("outer", a).outer(b);
}

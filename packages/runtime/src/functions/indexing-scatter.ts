/** Scatters as functions: `scatterAdd(x, 0, index, source)` is `x.scatterAdd(0, index, source)`. */
import type { Accept, IndexSelectOrFail } from "@fuseau/ir";
import type { Reduction } from "../ops/scatter.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { AccumulateOptions } from "../tensor/indexing.ts";
import type { CheckScatter } from "../tensor/indexing-types.ts";
import type { IndexAddOptions, ScatterOptions, ScatterReduceOptions } from "../tensor/scatter.ts";
import { receiver } from "../tensor/tensor.ts";
import type { AnyTensor, Operand, Same } from "../tensor/types.ts";

/** {@link Tensor.scatter} */
export function scatter<
  T extends AnyTensor,
  const A extends number,
  I extends AnyTensor,
  const B extends Operand,
>(x: T, dim: A, index: I, source: CheckScatter<T, A, I, B>, options?: ScatterOptions): Same<T>;
export function scatter(
  x: AnyTensor,
  dim: number,
  index: AnyTensor,
  source: Operand,
  options?: ScatterOptions,
): AnyTensor {
  return receiver("scatter", x).scatter(dim, index, source, options);
}

/** {@link Tensor.scatterAdd} */
export function scatterAdd<
  T extends AnyTensor,
  const A extends number,
  I extends AnyTensor,
  B extends AnyTensor,
>(x: T, dim: A, index: I, source: CheckScatter<T, A, I, B>): Same<T>;
export function scatterAdd(x: AnyTensor, dim: number, index: AnyTensor, source: AnyTensor): AnyTensor {
  return receiver("scatterAdd", x).scatterAdd(dim, index, source);
}

/** {@link Tensor.scatterReduce} */
export function scatterReduce<
  T extends AnyTensor,
  const A extends number,
  I extends AnyTensor,
  B extends AnyTensor,
>(
  x: T,
  dim: A,
  index: I,
  source: CheckScatter<T, A, I, B>,
  reduce: Reduction,
  options?: ScatterReduceOptions,
): Same<T>;
export function scatterReduce(
  x: AnyTensor,
  dim: number,
  index: AnyTensor,
  source: AnyTensor,
  reduce: Reduction,
  options?: ScatterReduceOptions,
): AnyTensor {
  return receiver("scatterReduce", x).scatterReduce(dim, index, source, reduce, options);
}

/** {@link Tensor.indexAdd} */
export function indexAdd<T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
  options?: IndexAddOptions,
): Same<T>;
export function indexAdd(
  x: AnyTensor,
  dim: number,
  index: AnyTensor,
  source: AnyTensor,
  options?: IndexAddOptions,
): AnyTensor {
  return receiver("indexAdd", x).indexAdd(dim, index, source, options);
}

/** {@link Tensor.indexCopy} */
export function indexCopy<T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
): Same<T>;
export function indexCopy(x: AnyTensor, dim: number, index: AnyTensor, source: AnyTensor): AnyTensor {
  return receiver("indexCopy", x).indexCopy(dim, index, source);
}

/** {@link Tensor.indexFill} */
export function indexFill<T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  value: Operand,
): Same<T>;
export function indexFill(x: AnyTensor, dim: number, index: AnyTensor, value: Operand): AnyTensor {
  return receiver("indexFill", x).indexFill(dim, index, value);
}

/** {@link Tensor.indexReduce} */
export function indexReduce<T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
  reduce: Exclude<Reduction, "sum">,
  options?: ScatterReduceOptions,
): Same<T>;
export function indexReduce(
  x: AnyTensor,
  dim: number,
  index: AnyTensor,
  source: AnyTensor,
  reduce: Exclude<Reduction, "sum">,
  options?: ScatterReduceOptions,
): AnyTensor {
  return receiver("indexReduce", x).indexReduce(dim, index, source, reduce, options);
}

/** {@link Tensor.put} */
export function put<T extends AnyTensor>(
  x: T,
  index: AnyTensor,
  source: AnyTensor,
  options?: AccumulateOptions,
): Same<T> {
  return receiver("put", x).put(index, source, options);
}

/** {@link Tensor.selectScatter} */
export function selectScatter<T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  dim: number,
  index: number,
): Same<T> {
  return receiver("selectScatter", x).selectScatter(source, dim, index);
}

/** {@link Tensor.sliceScatter} */
export function sliceScatter<T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  dim?: number,
  start?: number | null,
  end?: number | null,
  step?: number,
): Same<T> {
  return receiver("sliceScatter", x).sliceScatter(source, dim, start, end, step);
}

/** {@link Tensor.diagonalScatter} */
export function diagonalScatter<T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  offset?: number,
  dim1?: number,
  dim2?: number,
): Same<T> {
  return receiver("diagonalScatter", x).diagonalScatter(source, offset, dim1, dim2);
}

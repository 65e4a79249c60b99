/** Scatters as functions: `scatterAdd(x, 0, index, source)` is `x.scatterAdd(0, index, source)`. */

import type { Accept, IndexSelectOrFail } from "@fuseau/ir";
import type { Reduction } from "../ops/scatter.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { AccumulateOptions } from "../tensor/indexing.ts";
import type { CheckScatter } from "../tensor/indexing-types.ts";
import type { IndexAddOptions, ScatterOptions, ScatterReduceOptions } from "../tensor/scatter.ts";
import type { AnyTensor, Operand, Same } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.scatter} */
export const scatter: <
  T extends AnyTensor,
  const A extends number,
  I extends AnyTensor,
  const B extends Operand,
>(
  x: T,
  dim: A,
  index: I,
  source: CheckScatter<T, A, I, B>,
  options?: ScatterOptions,
) => Same<T> = functionOf("scatter");

/** {@link Tensor.scatterAdd} */
export const scatterAdd: <
  T extends AnyTensor,
  const A extends number,
  I extends AnyTensor,
  B extends AnyTensor,
>(
  x: T,
  dim: A,
  index: I,
  source: CheckScatter<T, A, I, B>,
) => Same<T> = functionOf("scatterAdd");

/** {@link Tensor.scatterReduce} */
export const scatterReduce: <
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
) => Same<T> = functionOf("scatterReduce");

/** {@link Tensor.indexAdd} */
export const indexAdd: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
  options?: IndexAddOptions,
) => Same<T> = functionOf("indexAdd");

/** {@link Tensor.indexCopy} */
export const indexCopy: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
) => Same<T> = functionOf("indexCopy");

/** {@link Tensor.indexFill} */
export const indexFill: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  value: Operand,
) => Same<T> = functionOf("indexFill");

/** {@link Tensor.indexReduce} */
export const indexReduce: <T extends AnyTensor, const A extends number, I extends AnyTensor>(
  x: T,
  dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
  index: I,
  source: AnyTensor,
  reduce: Exclude<Reduction, "sum">,
  options?: ScatterReduceOptions,
) => Same<T> = functionOf("indexReduce");

/** {@link Tensor.put} */
export const put: <T extends AnyTensor>(
  x: T,
  index: AnyTensor,
  source: AnyTensor,
  options?: AccumulateOptions,
) => Same<T> = functionOf("put");

/** {@link Tensor.selectScatter} */
export const selectScatter: <T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  dim: number,
  index: number,
) => Same<T> = functionOf("selectScatter");

/** {@link Tensor.sliceScatter} */
export const sliceScatter: <T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  dim?: number,
  start?: number | null,
  end?: number | null,
  step?: number,
) => Same<T> = functionOf("sliceScatter");

/** {@link Tensor.diagonalScatter} */
export const diagonalScatter: <T extends AnyTensor>(
  x: T,
  source: AnyTensor,
  offset?: number,
  dim1?: number,
  dim2?: number,
) => Same<T> = functionOf("diagonalScatter");

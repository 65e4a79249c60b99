/** Sums of products over axes that the call names, and products of many matrices. */
import { declareFunction } from "../declare/declaration.ts";
import { einsum as einsumOf } from "../ops/einsum.ts";
import * as ops from "../ops/linear.ts";
import { multiDot as multiDotOf } from "../ops/powers.ts";
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairDType } from "../tensor/types.ts";
import { valuesOf } from "./lists.ts";

/** Σ a·b along `dim` (−1), broadcast (PyTorch: `linalg.vecdot`). */
export const vecdot = declareFunction(
  "vecdot(a, b, { dim })",
  <const A extends AnyTensor, const B extends AnyTensor>(
    a: A,
    b: B,
    options?: { readonly dim?: number },
  ): Tensor<number[], PairDType<A, B>> => wrap(ops.vecdot(unwrap(a), unwrap(b), options?.dim ?? -1)),
);

/**
 * Sums products along axes: the last `dims` (2) of `a` with the first of `b`, or `[axes of a, axes of b]`.
 * @throws ShapeError when their sizes differ.
 */
export const tensordot = declareFunction(
  "tensordot(a, b, dims)",
  <const A extends AnyTensor, const B extends AnyTensor>(
    a: A,
    b: B,
    dims: number | readonly [readonly number[], readonly number[]] = 2,
  ): Tensor<number[], A["dtype"]> => wrap(ops.tensordot(unwrap(a), unwrap(b), dims)),
);

/**
 * A sum of products by Einstein's convention: `einsum("ij,jk->ik", a, b)` is `a.mm(b)`. A letter names an axis, and is summed when
 * the output lacks it. A letter twice in an operand is its diagonal. `...` stands for the other axes, which broadcast. Without an
 * arrow the output has the letters that occur once, in alphabetical order.
 * @throws ShapeError for an equation that does not fit the operands.
 */
export const einsum = declareFunction(
  "einsum(equation, ...operands)",
  <const L extends readonly AnyTensor[]>(
    equation: string,
    ...operands: L
  ): Tensor<number[], L[number]["dtype"]> => {
    const list: readonly AnyTensor[] =
      operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands;
    return wrap(einsumOf(equation, list.map(unwrap)));
  },
);

/** The product of several matrices in the order that multiplies least; the first and the last may be vectors. */
export const multiDot = declareFunction(
  "multiDot(tensors)",
  <const L extends readonly AnyTensor[]>(tensors: L): Tensor<number[], L[number]["dtype"]> =>
    wrap(multiDotOf(valuesOf(tensors))),
);

/** {@link multiDot} of the arguments. */
export const chainMatmul = declareFunction(
  "chainMatmul(...tensors)",
  <const L extends readonly AnyTensor[]>(...tensors: L): Tensor<number[], L[number]["dtype"]> =>
    multiDot(tensors),
);

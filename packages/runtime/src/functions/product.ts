/** Sums of products as functions: `addmm(x, a, b)` is `x.addmm(a, b)`; and those that are no tensor's method. */

import type { Matmul, SizeAt, SumDType, TransposeMatrix, UnknownRank } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { attention } from "../ops/attention.ts";
import { einsum as einsumOf } from "../ops/einsum.ts";
import * as ops from "../ops/linear.ts";
import { multiDot as multiDotOf } from "../ops/powers.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { AddProductOptions, Inner } from "../tensor/linear.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { FitsProduct } from "../tensor/product.ts";
import { receiver, type Tensor, tensorArgument, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, PairShape, Same } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.inner} */
export const inner: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
) => Tensor<Inner<A[ShapeKey], B[ShapeKey]>, PairDType<A, B>> = functionOf("inner");

/** {@link Tensor.vdot} */
export const vdot: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: FitsProduct<A, B>,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = functionOf("vdot");

/** {@link Tensor.addmm} */
export const addmm: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  mat1: A,
  mat2: FitsProduct<A, B>,
  options?: AddProductOptions,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> = functionOf("addmm");

/** {@link Tensor.addmv} */
export const addmv: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  mat: A,
  vec: FitsProduct<A, B>,
  options?: AddProductOptions,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> = functionOf("addmv");

/** {@link Tensor.baddbmm} */
export const baddbmm: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  batch1: A,
  batch2: FitsProduct<A, B>,
  options?: AddProductOptions,
) => Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> = functionOf("baddbmm");

/** {@link Tensor.addbmm} */
export const addbmm: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  batch1: A,
  batch2: B,
  options?: AddProductOptions,
) => Tensor<[SizeAt<A[ShapeKey], 1>, SizeAt<B[ShapeKey], 2>], T["dtype"]> = functionOf("addbmm");

/** {@link Tensor.addr} */
export const addr: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  vec1: A,
  vec2: B,
  options?: AddProductOptions,
) => Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], T["dtype"]> = functionOf("addr");

/** {@link Tensor.kron} */
export const kron: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
) => Tensor<number[], PairDType<A, B>> = functionOf("kron");

/** {@link Tensor.trace} */
export const trace: <T extends AnyTensor>(x: T) => Tensor<[], SumDType<T["dtype"]>> = functionOf("trace");

/** {@link Tensor.cross} */
export const cross: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
  dim?: number | null,
) => Tensor<PairShape<A, B>, PairDType<A, B>> = functionOf("cross");

/** {@link Tensor.matrixPower} */
export const matrixPower: <T extends AnyTensor>(x: T, n: number) => Same<T> = functionOf("matrixPower");

/** Σ a·b along `dim` (−1), broadcast (PyTorch: `linalg.vecdot`). */
export const vecdot: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
  options?: { readonly dim?: number },
) => Tensor<number[], PairDType<A, B>> = operation(
  "vecdot",
  "a, b, { dim }",
  (a: AnyTensor, b: AnyTensor, options: { readonly dim?: number } = {}): AnyTensor =>
    wrap(ops.vecdot(tensorArgument("vecdot", "x", a), tensorArgument("vecdot", "y", b), options.dim ?? -1)),
);

/**
 * Sums products along axes: the last `dims` (2) of `a` with the first of `b`, or `[axes of a, axes of b]`.
 * @throws ShapeError when their sizes differ.
 */
export const tensordot: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
  dims?: number | readonly [readonly number[], readonly number[]],
) => Tensor<number[], A["dtype"]> = operation(
  "tensordot",
  "a, b, dims",
  (
    a: AnyTensor,
    b: AnyTensor,
    dims: number | readonly [readonly number[], readonly number[]] = 2,
  ): AnyTensor =>
    wrap(ops.tensordot(tensorArgument("tensordot", "a", a), tensorArgument("tensordot", "b", b), dims)),
);

/**
 * A sum of products by Einstein's convention: `einsum("ij,jk->ik", a, b)` is `a.mm(b)`. A letter names an axis, and is summed
 * when the output lacks it; `...` stands for the other axes, which broadcast; a letter twice in an operand is its diagonal.
 * Without an arrow the output has the letters that occur once, in alphabetical order.
 * @throws ShapeError for an equation that does not fit the operands.
 */
export const einsum: <const L extends readonly AnyTensor[]>(
  equation: string,
  ...operands: L
) => Tensor<number[], L[number]["dtype"]> = operation(
  "einsum",
  "equation, ...operands",
  (equation: string, ...operands: readonly AnyTensor[]): AnyTensor => {
    const list =
      operands.length === 1 && Array.isArray(operands[0]) ? (operands[0] as AnyTensor[]) : operands;
    return wrap(
      einsumOf(
        equation,
        list.map((x, k) => tensorArgument("einsum", `operands[${k}]`, x)),
      ),
    );
  },
);

/** The product of several matrices in the order that multiplies least; the first and the last may be vectors. */
export const multiDot: <const L extends readonly AnyTensor[]>(
  tensors: L,
) => Tensor<number[], L[number]["dtype"]> = operation(
  "multiDot",
  "tensors",
  (tensors: readonly AnyTensor[]): AnyTensor =>
    wrap(multiDotOf(tensors.map((x, k) => tensorArgument("multiDot", `tensors[${k}]`, x)))),
);

/** {@link multiDot} of the arguments. */
export const chainMatmul: <const L extends readonly AnyTensor[]>(
  ...tensors: L
) => Tensor<number[], L[number]["dtype"]> = operation(
  "chainMatmul",
  "...tensors",
  (...tensors: readonly AnyTensor[]) => multiDot(tensors),
);

/** x × weightᵀ. */
export type LinearShape<S extends number[], W extends number[]> =
  UnknownRank<W> extends true ? number[] : Matmul<S, TransposeMatrix<W>>;

/** x·weightᵀ + bias: the last axis of x from `in` to `out`; `weight` is [out, in], `bias` [out]. */
export const linear: <const T extends AnyTensor, const W extends AnyTensor>(
  x: T,
  weight: W,
  bias?: AnyTensor | null,
) => Tensor<LinearShape<T[ShapeKey], W[ShapeKey]>, T["dtype"]> = operation(
  "linear",
  "input, weight, bias",
  (x: AnyTensor, weight: AnyTensor, bias?: AnyTensor | null): AnyTensor =>
    wrap(
      ops.linear(
        unwrap(receiver("linear", x)),
        tensorArgument("linear", "weight", weight),
        optionalTensor("linear", "bias", bias),
      ),
    ),
);

/** Σ input1[i]·weight[o, i, j]·input2[j] + bias[o], along the last axes. */
export const bilinear: <const T extends AnyTensor>(
  input1: T,
  input2: AnyTensor,
  weight: AnyTensor,
  bias?: AnyTensor | null,
) => Tensor<number[], T["dtype"]> = operation(
  "bilinear",
  "input1, input2, weight, bias",
  (input1: AnyTensor, input2: AnyTensor, weight: AnyTensor, bias?: AnyTensor | null): AnyTensor =>
    wrap(
      ops.bilinear(
        tensorArgument("bilinear", "input1", input1),
        tensorArgument("bilinear", "input2", input2),
        tensorArgument("bilinear", "weight", weight),
        optionalTensor("bilinear", "bias", bias),
      ),
    ),
);

export interface AttentionOptions {
  /** A bool mask keeps where it is true; a floating one is added to the scores. */
  readonly attnMask?: AnyTensor | null;
  /** No query sees a later key. */
  readonly isCausal?: boolean;
  /** 1 / √(size of a query) by default. */
  readonly scale?: number | null;
}

/** softmax(query·keyᵀ·scale + mask)·value over the last two axes; leading axes broadcast. */
export const scaledDotProductAttention: <const Q extends AnyTensor>(
  query: Q,
  key: AnyTensor,
  value: AnyTensor,
  options?: AttentionOptions,
) => Tensor<number[], Q["dtype"]> = operation(
  "scaledDotProductAttention",
  "query, key, value, { attnMask, isCausal, scale }",
  (query: AnyTensor, key: AnyTensor, value: AnyTensor, options: AttentionOptions = {}): AnyTensor => {
    const op = "scaledDotProductAttention";
    return wrap(
      attention(
        tensorArgument(op, "query", query),
        tensorArgument(op, "key", key),
        tensorArgument(op, "value", value),
        optionalTensor(op, "attnMask", options.attnMask),
        options.isCausal ?? false,
        options.scale ?? null,
      ),
    );
  },
);

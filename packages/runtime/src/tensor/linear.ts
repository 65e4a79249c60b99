import type { Matmul, Scalar, SizeAt, SumDType, UnknownRank } from "@fuseau/ir";
import * as distances from "../ops/distance.ts";
import * as ops from "../ops/linear.ts";
import { checkTerm } from "../ops/operand.ts";
import { matrixPower } from "../ops/powers.ts";
import { dot } from "../ops/product.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { FitsProduct } from "./product.ts";
import type { AnyTensor, Erased, PairDType, PairShape, Same } from "./types.ts";

/** result = beta·x + alpha·product; both 1 by default. With beta 0, x is not read, and its NaN stays out. */
export interface AddProductOptions {
  readonly beta?: Scalar;
  readonly alpha?: Scalar;
}

/** All but the last axis of each, one after the other. */
export type Inner<A extends number[], B extends number[]> = [UnknownRank<A>, UnknownRank<B>] extends [
  false,
  false,
]
  ? A extends [...infer Rows extends number[], number]
    ? B extends [...infer Columns extends number[], number]
      ? [...Rows, ...Columns]
      : A
    : B
  : number[];

type ProductOf<T extends AnyTensor, A extends AnyTensor, B extends AnyTensor> = Tensor<
  Matmul<A[ShapeKey], B[ShapeKey]>,
  T["dtype"]
>;

/**
 * Sums of products, added to what is there or shaped anew. Each is PyTorch's op of the same name.
 * @throws ShapeError when sizes do not meet, DTypeError for different dtypes.
 */
export interface LinearMethods {
  /** Σ x·other along the last axes of both. */
  inner<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: B,
  ): Tensor<Inner<T[ShapeKey], B[ShapeKey]>, PairDType<T, B>>;
  /** {@link Tensor.dot}, for there are no complex numbers here. */
  vdot<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: FitsProduct<T, B>,
  ): Tensor<Matmul<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;
  /** beta·x + alpha·(mat1 × mat2). */
  addmm<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    mat1: A,
    mat2: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): ProductOf<T, A, B>;
  /** beta·x + alpha·(mat × vec). */
  addmv<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    mat: A,
    vec: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): ProductOf<T, A, B>;
  /** beta·x + alpha·(batch1 × batch2), batch by batch. */
  baddbmm<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    batch1: A,
    batch2: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): ProductOf<T, A, B>;
  /** beta·x + alpha·Σ (batch1 × batch2), summed over the batch. */
  addbmm<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    batch1: A,
    batch2: B,
    options?: AddProductOptions,
  ): Tensor<[SizeAt<A[ShapeKey], 1>, SizeAt<B[ShapeKey], 2>], T["dtype"]>;
  /** beta·x + alpha·(vec1 ⊗ vec2). */
  addr<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    this: T,
    vec1: A,
    vec2: B,
    options?: AddProductOptions,
  ): Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], T["dtype"]>;
  /** Every element of x times the whole of `other`, as blocks. */
  kron<T extends AnyTensor, const B extends AnyTensor>(this: T, other: B): Tensor<number[], PairDType<T, B>>;
  /** The sum of a matrix's diagonal; of integers as int64. */
  trace<T extends AnyTensor>(this: T): Tensor<[], SumDType<T["dtype"]>>;
  /** The cross product of vectors of three along `dim`, by default the first axis of size 3. */
  cross<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: B,
    dim?: number | null,
  ): Tensor<PairShape<T, B>, PairDType<T, B>>;
  /** x times itself, `n` times; n is not negative. */
  matrixPower<T extends AnyTensor>(this: T, n: number): Same<T>;
  /** The p-norm (2) of x − other, over all elements. */
  dist<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: B,
    p?: number,
  ): Tensor<[], PairDType<T, B>>;
  /** Every slice along `dim` scaled down to a p-norm of at most `maxnorm`. */
  renorm<T extends AnyTensor>(this: T, p: number, dim: number, maxnorm: number): Same<T>;
}

function scalesOf(op: string, { beta = 1, alpha = 1 }: AddProductOptions): ops.Scales {
  checkTerm(op, beta);
  checkTerm(op, alpha);
  return { beta, alpha };
}

export const linearMethods: Erased<LinearMethods> = {
  inner(other) {
    return wrap(ops.inner(unwrap(this), tensorArgument("inner", "other", other)));
  },
  vdot(other) {
    return wrap(dot(unwrap(this), tensorArgument("vdot", "other", other)));
  },
  addmm(mat1, mat2, options = {}) {
    const [a, b] = [tensorArgument("addmm", "mat1", mat1), tensorArgument("addmm", "mat2", mat2)];
    return wrap(ops.addmm(unwrap(this), a, b, scalesOf("addmm", options)));
  },
  addmv(mat, vec, options = {}) {
    const [a, b] = [tensorArgument("addmv", "mat", mat), tensorArgument("addmv", "vec", vec)];
    return wrap(ops.addmv(unwrap(this), a, b, scalesOf("addmv", options)));
  },
  baddbmm(batch1, batch2, options = {}) {
    const a = tensorArgument("baddbmm", "batch1", batch1);
    const b = tensorArgument("baddbmm", "batch2", batch2);
    return wrap(ops.baddbmm(unwrap(this), a, b, scalesOf("baddbmm", options)));
  },
  addbmm(batch1, batch2, options = {}) {
    const a = tensorArgument("addbmm", "batch1", batch1);
    const b = tensorArgument("addbmm", "batch2", batch2);
    return wrap(ops.addbmm(unwrap(this), a, b, scalesOf("addbmm", options)));
  },
  addr(vec1, vec2, options = {}) {
    const [a, b] = [tensorArgument("addr", "vec1", vec1), tensorArgument("addr", "vec2", vec2)];
    return wrap(ops.addr(unwrap(this), a, b, scalesOf("addr", options)));
  },
  kron(other) {
    return wrap(ops.kron(unwrap(this), tensorArgument("kron", "other", other)));
  },
  trace() {
    return wrap(ops.trace(unwrap(this)));
  },
  cross(other, dim = null) {
    return wrap(ops.cross("cross", unwrap(this), tensorArgument("cross", "other", other), dim));
  },
  matrixPower(n) {
    return wrap(matrixPower(unwrap(this), n));
  },
  dist(other, p = 2) {
    return wrap(distances.dist(unwrap(this), tensorArgument("dist", "other", other), p));
  },
  renorm(p, dim, maxnorm) {
    return wrap(distances.renorm(unwrap(this), p, dim, maxnorm));
  },
};

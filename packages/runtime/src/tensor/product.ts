import type { Accept, Matmul, MatmulOrFail, SizeAt } from "@fuseau/ir";
import * as ops from "../ops/product.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, PairDType } from "./types.ts";

/** A tensor that may stand on the right of a product, or the message. */
export type FitsProduct<T extends AnyTensor, B extends AnyTensor> = Accept<
  MatmulOrFail<T[ShapeKey], B[ShapeKey]>,
  B
>;

type Product<T extends AnyTensor, B extends AnyTensor> = Tensor<Matmul<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;

/**
 * Products of matrices and vectors of one dtype. Each is PyTorch's op of the same name. Sums are in an order of their own, so
 * results may differ in the last bits from a product written out.
 * @throws ShapeError when the inner sizes differ or the leading ones do not broadcast, DTypeError for different dtypes.
 */
export interface ProductMethods {
  /** The product of matrices; a vector counts as a row on the left and a column on the right; leading axes broadcast. */
  matmul<T extends AnyTensor, const B extends AnyTensor>(this: T, other: FitsProduct<T, B>): Product<T, B>;
  /** The product of two matrices. */
  mm<T extends AnyTensor, const B extends AnyTensor>(this: T, mat2: FitsProduct<T, B>): Product<T, B>;
  /** The products of two equally long lists of matrices. */
  bmm<T extends AnyTensor, const B extends AnyTensor>(this: T, mat2: FitsProduct<T, B>): Product<T, B>;
  /** The product of a matrix and a vector. */
  mv<T extends AnyTensor, const B extends AnyTensor>(this: T, vec: FitsProduct<T, B>): Product<T, B>;
  /** The sum of the products of two vectors. */
  dot<T extends AnyTensor, const B extends AnyTensor>(this: T, other: FitsProduct<T, B>): Product<T, B>;
  /** Every product of an element of x and one of `vec2`; dtypes are promoted. */
  outer<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    vec2: B,
  ): Tensor<[SizeAt<T[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], PairDType<T, B>>;
}

export const productMethods: Erased<ProductMethods> = {
  matmul(other) {
    return wrap(ops.matmul("matmul", unwrap(this), tensorArgument("matmul", "other", other)));
  },
  mm(mat2) {
    return wrap(ops.mm(unwrap(this), tensorArgument("mm", "mat2", mat2)));
  },
  bmm(mat2) {
    return wrap(ops.bmm(unwrap(this), tensorArgument("bmm", "mat2", mat2)));
  },
  mv(vec) {
    return wrap(ops.mv(unwrap(this), tensorArgument("mv", "vec", vec)));
  },
  dot(other) {
    return wrap(ops.dot(unwrap(this), tensorArgument("dot", "other", other)));
  },
  outer(vec2) {
    return wrap(ops.outer(unwrap(this), tensorArgument("outer", "vec2", vec2)));
  },
};

/**
 * Products added to what is there. Each is PyTorch's op of the same name.
 * @throws ShapeError when sizes do not meet, DTypeError for different dtypes.
 */
import type { Matmul, Scalar, SizeAt } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/linear.ts";
import { checkTerm } from "../ops/operand.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, TripleDType } from "../tensor/types.ts";
import type { FitsProduct } from "./product.ts";

/** result = beta·x + alpha·product; both 1 by default. With beta 0, x is not read, and its NaN stays out. */
export interface AddProductOptions {
  readonly beta?: Scalar;
  readonly alpha?: Scalar;
}

function scalesOf({ beta = 1, alpha = 1 }: AddProductOptions = {}): ops.Scales {
  checkTerm(beta);
  checkTerm(alpha);
  return { beta, alpha };
}

/** beta·x + alpha·(mat1 × mat2). */
export const addmm = declare(
  "addmm(mat1, mat2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    mat1: A,
    mat2: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> => {
    const x = unwrap(input);
    const [a, b] = [unwrap(mat1), unwrap(mat2)];
    return wrap(ops.addmm(x, a, b, scalesOf(options)));
  },
  true,
);

/** beta·x + alpha·(mat × vec). */
export const addmv = declare(
  "addmv(mat, vec, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    mat: A,
    vec: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> => {
    const x = unwrap(input);
    const [a, b] = [unwrap(mat), unwrap(vec)];
    return wrap(ops.addmv(x, a, b, scalesOf(options)));
  },
  true,
);

/** beta·x + alpha·(batch1 × batch2), batch by batch. */
export const baddbmm = declare(
  "baddbmm(batch1, batch2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    batch1: A,
    batch2: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> => {
    const x = unwrap(input);
    const [a, b] = [unwrap(batch1), unwrap(batch2)];
    return wrap(ops.baddbmm(x, a, b, scalesOf(options)));
  },
  true,
);

/** beta·x + alpha·Σ (batch1 × batch2), summed over the batch. */
export const addbmm = declare(
  "addbmm(batch1, batch2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    batch1: A,
    batch2: B,
    options?: AddProductOptions,
  ): Tensor<[SizeAt<A[ShapeKey], 1>, SizeAt<B[ShapeKey], 2>], T["dtype"]> => {
    const x = unwrap(input);
    const [a, b] = [unwrap(batch1), unwrap(batch2)];
    return wrap(ops.addbmm(x, a, b, scalesOf(options)));
  },
  true,
);

/** beta·x + alpha·(vec1 ⊗ vec2); dtypes are promoted. */
export const addr = declare(
  "addr(vec1, vec2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    vec1: A,
    vec2: B,
    options?: AddProductOptions,
  ): Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], TripleDType<T, A, B>> => {
    const x = unwrap(input);
    const [a, b] = [unwrap(vec1), unwrap(vec2)];
    return wrap(ops.addr(x, a, b, scalesOf(options)));
  },
  true,
);

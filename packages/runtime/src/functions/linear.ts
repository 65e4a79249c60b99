/**
 * Products added to a tensor. Each is PyTorch's op of the same name.
 * @throws ShapeError when sizes do not fit, DTypeError for different dtypes.
 */
import { checkRank, DTypeError, isFloat, type Matmul, type Scalar, type SizeAt } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { numberOf } from "../ops/creation.ts";
import { expand } from "../ops/movement.ts";
import { as, checkTerm, promotePair } from "../ops/operand.ts";
import { add, mul, where } from "../ops/pointwise.ts";
import { bmm, checkBatches, matmul, mm, mv, outer } from "../ops/product.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrapAs } from "../tensor/handle.ts";
import type { AnyTensor, TripleDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { FitsProduct } from "./product.ts";

/** result = beta·x + alpha·product; both are 1 by default. If beta is 0, x is not read, so that its NaN does not count. */
export interface AddProductOptions {
  readonly beta?: Scalar;
  readonly alpha?: Scalar;
}

/**
 * beta·x + alpha·`product`. If beta is 0, x is not read, so that its NaN does not count. For integers, the scales lose their fraction.
 * @throws ShapeError when x does not broadcast to the product.
 */
function added<R extends AnyTensor>(
  tensors: readonly unknown[],
  { beta = 1, alpha = 1 }: AddProductOptions = {},
  multiply: (a: Value, b: Value) => Value,
  fit: (x: Value, product: Value) => readonly [Value, Value] = (x, product) => [x, product],
): R {
  const [given, a, b] = tensors.map(unwrap) as [Value, Value, Value];
  checkTerm(beta);
  checkTerm(alpha);
  const [x, product] = fit(given, multiply(a, b));
  const { dtype, shape } = product.node;
  if (x.node.dtype !== dtype)
    throw new DTypeError(`self and mat2 must have the same dtype, but got ${x.node.dtype} and ${dtype}`);
  const scale = (by: Scalar): number => (isFloat(dtype) ? numberOf(by) : Math.trunc(numberOf(by)));
  const grown = expand(x, shape);
  const scaled = (value: Value, by: number): Value =>
    by === 1 ? value : dtype === "bool" ? mul(value, by !== 0) : mul(value, by);
  const right = scaled(product, scale(alpha));
  // If x is not read, its gradient is zeros, and not none.
  return wrapAs(
    scale(beta) === 0 ? where(as("bool", true), right, grown) : add(scaled(grown, scale(beta)), right),
  );
}

/** beta·x + alpha·(mat1 × mat2). */
export const addmm = declare(
  "addmm(mat1, mat2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    mat1: A,
    mat2: FitsProduct<A, B>,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> =>
    added([input, mat1, mat2], options, (a, b) => {
      checkRank("mat1", a.node.shape, 2, "matrix");
      checkRank("mat2", b.node.shape, 2, "matrix");
      return mm(a, b);
    }),
  true,
);

/** beta·x + alpha·(mat × vec). */
export const addmv = declare(
  "addmv(mat, vec, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    mat: A,
    vec: FitsProduct<A, B, "mv">,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> => added([input, mat, vec], options, mv),
  true,
);

/** beta·x + alpha·(batch1 × batch2), batch by batch. */
export const baddbmm = declare(
  "baddbmm(batch1, batch2, { beta, alpha })",
  <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
    input: T,
    batch1: A,
    batch2: FitsProduct<A, B, "bmm">,
    options?: AddProductOptions,
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> => added([input, batch1, batch2], options, bmm),
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
  ): Tensor<[SizeAt<A[ShapeKey], 1>, SizeAt<B[ShapeKey], 2>], T["dtype"]> =>
    added([input, batch1, batch2], options, (a, b) => {
      const [batches, rows, inner, columns] = checkBatches(a, b);
      // As one product: the batches are joined along k, which sums over them.
      const wide = record.reshape(record.permute(a, [1, 0, 2]), [rows, batches * inner]);
      const tall = record.reshape(b, [batches * inner, columns]);
      return matmul(wide, tall);
    }),
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
  ): Tensor<[SizeAt<A[ShapeKey], 0>, SizeAt<B[ShapeKey], 0>], TripleDType<T, A, B>> =>
    added([input, vec1, vec2], options, outer, (x, product) => {
      const dtype = promotePair(x, product);
      return [record.cast(x, dtype), record.cast(product, dtype)];
    }),
  true,
);

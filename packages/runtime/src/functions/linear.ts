/**
 * Products added to what is there. Each is PyTorch's op of the same name.
 * @throws ShapeError when sizes do not meet, DTypeError for different dtypes.
 */
import { checkRank, type Matmul, type Scalar, ShapeError, type SizeAt, showShape } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { combine, type Scales } from "../ops/linear.ts";
import { checkTerm, promotePair } from "../ops/operand.ts";
import { bmm, matmul, mm, mv, outer } from "../ops/product.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrapAs } from "../tensor/handle.ts";
import type { AnyTensor, TripleDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { FitsProduct } from "./product.ts";

/** result = beta·x + alpha·product; both 1 by default. With beta 0, x is not read, and its NaN stays out. */
export interface AddProductOptions {
  readonly beta?: Scalar;
  readonly alpha?: Scalar;
}

/** `run` of the tensors' values and the scales. */
function added<R extends AnyTensor>(
  tensors: readonly unknown[],
  { beta = 1, alpha = 1 }: AddProductOptions = {},
  run: (x: Value, a: Value, b: Value, scales: Scales) => Value,
): R {
  const [x, a, b] = tensors.map(unwrap) as [Value, Value, Value];
  checkTerm(beta);
  checkTerm(alpha);
  return wrapAs(run(x, a, b, { beta, alpha }));
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
    added([input, mat1, mat2], options, (x, a, b, scales) => {
      checkRank("mat1", a.node.shape, 2, "matrix");
      checkRank("mat2", b.node.shape, 2, "matrix");
      return combine(x, mm(a, b), scales);
    }),
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
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> =>
    added([input, mat, vec], options, (x, a, b, scales) => combine(x, mv(a, b), scales)),
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
  ): Tensor<Matmul<A[ShapeKey], B[ShapeKey]>, T["dtype"]> =>
    added([input, batch1, batch2], options, (x, a, b, scales) => combine(x, bmm(a, b), scales)),
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
    added([input, batch1, batch2], options, (x, a, b, scales) => {
      checkRank("batch1", a.node.shape, 3, "3D tensor");
      checkRank("batch2", b.node.shape, 3, "3D tensor");
      const [batches, rows, inner] = a.node.shape as [number, number, number];
      const [otherBatches, otherInner, columns] = b.node.shape as [number, number, number];
      if (batches !== otherBatches || inner !== otherInner) {
        throw new ShapeError(
          `Expected size for first two dimensions of batch2 tensor to be: [${batches}, ${inner}] but got: [${otherBatches}, ${otherInner}]. (shapes ${showShape(a.node.shape)} and ${showShape(b.node.shape)})`,
        );
      }
      // One product, whose rows are joined: it sums over the batch.
      const wide = record.reshape(record.permute(a, [1, 0, 2]), [rows, batches * inner]);
      const tall = record.reshape(b, [batches * inner, columns]);
      return combine(x, matmul(wide, tall), scales);
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
    added([input, vec1, vec2], options, (x, a, b, scales) => {
      const product = outer(a, b);
      const dtype = promotePair(x, product);
      return combine(record.cast(x, dtype), record.cast(product, dtype), scales);
    }),
  true,
);

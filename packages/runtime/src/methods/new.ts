/** New tensors with x's dtype, unless another is given. Each is PyTorch's op of the same name. */
import type { CheckShape, DType, Scalar } from "@fuseau/ir";
import { alias, declare } from "../declare/declaration.ts";
import type { DTypeOptions } from "../declare/reductions.ts";
import { full } from "../ops/creation.ts";
import { type Tensor, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/**
 * `value` everywhere.
 * @throws RangeError when the dtype does not hold it.
 */
export const newFull = declare(
  "newFull(shape, value, { dtype })",
  <T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    input: T,
    shape: CheckShape<R>,
    value: Scalar,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>> => wrap(full(shape as R, value, options?.dtype ?? input.dtype)),
);

/** Zeros. */
export const newZeros = declare(
  "newZeros(shape, { dtype })",
  <T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    input: T,
    shape: CheckShape<R>,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>> => wrap(full(shape as R, 0, options?.dtype ?? input.dtype)),
);

/** Ones. */
export const newOnes = declare(
  "newOnes(shape, { dtype })",
  <T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    input: T,
    shape: CheckShape<R>,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>> => wrap(full(shape as R, 1, options?.dtype ?? input.dtype)),
);

/** Elements that are to be overwritten; zeros here. */
export const newEmpty: typeof newZeros = alias("newEmpty", newZeros);

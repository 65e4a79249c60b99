import type { CheckShape, DType, Scalar } from "@fuseau/ir";
import { full } from "../ops/creation.ts";
import { type Tensor, wrap } from "./handle.ts";
import type { DTypeOptions } from "./normalization.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** Tensors of one value with x's dtype, unless another is asked for. Each is PyTorch's op of the same name. */
export interface NewMethods {
  /** `value` everywhere. @throws RangeError when the dtype does not hold it. */
  newFull<T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    this: T,
    shape: CheckShape<R>,
    value: Scalar,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;
  /** Zeros. */
  newZeros<T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    this: T,
    shape: CheckShape<R>,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;
  /** Ones. */
  newOnes<T extends AnyTensor, const R extends readonly number[], D extends DType = T["dtype"]>(
    this: T,
    shape: CheckShape<R>,
    options?: DTypeOptions<D>,
  ): Tensor<[...R], NoInfer<D>>;
}

export const newMethods: Erased<NewMethods> = {
  newFull(shape, value, options) {
    return wrap(full("newFull", shape, value, options?.dtype ?? this.dtype));
  },
  newZeros(shape, options) {
    return wrap(full("newZeros", shape, 0, options?.dtype ?? this.dtype));
  },
  newOnes(shape, options) {
    return wrap(full("newOnes", shape, 1, options?.dtype ?? this.dtype));
  },
};

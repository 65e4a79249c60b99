/** Questions with one answer. Those about elements compute them at the call. */
import { elementCount, isFloat, sameNumbers } from "@fuseau/ir";
import { allclose, equal } from "../ops/closeness.ts";
import { numbersNow } from "../ops/host.ts";
import type { CloseOptions } from "./comparison.ts";
import { tensorArgument, unwrap } from "./handle.ts";
import type { AnyTensor, Erased, Fits } from "./types.ts";

export interface InquiryMethods {
  /**
   * True when |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5) or both are equal, everywhere. Computed at the call.
   * @throws DTypeError for different dtypes, ShapeError when the shapes do not broadcast.
   */
  allclose<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: Fits<T, B>,
    options?: CloseOptions,
  ): boolean;
  /** True when shape and elements are the same; NaN equals nothing. Computed at the call. @throws DTypeError for different dtypes. */
  equal(this: AnyTensor, other: AnyTensor): boolean;
  /** True when the only element is not 0. Computed at the call. @throws TypeError unless there is exactly one. */
  isNonzero(this: AnyTensor): boolean;
  /** True for float16, float32 and float64. */
  isFloatingPoint(this: AnyTensor): boolean;
  /** True when the dtype has negative numbers. */
  isSigned(this: AnyTensor): boolean;
  /** True when the shapes are the same. */
  isSameSize(this: AnyTensor, other: AnyTensor): boolean;
}

export const inquiryMethods: Erased<InquiryMethods> = {
  allclose(other, options = {}) {
    const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
    return allclose(unwrap(this), tensorArgument("allclose", "other", other), rtol, atol, equalNan);
  },
  equal(other) {
    return equal(unwrap(this), tensorArgument("equal", "other", other));
  },
  isNonzero() {
    const count = elementCount(this.shape);
    if (count !== 1) {
      const which = count === 0 ? "no values" : "more than one value";
      throw new TypeError(
        `isNonzero: Boolean value of Tensor with ${which} is ambiguous (it has ${count}; use any() or all())`,
      );
    }
    return numbersNow("isNonzero", unwrap(this))[0] !== 0;
  },
  isFloatingPoint() {
    return isFloat(this.dtype);
  },
  isSigned() {
    return this.dtype !== "bool" && this.dtype !== "uint8";
  },
  isSameSize(other) {
    return sameNumbers(this.shape, tensorArgument("isSameSize", "other", other).node.shape);
  },
};

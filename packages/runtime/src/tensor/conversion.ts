import { type DType, elementCount, wrapAxis } from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import { cast } from "../record.ts";
import { tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, WithDType } from "./types.ts";

/** Other dtypes, and what is known of a tensor without computing it. */
export interface ConversionMethods {
  /**
   * The elements as `dtype`: floats lose their fraction on the way to integers, integers wrap at their width, and
   * whatever is not 0 is true. `x` itself when it has the dtype. @throws DTypeError for an unknown dtype.
   */
  to<T extends AnyTensor, D extends DType>(this: T, dtype: D): WithDType<T, NoInfer<D>>;
  /** {@link to} the dtype of `other`. */
  typeAs<T extends AnyTensor, B extends AnyTensor>(this: T, other: B): WithDType<T, B["dtype"]>;
  /** `to("float32")`. */
  float<T extends AnyTensor>(this: T): WithDType<T, "float32">;
  /** `to("float64")`. */
  double<T extends AnyTensor>(this: T): WithDType<T, "float64">;
  /** `to("float16")`. */
  half<T extends AnyTensor>(this: T): WithDType<T, "float16">;
  /** `to("int32")`. */
  int<T extends AnyTensor>(this: T): WithDType<T, "int32">;
  /** `to("int64")`. */
  long<T extends AnyTensor>(this: T): WithDType<T, "int64">;
  /** `to("bool")`. */
  bool<T extends AnyTensor>(this: T): WithDType<T, "bool">;
  /** The number of elements. */
  numel(this: AnyTensor): number;
  /** The number of axes. */
  dim(this: AnyTensor): number;
  /** The size of one axis. @throws RangeError for an axis that does not exist. */
  size(this: AnyTensor, dim: number): number;
}

export const conversionMethods: Erased<ConversionMethods> = {
  to(dtype) {
    return wrap(cast(unwrap(this), checkDType("to", dtype)));
  },
  typeAs(other) {
    return wrap(cast(unwrap(this), tensorArgument("typeAs", "other", other).node.dtype));
  },
  float() {
    return wrap(cast(unwrap(this), "float32"));
  },
  double() {
    return wrap(cast(unwrap(this), "float64"));
  },
  half() {
    return wrap(cast(unwrap(this), "float16"));
  },
  int() {
    return wrap(cast(unwrap(this), "int32"));
  },
  long() {
    return wrap(cast(unwrap(this), "int64"));
  },
  bool() {
    return wrap(cast(unwrap(this), "bool"));
  },
  numel() {
    return elementCount(this.shape);
  },
  dim() {
    return this.shape.length;
  },
  size(dim) {
    return this.shape[wrapAxis("size", dim, this.shape)] ?? 1;
  },
};

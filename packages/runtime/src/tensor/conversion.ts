import { type DType, elementCount, wrapAxis } from "@fuseau/ir";
import { bitcast } from "../ops/bitcast.ts";
import { checkDType } from "../ops/creation.ts";
import { cast } from "../record.ts";
import { type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
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
  /**
   * The bits of the elements as `dtype` (PyTorch: `Tensor.view(dtype)`), computed at the call; a copy. Of another width, the
   * last axis is longer or shorter. @throws DTypeError for bool, ShapeError when the last axis does not come out whole.
   */
  bitcast<T extends AnyTensor, D extends DType>(this: T, dtype: D): Tensor<number[], NoInfer<D>>;
  /** The number of elements. */
  numel(this: AnyTensor): number;
  /** The number of axes. */
  dim(this: AnyTensor): number;
  /** The size of one axis, or every one. @throws RangeError for an axis that does not exist. */
  size<const A extends number | null = null>(
    this: AnyTensor,
    dim?: A,
  ): A extends null ? readonly number[] : number;
}

/** The tensor itself when it has the dtype. */
function castTo(x: AnyTensor, dtype: DType): AnyTensor {
  const value = unwrap(x);
  return value.node.dtype === dtype ? x : wrap(cast(value, dtype));
}

export const conversionMethods: Erased<ConversionMethods> = {
  to(dtype) {
    return castTo(this, checkDType("to", dtype));
  },
  typeAs(other) {
    return castTo(this, tensorArgument("typeAs", "other", other).node.dtype);
  },
  float() {
    return castTo(this, "float32");
  },
  double() {
    return castTo(this, "float64");
  },
  half() {
    return castTo(this, "float16");
  },
  int() {
    return castTo(this, "int32");
  },
  long() {
    return castTo(this, "int64");
  },
  bool() {
    return castTo(this, "bool");
  },
  bitcast(dtype) {
    return wrap(bitcast(unwrap(this), dtype));
  },
  numel() {
    return elementCount(this.shape);
  },
  dim() {
    return this.shape.length;
  },
  size(dim) {
    if (dim == null) return this.shape;
    return this.shape[wrapAxis("size", dim, this.shape)] ?? 1;
  },
};

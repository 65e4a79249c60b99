import type {
  Accept,
  Axes,
  InsertOrFail,
  Scalar,
  SqueezeOrFail,
  SqueezeShape,
  Transpose,
  TransposeMatrix,
  TransposeOrFail,
  Unsqueeze,
} from "@fuseau/ir";
import { become, copyInto, fillWith, refuseOverlaps, wrapView, writeInto } from "../alias/alias.ts";
import { fillDiagonal, fillValue } from "../alias/fill.ts";
import * as ops from "../ops/movement.ts";
import { tril, triu } from "../ops/triangle.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap } from "./handle.ts";
import type { FitsInto } from "./inplace-types.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** Elements from elsewhere written in place, for a tensor and everything that shares them; each gives the tensor itself. */
export interface FillMethods {
  /** The elements of `source`, broadcast to x's shape and cast to its dtype, whatever the category. */
  copy_<T extends AnyTensor, const B extends AnyTensor>(this: T, source: FitsInto<T, B, "bool">): T;
  /** One value everywhere: a scalar or a 0-d tensor. @throws RangeError for a number that an integer dtype does not hold. */
  fill_<T extends AnyTensor>(this: T, value: Scalar | AnyTensor): T;
  /** Zeros. */
  zero_<T extends AnyTensor>(this: T): T;
  /**
   * One value along the main diagonal; of a tall matrix with `wrap`, along every diagonal that begins below it.
   * @throws ShapeError for fewer than two axes, or more than two of different sizes.
   */
  fillDiagonal_<T extends AnyTensor>(this: T, value: Scalar, wrap?: boolean): T;
  /** Zeros above a diagonal of the last two axes. */
  tril_<T extends AnyTensor>(this: T, diagonal?: number): T;
  /** Zeros below a diagonal of the last two axes. */
  triu_<T extends AnyTensor>(this: T, diagonal?: number): T;
}

/**
 * Another arrangement of a tensor's own elements, taken by the very tensor: nothing is moved, and other views keep theirs. The
 * type of the variable cannot follow, so go on with what is returned.
 */
export interface RearrangeMethods {
  /** Two axes swapped. */
  transpose_<T extends AnyTensor, const A extends number, const B extends number>(
    this: T,
    dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
  /** The two axes of a matrix swapped. */
  t_<T extends AnyTensor>(this: T): Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]>;
  /** Without axes of size 1. */
  squeeze_<T extends AnyTensor, const A extends Axes = null>(
    this: T,
    dim?: Accept<SqueezeOrFail<T[ShapeKey], A>, A>,
  ): Tensor<SqueezeShape<T[ShapeKey], A>, T["dtype"]>;
  /** With one more axis of size 1. */
  unsqueeze_<T extends AnyTensor, const A extends number>(
    this: T,
    dim: Accept<InsertOrFail<T[ShapeKey], A, 1>, A>,
  ): Tensor<Unsqueeze<T[ShapeKey], A>, T["dtype"]>;
}

export const fillMethods: Erased<FillMethods> = {
  copy_(source) {
    const value = tensorArgument("copy_", "other", source);
    refuseOverlaps("copy_", this, [source]);
    return copyInto("copy_", this, value);
  },
  fill_(value) {
    return fillWith(this, fillValue("fill_", this.dtype, value));
  },
  zero_() {
    return fillWith(this, fillValue("zero_", this.dtype, 0));
  },
  fillDiagonal_(value, wrap = false) {
    return fillDiagonal(this, fillValue("fillDiagonal_", this.dtype, value), wrap);
  },
  tril_(diagonal = 0) {
    return writeInto("tril_", this, tril(unwrap(this), diagonal));
  },
  triu_(diagonal = 0) {
    return writeInto("triu_", this, triu(unwrap(this), diagonal));
  },
};

export const rearrangeMethods: Erased<RearrangeMethods> = {
  transpose_(dim0, dim1) {
    return become(this, wrapView(this, ops.transpose("transpose_", unwrap(this), dim0, dim1)));
  },
  t_() {
    return become(this, wrapView(this, ops.t(unwrap(this))));
  },
  squeeze_(dim = null) {
    return become(this, wrapView(this, ops.squeeze(unwrap(this), dim)));
  },
  unsqueeze_(dim) {
    return become(this, wrapView(this, ops.unsqueeze(unwrap(this), dim)));
  },
};

import { type DType, dtypes, elementCount, ShapeError, type Sizes, sameNumbers } from "@fuseau/ir";
import { windowOf, wrapSame, wrapView } from "../alias/alias.ts";
import { asStrided, strideOf } from "../alias/strided.ts";
import { isContiguous } from "../alias/window.ts";
import { permute, transpose } from "../ops/movement.ts";
import { aliasKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Same } from "./types.ts";

/**
 * What tensors share. A view reads and writes the elements of the tensor it was made of, its base; a copy has elements of its
 * own. docs/in-place.md lists which ops give which.
 */
export interface ViewMethods {
  /** A copy: later writes to x leave it alone, and its own leave x alone. It is row-major; nothing is copied until it must be. */
  clone<T extends AnyTensor>(this: T): Same<T>;
  /** A view of all of x. */
  detach<T extends AnyTensor>(this: T): Same<T>;
  /** x itself when its elements lie row-major without gaps, else a copy whose do. */
  contiguous<T extends AnyTensor>(this: T): Same<T>;
  /** True when the elements lie row-major without gaps; the stride of an axis of size 1 does not matter. */
  isContiguous(this: AnyTensor): boolean;
  /**
   * How many elements of the base lie between neighbours along each axis, or along `dim`.
   * @throws RangeError for an axis that does not exist.
   */
  stride<const A extends number | null = null>(
    this: AnyTensor,
    dim?: A,
  ): A extends null ? readonly number[] : number;
  /** Where in the base the first element lies. */
  storageOffset(this: AnyTensor): number;
  /** Bytes per element. */
  elementSize(this: AnyTensor): number;
  /**
   * A view of x's base, of any shape, strides and offset (x's own) in elements. Where places share an element it cannot be
   * written through.
   * @throws RangeError when it reaches beyond the base, ShapeError unless there is a stride for each axis.
   */
  asStrided<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    size: R,
    stride: readonly number[],
    storageOffset?: number,
  ): Tensor<[...R], T["dtype"]>;
  /** True when x and `other` have one base, so that a write to one may be seen by the other. */
  sharesStorage(this: AnyTensor, other: AnyTensor): boolean;
  /** True when x and `other` are the same elements of one base, in the same order. */
  isSetTo(this: AnyTensor, other: AnyTensor): boolean;
}

export const viewMethods: Erased<ViewMethods> = {
  clone() {
    return wrap(unwrap(this));
  },
  detach() {
    return wrapSame(this);
  },
  contiguous() {
    return isContiguous(windowOf(this)) ? this : wrap(unwrap(this));
  },
  isContiguous() {
    return isContiguous(windowOf(this));
  },
  stride(dim) {
    return strideOf(this, dim ?? null);
  },
  storageOffset() {
    return windowOf(this).offset;
  },
  elementSize() {
    return dtypes[this.dtype].bytes;
  },
  asStrided(size, stride, storageOffset) {
    return asStrided(this, size, stride, storageOffset);
  },
  sharesStorage(other) {
    tensorArgument("sharesStorage", "other", other);
    return this === other || (this[aliasKey] !== null && this[aliasKey].cell === other[aliasKey]?.cell);
  },
  isSetTo(other) {
    tensorArgument("isSetTo", "other", other);
    if (this === other) return true;
    if (this[aliasKey] === null || this[aliasKey].cell !== other[aliasKey]?.cell) return false;
    const [a, b] = [windowOf(this), windowOf(other)];
    return a.offset === b.offset && sameNumbers(a.shape, b.shape) && sameNumbers(a.strides, b.strides);
  },
};

/** What PyTorch has as properties. */
export interface ViewProperties<S extends number[], D extends DType> {
  /** Bytes of all elements. */
  readonly nbytes: number;
  /** The axes in reverse order: a view. `t()` of a matrix knows its sizes too. */
  readonly T: Tensor<Sizes<S>, D>;
  /** The last two axes swapped: a view. @throws ShapeError for fewer than two. */
  readonly mT: Tensor<Sizes<S>, D>;
}

type Getters = { readonly [Name in keyof ViewProperties<[], DType>]: (this: AnyTensor) => unknown };

export const viewProperties: Getters = {
  nbytes() {
    return elementCount(this.shape) * dtypes[this.dtype].bytes;
  },
  T() {
    const x = unwrap(this);
    return wrapView(this, permute(x, [...x.node.shape.keys()].reverse()));
  },
  mT() {
    const { length } = this.shape;
    if (length < 2) {
      throw new ShapeError(
        `mT: tensor.mT is only supported on matrices or batches of matrices. Got ${length}-D tensor.`,
      );
    }
    return wrapView(this, transpose("mT", unwrap(this), -2, -1));
  },
};

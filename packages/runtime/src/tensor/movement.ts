import type {
  Accept,
  Axes,
  CheckAxes,
  CheckSlice,
  Diagonal,
  DiagonalOrFail,
  Expand,
  ExpandOrFail,
  Flatten,
  FlattenOrFail,
  InsertOrFail,
  Pad,
  PadOrFail,
  Permute,
  PermuteOrFail,
  Repeat,
  RepeatOrFail,
  Reshape,
  ReshapeOrFail,
  Scalar,
  Slice,
  SliceIndex,
  SqueezeOrFail,
  SqueezeShape,
  Tile,
  Transpose,
  TransposeMatrix,
  TransposeOrFail,
  Unsqueeze,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { strictView } from "../alias/strided.ts";
import * as ops from "../ops/movement.ts";
import { type PadMode, padBy } from "../ops/padding.ts";
import { tril, triu } from "../ops/triangle.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Same } from "./types.ts";

/** What `pad` puts around the elements. */
export interface PadOptions {
  /** `value`, or what x holds: mirrored about its edge, its edge again, or its other end. Default "constant". */
  readonly mode?: PadMode;
  readonly value?: Scalar;
}

/**
 * The same elements in another arrangement, with x's dtype. Each is PyTorch's op of the same name; axes count from the
 * end when they are negative. Nothing is copied: the compiler folds these into whatever reads them.
 * @throws ShapeError for shapes that do not fit, RangeError for an axis or a place that does not exist.
 */
export interface MovementMethods {
  /** The elements in row-major order under another shape; one size may be −1, which is what remains. */
  reshape<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Reshape<T[ShapeKey], R>, T["dtype"]>;
  /** {@link reshape}, but never a copy. @throws ViewError where the elements do not lie so that a view can have that shape. */
  view<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Reshape<T[ShapeKey], R>, T["dtype"]>;
  /** {@link reshape} to the shape of `other`. */
  reshapeAs<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: Accept<ReshapeOrFail<T[ShapeKey], B[ShapeKey]>, B>,
  ): Tensor<Reshape<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;
  /** The axes from `startDim` (0) to `endDim` (−1) merged into one; a 0-d tensor becomes one axis. */
  flatten<T extends AnyTensor, const A extends number = 0, const B extends number = -1>(
    this: T,
    startDim?: Accept<FlattenOrFail<T[ShapeKey], A, -1>, A>,
    endDim?: Accept<FlattenOrFail<T[ShapeKey], A, B>, B>,
  ): Tensor<Flatten<T[ShapeKey], A, B>, T["dtype"]>;
  /** All elements in one axis. */
  ravel<T extends AnyTensor>(this: T): Tensor<Reshape<T[ShapeKey], [-1]>, T["dtype"]>;
  /** The axes in another order: axis k of the result is axis dims[k] of x. */
  permute<T extends AnyTensor, const P extends readonly number[]>(
    this: T,
    dims: Accept<PermuteOrFail<T[ShapeKey], P>, P>,
  ): Tensor<Permute<T[ShapeKey], P>, T["dtype"]>;
  /** Two axes swapped. */
  transpose<T extends AnyTensor, const A extends number, const B extends number>(
    this: T,
    dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
  /** The two axes of a matrix swapped; a vector or a 0-d tensor as it is. */
  t<T extends AnyTensor>(this: T): Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]>;
  /** Axes of size 1 repeated up to `sizes`, missing ones added in front; −1 keeps a size. */
  expand<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Expand<T[ShapeKey], R>, T["dtype"]>;
  /** {@link expand}. */
  broadcastTo<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Expand<T[ShapeKey], R>, T["dtype"]>;
  /** {@link expand} to the shape of `other`. */
  expandAs<T extends AnyTensor, const B extends AnyTensor>(
    this: T,
    other: Accept<ExpandOrFail<T[ShapeKey], B[ShapeKey]>, B>,
  ): Tensor<Expand<T[ShapeKey], B[ShapeKey]>, T["dtype"]>;
  /** Without its axes of size 1, or those of `dim` that have size 1. */
  squeeze<T extends AnyTensor, const A extends Axes = null>(
    this: T,
    dim?: Accept<SqueezeOrFail<T[ShapeKey], A>, A>,
  ): Tensor<SqueezeShape<T[ShapeKey], A>, T["dtype"]>;
  /** With an axis of size 1 in front of `dim`, which may be one past the last. */
  unsqueeze<T extends AnyTensor, const A extends number>(
    this: T,
    dim: Accept<InsertOrFail<T[ShapeKey], A, 1>, A>,
  ): Tensor<Unsqueeze<T[ShapeKey], A>, T["dtype"]>;
  /**
   * Part of a tensor, by one index for each axis from the front, as Python's `x[...]`: a number selects a place and drops
   * the axis, `[start, stop, step]` takes a range (`[1]` all but the first, `[null, -1]` all but the last), `":"` is a whole
   * axis, `"..."` as many as are left, `null` a new axis. `x.slice([1, null], 0)` is Python's `x[1:, 0]`.
   * @throws RangeError for a place outside the axis, too many indices, or a step below 1.
   */
  slice<T extends AnyTensor, const R extends readonly SliceIndex[]>(
    this: T,
    ...indices: CheckSlice<T[ShapeKey], R>
  ): Tensor<Slice<T[ShapeKey], R>, T["dtype"]>;
  /** Order reversed along the axes. */
  flip<T extends AnyTensor, const A extends number | readonly number[]>(
    this: T,
    dims: CheckAxes<T[ShapeKey], A>,
  ): Same<T>;
  /** Places moved by `shifts`, the ones that fall off put back in front; as if x were flat when there are no `dims`. */
  roll<T extends AnyTensor, const A extends number | readonly number[]>(
    this: T,
    shifts: number | readonly number[],
    dims?: CheckAxes<T[ShapeKey], A>,
  ): Same<T>;
  /**
   * `value` (0) put around the elements. `widths` has a pair for each axis, the last axis first: `[1, 2]` puts one place in
   * front of the last axis and two behind; negative widths cut.
   */
  pad<T extends AnyTensor, const W extends readonly number[]>(
    this: T,
    widths: Accept<PadOrFail<T[ShapeKey], W>, W>,
    options?: PadOptions,
  ): Tensor<Pad<T[ShapeKey], W>, T["dtype"]>;
  /** The whole repeated along each axis; there must be a count for every axis. */
  repeat<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    repeats: Accept<RepeatOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Repeat<T[ShapeKey], R>, T["dtype"]>;
  /** The whole repeated along the last axes; missing counts are 1. */
  tile<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    repeats: R,
  ): Tensor<Tile<T[ShapeKey], R>, T["dtype"]>;
  /** The places (i, i + offset) of two axes (0 and 1) as the last axis. */
  diagonal<
    T extends AnyTensor,
    const O extends number = 0,
    const A extends number = 0,
    const B extends number = 1,
  >(
    this: T,
    offset?: O,
    dim1?: A,
    dim2?: Accept<DiagonalOrFail<T[ShapeKey], O, A, B>, B>,
  ): Tensor<Diagonal<T[ShapeKey], O, A, B>, T["dtype"]>;
  /** The last two axes on and below a diagonal, zeros above it. */
  tril<T extends AnyTensor>(this: T, diagonal?: number): Same<T>;
  /** The last two axes on and above a diagonal, zeros below it. */
  triu<T extends AnyTensor>(this: T, diagonal?: number): Same<T>;
}

/** Arguments that are checked one by one are beyond `Erased`. */
interface Sliced {
  slice(this: AnyTensor, ...indices: readonly SliceIndex[]): AnyTensor;
}

export const movementMethods: Erased<Omit<MovementMethods, keyof Sliced>> & Sliced = {
  reshape(shape) {
    return wrapView(this, ops.reshape("reshape", unwrap(this), shape));
  },
  view(shape) {
    return strictView(this, ops.reshape("view", unwrap(this), shape));
  },
  reshapeAs(other) {
    return wrapView(
      this,
      ops.reshape("reshapeAs", unwrap(this), tensorArgument("reshapeAs", "other", other).node.shape),
    );
  },
  flatten(startDim = 0, endDim = -1) {
    return wrapView(this, ops.flatten(unwrap(this), startDim, endDim));
  },
  ravel() {
    return (this as AnyTensor).reshape([-1]);
  },
  permute(dims) {
    return wrapView(this, ops.permute(unwrap(this), dims));
  },
  transpose(dim0, dim1) {
    return wrapView(this, ops.transpose("transpose", unwrap(this), dim0, dim1));
  },
  t() {
    return wrapView(this, ops.t(unwrap(this)));
  },
  expand(sizes) {
    return wrapView(this, ops.expand("expand", unwrap(this), sizes));
  },
  broadcastTo(sizes) {
    return wrapView(this, ops.expand("broadcastTo", unwrap(this), sizes));
  },
  expandAs(other) {
    return wrapView(
      this,
      ops.expand("expandAs", unwrap(this), tensorArgument("expandAs", "other", other).node.shape),
    );
  },
  squeeze(dim = null) {
    return wrapView(this, ops.squeeze(unwrap(this), dim));
  },
  unsqueeze(dim) {
    return wrapView(this, ops.unsqueeze(unwrap(this), dim));
  },
  slice(...indices) {
    return wrapView(this, ops.slice(unwrap(this), indices));
  },
  flip(dims) {
    return wrap(ops.flip(unwrap(this), typeof dims === "number" ? [dims] : dims));
  },
  roll(shifts, dims) {
    return wrap(ops.roll(unwrap(this), shifts, dims ?? null));
  },
  pad(widths, options) {
    const { mode = "constant", value } = options ?? {};
    if (mode === "constant") return wrap(ops.pad(unwrap(this), widths, value ?? 0));
    return wrap(padBy("pad", mode, unwrap(this), widths));
  },
  repeat(repeats) {
    return wrap(ops.repeat("repeat", unwrap(this), repeats));
  },
  tile(repeats) {
    return wrap(ops.tile(unwrap(this), repeats));
  },
  diagonal(offset = 0, dim1 = 0, dim2 = 1) {
    return wrapView(this, ops.diagonal(unwrap(this), offset, dim1, dim2));
  },
  tril(diagonal = 0) {
    return wrap(tril(unwrap(this), diagonal));
  },
  triu(diagonal = 0) {
    return wrap(triu(unwrap(this), diagonal));
  },
};

/**
 * The same elements in another arrangement, with x's dtype. Each is PyTorch's op of the same name; axes count from the
 * end when they are negative. Nothing is copied: the compiler folds these into whatever reads them.
 * @throws ShapeError for shapes that do not fit, RangeError for an axis or a place that does not exist.
 */
import {
  type Accept,
  type Axes,
  type CheckAxes,
  checkInteger,
  type Diagonal,
  type DiagonalOrFail,
  type Expand,
  type ExpandOrFail,
  type Flatten,
  type FlattenOrFail,
  flattenedShape,
  type InsertOrFail,
  leadingOnes,
  type Pad,
  type PadOrFail,
  type Permute,
  type PermuteOrFail,
  type Reshape,
  type ReshapeOrFail,
  type Scalar,
  ShapeError,
  type SqueezeOrFail,
  type SqueezeShape,
  showShape,
  type Tile,
  type Transpose,
  type TransposeMatrix,
  type TransposeOrFail,
  type Unsqueeze,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { declare } from "../declare/declaration.ts";
import { sameUnary } from "../declare/families.ts";
import * as ops from "../ops/movement.ts";
import { as } from "../ops/operand.ts";
import { type PadMode, padBy } from "../ops/padding.ts";
import { ge, le, sub, where } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** What `pad` puts around the elements. */
export interface PadOptions {
  /** `value`, or what x holds: mirrored about its edge, its edge again, or its other end. Default "constant". */
  readonly mode?: PadMode;
  readonly value?: Scalar;
}

/** The elements in row-major order under another shape; one size may be −1, which is what remains. */
export const reshape = declare(
  "reshape(shape)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Reshape<T[ShapeKey], R>, T["dtype"]> => wrapView(input, ops.reshape(unwrap(input), shape as R)),
);

/** The axes from `startDim` (0) to `endDim` (−1) merged into one; a 0-d tensor becomes one axis. */
export const flatten = declare(
  "flatten(startDim, endDim)",
  <T extends AnyTensor, const A extends number = 0, const B extends number = -1>(
    input: T,
    startDim: Accept<FlattenOrFail<T[ShapeKey], A, -1>, A> = 0 as never,
    endDim: Accept<FlattenOrFail<T[ShapeKey], A, B>, B> = -1 as never,
  ): Tensor<Flatten<T[ShapeKey], A, B>, T["dtype"]> => {
    const x = unwrap(input);
    const shape = flattenedShape(x.node.shape, startDim as A, endDim as B);
    return wrapView(input, ops.withShape(x, shape));
  },
);

/** All elements in one axis. */
export const ravel = declare(
  "ravel()",
  <T extends AnyTensor>(input: T): Tensor<Reshape<T[ShapeKey], [-1]>, T["dtype"]> =>
    wrapView(input, ops.reshape(unwrap(input), [-1])),
);

/** The axes in another order: axis k of the result is axis dims[k] of x. */
export const permute = declare(
  "permute(dims)",
  <T extends AnyTensor, const P extends readonly number[]>(
    input: T,
    dims: Accept<PermuteOrFail<T[ShapeKey], P>, P>,
  ): Tensor<Permute<T[ShapeKey], P>, T["dtype"]> => wrapView(input, ops.permute(unwrap(input), dims as P)),
);

/** Two axes swapped. */
export const transpose = declare(
  "transpose(dim0, dim1)",
  <T extends AnyTensor, const A extends number, const B extends number>(
    input: T,
    dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]> =>
    wrapView(input, ops.transpose(unwrap(input), dim0 as A, dim1 as B)),
);

/** The two axes of a matrix swapped; a vector or a 0-d tensor as it is. */
export const t = declare(
  "t()",
  <T extends AnyTensor>(input: T): Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]> =>
    wrapView(input, ops.t(unwrap(input))),
);

/** {@link Tensor.expand}. */
export const broadcastTo = declare(
  "broadcastTo(sizes)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Expand<T[ShapeKey], R>, T["dtype"]> => wrapView(input, ops.expand(unwrap(input), sizes as R)),
);

/** Without its axes of size 1, or those of `dim` that have size 1. */
export const squeeze = declare(
  "squeeze(dim)",
  <T extends AnyTensor, const A extends Axes = null>(
    input: T,
    dim?: Accept<SqueezeOrFail<T[ShapeKey], A>, A>,
  ): Tensor<SqueezeShape<T[ShapeKey], A>, T["dtype"]> =>
    wrapView(input, ops.squeeze(unwrap(input), (dim ?? null) as A)),
);

/** With an axis of size 1 in front of `dim`, which may be one past the last. */
export const unsqueeze = declare(
  "unsqueeze(dim)",
  <T extends AnyTensor, const A extends number>(
    input: T,
    dim: Accept<InsertOrFail<T[ShapeKey], A, 1>, A>,
  ): Tensor<Unsqueeze<T[ShapeKey], A>, T["dtype"]> => wrapView(input, ops.unsqueeze(unwrap(input), dim as A)),
);

/** Order reversed along the axes. */
export const flip = declare(
  "flip(dims)",
  <T extends AnyTensor, const A extends number | readonly number[]>(
    input: T,
    dims: CheckAxes<T[ShapeKey], A>,
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const axes: number | readonly number[] = dims as A;
    return wrap(ops.flip(unwrap(input), typeof axes === "number" ? [axes] : axes));
  },
);

/** Places moved by `shifts`, the ones that fall off put back in front; as if x were flat when there are no `dims`. */
export const roll = declare(
  "roll(shifts, dims)",
  <T extends AnyTensor, const A extends number | readonly number[]>(
    input: T,
    shifts: number | readonly number[],
    dims?: CheckAxes<T[ShapeKey], A>,
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.roll(unwrap(input), shifts, (dims ?? null) as A | null)),
);

/**
 * `value` (0) put around the elements. `widths` has a pair for each axis, the last axis first. `[1, 2]` puts one place in front of
 * the last axis and two behind. Negative widths cut.
 */
export const pad = declare(
  "pad(widths, { mode, value })",
  <T extends AnyTensor, const W extends readonly number[]>(
    input: T,
    widths: Accept<PadOrFail<T[ShapeKey], W>, W>,
    options?: PadOptions,
  ): Tensor<Pad<T[ShapeKey], W>, T["dtype"]> => {
    const x = unwrap(input);
    const { mode = "constant", value } = options ?? {};
    if (mode === "constant") return wrap(ops.pad(x, widths as W, value ?? 0));
    return wrap(padBy(mode, x, widths as W));
  },
);

/** The whole repeated along the last axes; missing counts are 1. */
export const tile = declare(
  "tile(repeats)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    repeats: R,
  ): Tensor<Tile<T[ShapeKey], R>, T["dtype"]> => {
    const x = unwrap(input);
    const missing = Array.isArray(repeats) ? x.node.shape.length - repeats.length : 0;
    return wrap(ops.repeat(x, leadingOnes(missing, repeats)));
  },
);

/** The places (i, i + offset) of two axes (0 and 1) as the last axis. */
export const diagonal = declare(
  "diagonal(offset, dim1, dim2)",
  <T extends AnyTensor, const O extends number = 0, const A extends number = 0, const B extends number = 1>(
    input: T,
    offset: O = 0 as O,
    dim1: A = 0 as A,
    dim2: Accept<DiagonalOrFail<T[ShapeKey], O, A, B>, B> = 1 as never,
  ): Tensor<Diagonal<T[ShapeKey], O, A, B>, T["dtype"]> =>
    wrapView(input, ops.diagonal(unwrap(input), offset, dim1, dim2 as B)),
);

/** Column minus row of every place of the last two axes. */
function offsets(x: Value, diagonal: number): Value {
  const { shape } = x.node;
  if (shape.length < 2) {
    throw new ShapeError(`input tensor must have at least 2 dimensions (got shape ${showShape(shape)})`);
  }
  checkInteger("diagonal", diagonal);
  const rows = shape[shape.length - 2]!;
  return sub(
    record.iota("int32", shape[shape.length - 1]!),
    record.reshape(record.iota("int32", rows), [rows, 1]),
  );
}

/** The last two axes on and below a diagonal, zeros above it. */
export const tril = sameUnary<[diagonal?: number]>("tril(diagonal)", (x, diagonal = 0) =>
  where(le(offsets(x, diagonal), diagonal), x, as(x.node.dtype, 0)),
);

/** The last two axes on and above a diagonal, zeros below it. */
export const triu = sameUnary<[diagonal?: number]>("triu(diagonal)", (x, diagonal = 0) =>
  where(ge(offsets(x, diagonal), diagonal), x, as(x.node.dtype, 0)),
);

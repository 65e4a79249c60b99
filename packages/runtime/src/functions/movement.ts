/**
 * Movements: the same elements in another arrangement, with x's dtype. Each is PyTorch's op of the same name. Negative axes count from the
 * end. Diagonal matrices are made here too. Nothing is copied: the compiler folds movements into the kernels that read them.
 * @throws ShapeError for shapes that do not fit, RangeError for an axis or a place that does not exist.
 */
import {
  type Accept,
  type Add,
  type Axes,
  type CheckAxes,
  checkInteger,
  type Diagonal,
  type DiagonalEmbedded,
  type DiagonalOrFail,
  type Distance,
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
  padWidths,
  type Reshape,
  type ReshapeOrFail,
  type Scalar,
  ShapeError,
  type SqueezeOrFail,
  type SqueezeShape,
  showArgument,
  showShape,
  type Tile,
  type Transpose,
  type TransposeMatrix,
  type TransposeOrFail,
  type Unsqueeze,
  type WrapAxis,
  wrapAxis,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { declare } from "../declare/declaration.ts";
import { sameUnary } from "../declare/families.ts";
import { flat } from "../ops/indexing.ts";
import * as ops from "../ops/movement.ts";
import { as } from "../ops/operand.ts";
import { eq, ge, le, sub, where } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** Options of `pad`. */
export interface PadOptions {
  /** What the padding is: `value`, or elements of x: mirrored at the edge, the edge itself, or from the other end. Default "constant". */
  readonly mode?: PadMode;
  readonly value?: Scalar;
}

/** The elements in row-major order under another shape. One size may be −1, which is computed from the others. */
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

/** The last two axes swapped, as `x.mT`: there are no complex numbers. @throws ShapeError for one axis. */
export const adjoint = declare(
  "adjoint()",
  <T extends AnyTensor>(input: T): Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]> => {
    const x = unwrap(input);
    const { length } = x.node.shape;
    if (length === 1)
      throw new ShapeError(
        `tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.`,
      );
    return wrapView(input, length === 0 ? x : ops.transpose(x, -2, -1));
  },
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

/** The axes as given, or the message. An axis may be given twice. */
type CheckRolled<S extends number[], A> = [
  Extract<WrapAxis<S, Extract<A extends readonly (infer One)[] ? One : A, number>>, string>,
] extends [never]
  ? A
  : CheckAxes<S, A>;

/** Elements moved by `shifts` along `dims`; those that leave at one end enter at the other. Without `dims`, x is flattened first. */
export const roll = declare(
  "roll(shifts, dims)",
  <T extends AnyTensor, const A extends number | readonly number[]>(
    input: T,
    shifts: number | readonly number[],
    dims?: CheckRolled<T[ShapeKey], A>,
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.roll(unwrap(input), shifts, (dims ?? null) as A | null)),
);

type PadMode = "constant" | "reflect" | "replicate" | "circular";

/**
 * Pads by `widths`, pairs with the last axis first; negative widths remove places. "circular" removes places first, and repeats what is
 * left. The other modes pad from the whole tensor, so they remove places last.
 */
function padBy(mode: Exclude<PadMode, "constant">, x: Value, widths: readonly number[]): Value {
  const sides = sideOf[mode];
  if (sides === undefined)
    throw new TypeError(
      `Unrecognised padding mode ${showArgument(mode)} ("constant", "reflect", "replicate" or "circular")`,
    );
  const { shape } = x.node;
  const { before, after } = padWidths(shape, widths);
  const axes = widths.length / 2;
  if (axes < 1 || axes > 3 || (shape.length !== axes + 1 && shape.length !== axes + 2))
    throw new ShapeError(
      `Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now (${axes} padded axes of ${shape.length}; one or two axes in front are left alone: x.unsqueeze(0) has one more)`,
    );
  const cuts = widths.map((width) => Math.min(0, width));
  let result = mode === "circular" ? ops.pad(x, cuts, 0) : x;
  for (let axis = shape.length - axes; axis < shape.length; axis++) {
    const front = Math.max(0, before[axis]!);
    const back = Math.max(0, after[axis]!);
    checkWidth(mode, result, axis, front, back);
    const parts = [sides(result, axis, front, "front"), result, sides(result, axis, back, "back")];
    const kept = parts.filter((part) => part.node.shape[axis] !== 0);
    if (kept.length > 1) result = record.concat(kept, axis);
  }
  return mode === "circular" ? result : ops.pad(result, cuts, 0);
}

type Side = (x: Value, axis: number, width: number, end: "front" | "back") => Value;

const sideOf: { readonly [Mode in Exclude<PadMode, "constant">]: Side } = {
  circular: (x, axis, width, end) =>
    ops.narrowed(x, axis, end === "front" ? x.node.shape[axis]! - width : 0, width),
  reflect: (x, axis, width, end) =>
    ops.flip(ops.narrowed(x, axis, end === "front" ? 1 : x.node.shape[axis]! - 1 - width, width), [axis]),
  replicate: (x, axis, width, end) => {
    if (width === 0) return ops.narrowed(x, axis, 0, 0);
    const edge = ops.narrowed(x, axis, end === "front" ? 0 : x.node.shape[axis]! - 1, 1);
    return record.expand(
      edge,
      x.node.shape.map((size, other) => (other === axis ? width : size)),
    );
  },
};

function checkWidth(
  mode: Exclude<PadMode, "constant">,
  x: Value,
  axis: number,
  front: number,
  back: number,
): void {
  const size = x.node.shape[axis]!;
  const widest = Math.max(front, back);
  if (mode === "circular" && widest > size)
    throw new ShapeError(
      `Padding value causes wrapping around more than once. (padding (${front}, ${back}) of ${size} places of axis ${axis}, less what negative padding cuts)`,
    );
  if (mode === "reflect" && widest >= size && widest > 0)
    throw new ShapeError(
      `Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (${front}, ${back}) at dimension ${axis} of input ${x.node.shape.length} (size ${size})`,
    );
  if (mode === "replicate" && size === 0 && widest > 0)
    throw new ShapeError(`Expected a non-empty axis ${axis} to replicate the edge of`);
}

/**
 * x with `value` (0) around it. `widths` has a pair for each axis, the last axis first: `[1, 2]` puts one place before the last axis and
 * two after it. Negative widths remove places.
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

/** The whole tensor repeated along the last axes; missing counts are 1. */
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

/** The elements at places (i, i + offset) of two axes (0 and 1), along a new last axis. */
export const diagonal = declare(
  "diagonal(offset, dim1, dim2)",
  <T extends AnyTensor, const O extends number = 0, const A extends number = 0, const B extends number = 1>(
    input: T,
    offset: O = 0 as O,
    dim1: A = 0 as A,
    dim2: Accept<DiagonalOrFail<T[ShapeKey], O, A, B>, B> = 1 as never,
  ): Tensor<Diagonal<T[ShapeKey], NoInfer<O>, NoInfer<A>, NoInfer<B>>, T["dtype"]> =>
    wrapView(input, ops.diagonal(unwrap(input), offset, dim1, dim2 as B)),
);

/** The column minus the row, at every place of the last two axes. */
function offsets(x: Value, diagonal: number): Value {
  const { shape } = x.node;
  if (shape.length < 2)
    throw new ShapeError(`input tensor must have at least 2 dimensions (got shape ${showShape(shape)})`);
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

/** For a vector the matrix with that diagonal, for a matrix its diagonal. */
export type Diag<S extends number[], O extends number> = number extends S["length"]
  ? number[]
  : S extends [infer N extends number]
    ? O extends 0
      ? [N, N]
      : [Add<N, Distance<O>>, Add<N, Distance<O>>]
    : S["length"] extends 2
      ? Diagonal<S, O, 0, 1>
      : number[];

/** The last axis of x as the diagonal of two axes `dim1` and `dim2` of the result, zeros elsewhere. */
function embedded(x: Value, offset: number, dim1: number, dim2: number): Value {
  checkInteger("offset", offset);
  const { shape, dtype } = x.node;
  if (shape.length === 0) throw new RangeError("Dimension specified as -1 but tensor has no dimensions");
  const rank = shape.length + 1;
  const places = new Array<number>(rank).fill(1);
  const rows = wrapAxis(dim1, places);
  const columns = wrapAxis(dim2, places);
  if (rows === columns) throw new ShapeError(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const side = shape.at(-1)! + Math.abs(offset);
  const batch = shape.slice(0, -1);
  // Elements are numbered by their row or their column, whichever begins at 0.
  const none = batch.map(() => 0);
  const padded = record.pad(x, [...none, 0], [...none, Math.abs(offset)], as(dtype, 0));
  const spread = record.reshape(padded, offset < 0 ? [...batch, 1, side] : [...batch, side, 1]);
  const distance = sub(record.iota("int32", side), record.reshape(record.iota("int32", side), [side, 1]));
  const matrix = where(eq(distance, offset), spread, dtype === "bool" ? false : 0);
  return record.permute(matrix, placed(rank, rows, columns));
}

/** The permutation that moves the last two axes to `rows` and `columns`; the others keep their order. */
function placed(rank: number, rows: number, columns: number): number[] {
  let next = 0;
  return Array.from({ length: rank }, (_, axis) =>
    axis === rows ? rank - 2 : axis === columns ? rank - 1 : next++,
  );
}

/**
 * A matrix of zeros with a vector on its diagonal; for a matrix, its diagonal.
 * @throws ShapeError for more axes.
 */
export const diag = declare(
  "diag(offset)",
  <T extends AnyTensor, const O extends number = 0>(
    input: T,
    offset: O = 0 as O,
  ): Tensor<Diag<T[ShapeKey], NoInfer<O>>, T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    if (shape.length === 1) return wrap(embedded(x, offset, 0, 1));
    if (shape.length === 2) return wrap(ops.diagonal(x, offset, 0, 1));
    throw new ShapeError(`matrix or a vector expected (got shape ${showShape(shape)})`);
  },
);

/** A matrix of zeros with all elements, in row-major order, on its diagonal. */
export const diagflat = declare(
  "diagflat(offset)",
  <T extends AnyTensor>(input: T, offset = 0): Tensor<[number, number], T["dtype"]> =>
    wrap(embedded(flat(unwrap(input)), offset, 0, 1)),
);

/** Zeros with the last axis on the diagonal of two new axes, `dim1` (−2) and `dim2` (−1) of the result. */
export const diagEmbed = declare(
  "diagEmbed(offset, dim1, dim2)",
  <T extends AnyTensor, const O extends number = 0, const A extends number = -2, const B extends number = -1>(
    input: T,
    offset?: O,
    dim1?: A,
    dim2?: B,
  ): Tensor<DiagonalEmbedded<T[ShapeKey], NoInfer<O>, NoInfer<A>, NoInfer<B>>, T["dtype"]> =>
    wrap(embedded(unwrap(input), offset ?? 0, dim1 ?? -2, dim2 ?? -1)),
);

/** The movement methods as functions: `permute(x, [1, 0])` is `x.permute([1, 0])`. */
import type {
  Accept,
  Axes,
  CheckAxes,
  ChunkOrFail,
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
  Reshape,
  ReshapeOrFail,
  SplitOrFail,
  SqueezeOrFail,
  SqueezeShape,
  Tile,
  Transpose,
  TransposeMatrix,
  TransposeOrFail,
  UnbindOrFail,
  Unsqueeze,
} from "@fuseau/ir";
import type { ShapeKey } from "../tensor/handle.ts";
import type { PadOptions } from "../tensor/movement.ts";
import type { CheckAxis, Narrowed, Selected } from "../tensor/pieces.ts";
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type { AnyTensor, Same, TensorsOf } from "../tensor/types.ts";

/** {@link Tensor.reshape} */
export function reshape<T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
): Tensor<Reshape<T[ShapeKey], R>, T["dtype"]>;
export function reshape(x: AnyTensor, shape: readonly number[]): AnyTensor {
  return receiver("reshape", x).reshape(shape);
}

/** {@link Tensor.flatten} */
export function flatten<T extends AnyTensor, const A extends number = 0, const B extends number = -1>(
  x: T,
  startDim?: Accept<FlattenOrFail<T[ShapeKey], A, -1>, A>,
  endDim?: Accept<FlattenOrFail<T[ShapeKey], A, B>, B>,
): Tensor<Flatten<T[ShapeKey], A, B>, T["dtype"]>;
export function flatten(x: AnyTensor, startDim = 0, endDim = -1): AnyTensor {
  return receiver("flatten", x).flatten(startDim, endDim);
}

/** {@link Tensor.ravel} */
export function ravel<T extends AnyTensor>(x: T): Tensor<Reshape<T[ShapeKey], [-1]>, T["dtype"]>;
export function ravel(x: AnyTensor): AnyTensor {
  return receiver("ravel", x).ravel();
}

/** {@link Tensor.permute} */
export function permute<T extends AnyTensor, const P extends readonly number[]>(
  x: T,
  dims: Accept<PermuteOrFail<T[ShapeKey], P>, P>,
): Tensor<Permute<T[ShapeKey], P>, T["dtype"]>;
export function permute(x: AnyTensor, dims: readonly number[]): AnyTensor {
  return receiver("permute", x).permute(dims);
}

/** {@link Tensor.transpose} */
export function transpose<T extends AnyTensor, const A extends number, const B extends number>(
  x: T,
  dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
  dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
export function transpose(x: AnyTensor, dim0: number, dim1: number): AnyTensor {
  return receiver("transpose", x).transpose(dim0, dim1);
}

/** {@link Tensor.t} */
export function t<T extends AnyTensor>(x: T): Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]> {
  return receiver("t", x).t();
}

/** {@link Tensor.broadcastTo} */
export function broadcastTo<T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
): Tensor<Expand<T[ShapeKey], R>, T["dtype"]>;
export function broadcastTo(x: AnyTensor, sizes: readonly number[]): AnyTensor {
  return receiver("broadcastTo", x).broadcastTo(sizes);
}

/** {@link Tensor.squeeze} */
export function squeeze<T extends AnyTensor, const A extends Axes = null>(
  x: T,
  dim?: Accept<SqueezeOrFail<T[ShapeKey], A>, A>,
): Tensor<SqueezeShape<T[ShapeKey], A>, T["dtype"]>;
export function squeeze(x: AnyTensor, dim?: Axes): AnyTensor {
  return receiver("squeeze", x).squeeze(dim);
}

/** {@link Tensor.unsqueeze} */
export function unsqueeze<T extends AnyTensor, const A extends number>(
  x: T,
  dim: Accept<InsertOrFail<T[ShapeKey], A, 1>, A>,
): Tensor<Unsqueeze<T[ShapeKey], A>, T["dtype"]>;
export function unsqueeze(x: AnyTensor, dim: number): AnyTensor {
  return receiver("unsqueeze", x).unsqueeze(dim);
}

/** {@link Tensor.flip} */
export function flip<T extends AnyTensor, const A extends number | readonly number[]>(
  x: T,
  dims: CheckAxes<T[ShapeKey], A>,
): Same<T>;
export function flip(x: AnyTensor, dims: number | readonly number[]): AnyTensor {
  return receiver("flip", x).flip(dims);
}

/** {@link Tensor.roll} */
export function roll<T extends AnyTensor, const A extends number | readonly number[]>(
  x: T,
  shifts: number | readonly number[],
  dims?: CheckAxes<T[ShapeKey], A>,
): Same<T>;
export function roll(
  x: AnyTensor,
  shifts: number | readonly number[],
  dims?: number | readonly number[],
): AnyTensor {
  return receiver("roll", x).roll(shifts, dims);
}

/** {@link Tensor.pad} */
export function pad<T extends AnyTensor, const W extends readonly number[]>(
  x: T,
  widths: Accept<PadOrFail<T[ShapeKey], W>, W>,
  options?: PadOptions,
): Tensor<Pad<T[ShapeKey], W>, T["dtype"]>;
export function pad(x: AnyTensor, widths: readonly number[], options?: PadOptions): AnyTensor {
  return receiver("pad", x).pad(widths, options);
}

/** {@link Tensor.tile} */
export function tile<T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  repeats: R,
): Tensor<Tile<T[ShapeKey], R>, T["dtype"]>;
export function tile(x: AnyTensor, repeats: readonly number[]): AnyTensor {
  return receiver("tile", x).tile(repeats);
}

/** {@link Tensor.diagonal} */
export function diagonal<
  T extends AnyTensor,
  const O extends number = 0,
  const A extends number = 0,
  const B extends number = 1,
>(
  x: T,
  offset?: O,
  dim1?: A,
  dim2?: Accept<DiagonalOrFail<T[ShapeKey], O, A, B>, B>,
): Tensor<Diagonal<T[ShapeKey], O, A, B>, T["dtype"]>;
export function diagonal(x: AnyTensor, offset = 0, dim1 = 0, dim2 = 1): AnyTensor {
  return receiver("diagonal", x).diagonal(offset, dim1, dim2);
}

/** {@link Tensor.tril} */
export function tril<T extends AnyTensor>(x: T, diagonal?: number): Same<T> {
  return receiver("tril", x).tril(diagonal);
}

/** {@link Tensor.triu} */
export function triu<T extends AnyTensor>(x: T, diagonal?: number): Same<T> {
  return receiver("triu", x).triu(diagonal);
}

/** {@link Tensor.select} */
export function select<T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  index: number,
): Tensor<Selected<T[ShapeKey], A>, T["dtype"]>;
export function select(x: AnyTensor, dim: number, index: number): AnyTensor {
  return receiver("select", x).select(dim, index);
}

/** {@link Tensor.narrow} */
export function narrow<T extends AnyTensor, const A extends number, const L extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  start: number | AnyTensor,
  length: L,
): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]>;
export function narrow(x: AnyTensor, dim: number, start: number | AnyTensor, length: number): AnyTensor {
  return receiver("narrow", x).narrow(dim, start, length);
}

/** {@link Tensor.narrowCopy} */
export function narrowCopy<T extends AnyTensor, const A extends number, const L extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  start: number,
  length: L,
): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]>;
export function narrowCopy(x: AnyTensor, dim: number, start: number, length: number): AnyTensor {
  return receiver("narrowCopy", x).narrowCopy(dim, start, length);
}

/** {@link Tensor.splitWithSizes} */
export function splitWithSizes<
  T extends AnyTensor,
  const P extends readonly number[],
  const A extends number = 0,
>(
  x: T,
  splitSizes: P,
  dim?: CheckAxis<T[ShapeKey], A>,
): TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
export function splitWithSizes(x: AnyTensor, splitSizes: readonly number[], dim = 0): AnyTensor[] {
  return receiver("splitWithSizes", x).splitWithSizes(splitSizes, dim);
}

/** {@link Tensor.split} */
export function split<
  T extends AnyTensor,
  const P extends number | readonly number[],
  const A extends number = 0,
>(x: T, splitSize: P, dim?: CheckAxis<T[ShapeKey], A>): TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
export function split(x: AnyTensor, splitSize: number | readonly number[], dim = 0): AnyTensor[] {
  return receiver("split", x).split(splitSize, dim);
}

/** {@link Tensor.chunk} */
export function chunk<T extends AnyTensor, const C extends number, const A extends number = 0>(
  x: T,
  chunks: C,
  dim?: CheckAxis<T[ShapeKey], A>,
): TensorsOf<ChunkOrFail<T[ShapeKey], C, A>, T["dtype"]>;
export function chunk(x: AnyTensor, chunks: number, dim = 0): AnyTensor[] {
  return receiver("chunk", x).chunk(chunks, dim);
}

/** {@link Tensor.unbind} */
export function unbind<T extends AnyTensor, const A extends number = 0>(
  x: T,
  dim?: CheckAxis<T[ShapeKey], A>,
): TensorsOf<UnbindOrFail<T[ShapeKey], A>, T["dtype"]>;
export function unbind(x: AnyTensor, dim = 0): AnyTensor[] {
  return receiver("unbind", x).unbind(dim);
}

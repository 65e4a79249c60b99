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
import type { Tensor } from "../tensor/tensor.ts";
import type { AnyTensor, Same, TensorsOf } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.reshape} */
export const reshape: <T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
) => Tensor<Reshape<T[ShapeKey], R>, T["dtype"]> = functionOf("reshape");

/** {@link Tensor.flatten} */
export const flatten: <T extends AnyTensor, const A extends number = 0, const B extends number = -1>(
  x: T,
  startDim?: Accept<FlattenOrFail<T[ShapeKey], A, -1>, A>,
  endDim?: Accept<FlattenOrFail<T[ShapeKey], A, B>, B>,
) => Tensor<Flatten<T[ShapeKey], A, B>, T["dtype"]> = functionOf("flatten");

/** {@link Tensor.ravel} */
export const ravel: <T extends AnyTensor>(x: T) => Tensor<Reshape<T[ShapeKey], [-1]>, T["dtype"]> =
  functionOf("ravel");

/** {@link Tensor.permute} */
export const permute: <T extends AnyTensor, const P extends readonly number[]>(
  x: T,
  dims: Accept<PermuteOrFail<T[ShapeKey], P>, P>,
) => Tensor<Permute<T[ShapeKey], P>, T["dtype"]> = functionOf("permute");

/** {@link Tensor.transpose} */
export const transpose: <T extends AnyTensor, const A extends number, const B extends number>(
  x: T,
  dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
  dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
) => Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]> = functionOf("transpose");

/** {@link Tensor.t} */
export const t: <T extends AnyTensor>(x: T) => Tensor<TransposeMatrix<T[ShapeKey]>, T["dtype"]> =
  functionOf("t");

/** {@link Tensor.broadcastTo} */
export const broadcastTo: <T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
) => Tensor<Expand<T[ShapeKey], R>, T["dtype"]> = functionOf("broadcastTo");

/** {@link Tensor.squeeze} */
export const squeeze: <T extends AnyTensor, const A extends Axes = null>(
  x: T,
  dim?: Accept<SqueezeOrFail<T[ShapeKey], A>, A>,
) => Tensor<SqueezeShape<T[ShapeKey], A>, T["dtype"]> = functionOf("squeeze");

/** {@link Tensor.unsqueeze} */
export const unsqueeze: <T extends AnyTensor, const A extends number>(
  x: T,
  dim: Accept<InsertOrFail<T[ShapeKey], A, 1>, A>,
) => Tensor<Unsqueeze<T[ShapeKey], A>, T["dtype"]> = functionOf("unsqueeze");

/** {@link Tensor.flip} */
export const flip: <T extends AnyTensor, const A extends number | readonly number[]>(
  x: T,
  dims: CheckAxes<T[ShapeKey], A>,
) => Same<T> = functionOf("flip");

/** {@link Tensor.roll} */
export const roll: <T extends AnyTensor, const A extends number | readonly number[]>(
  x: T,
  shifts: number | readonly number[],
  dims?: CheckAxes<T[ShapeKey], A>,
) => Same<T> = functionOf("roll");

/** {@link Tensor.pad} */
export const pad: <T extends AnyTensor, const W extends readonly number[]>(
  x: T,
  widths: Accept<PadOrFail<T[ShapeKey], W>, W>,
  options?: PadOptions,
) => Tensor<Pad<T[ShapeKey], W>, T["dtype"]> = functionOf("pad");

/** {@link Tensor.tile} */
export const tile: <T extends AnyTensor, const R extends readonly number[]>(
  x: T,
  repeats: R,
) => Tensor<Tile<T[ShapeKey], R>, T["dtype"]> = functionOf("tile");

/** {@link Tensor.diagonal} */
export const diagonal: <
  T extends AnyTensor,
  const O extends number = 0,
  const A extends number = 0,
  const B extends number = 1,
>(
  x: T,
  offset?: O,
  dim1?: A,
  dim2?: Accept<DiagonalOrFail<T[ShapeKey], O, A, B>, B>,
) => Tensor<Diagonal<T[ShapeKey], O, A, B>, T["dtype"]> = functionOf("diagonal");

/** {@link Tensor.tril} */
export const tril: <T extends AnyTensor>(x: T, diagonal?: number) => Same<T> = functionOf("tril");

/** {@link Tensor.triu} */
export const triu: <T extends AnyTensor>(x: T, diagonal?: number) => Same<T> = functionOf("triu");

/** {@link Tensor.select} */
export const select: <T extends AnyTensor, const A extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  index: number,
) => Tensor<Selected<T[ShapeKey], A>, T["dtype"]> = functionOf("select");

/** {@link Tensor.narrow} */
export const narrow: <T extends AnyTensor, const A extends number, const L extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  start: number | AnyTensor,
  length: L,
) => Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]> = functionOf("narrow");

/** {@link Tensor.narrowCopy} */
export const narrowCopy: <T extends AnyTensor, const A extends number, const L extends number>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  start: number,
  length: L,
) => Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]> = functionOf("narrowCopy");

export type SplitWithSizesFunction = <
  T extends AnyTensor,
  const P extends readonly number[],
  const A extends number = 0,
>(
  x: T,
  splitSizes: P,
  dim?: CheckAxis<T[ShapeKey], A>,
) => TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
/** {@link Tensor.splitWithSizes} */
export const splitWithSizes: SplitWithSizesFunction = functionOf<SplitWithSizesFunction>("splitWithSizes");

export type SplitFunction = <
  T extends AnyTensor,
  const P extends number | readonly number[],
  const A extends number = 0,
>(
  x: T,
  splitSize: P,
  dim?: CheckAxis<T[ShapeKey], A>,
) => TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
/** {@link Tensor.split} */
export const split: SplitFunction = functionOf<SplitFunction>("split");

export type ChunkFunction = <T extends AnyTensor, const C extends number, const A extends number = 0>(
  x: T,
  chunks: C,
  dim?: CheckAxis<T[ShapeKey], A>,
) => TensorsOf<ChunkOrFail<T[ShapeKey], C, A>, T["dtype"]>;
/** {@link Tensor.chunk} */
export const chunk: ChunkFunction = functionOf<ChunkFunction>("chunk");

/** {@link Tensor.unbind} */
export const unbind: <T extends AnyTensor, const A extends number = 0>(
  x: T,
  dim?: CheckAxis<T[ShapeKey], A>,
) => TensorsOf<UnbindOrFail<T[ShapeKey], A>, T["dtype"]> = functionOf("unbind");

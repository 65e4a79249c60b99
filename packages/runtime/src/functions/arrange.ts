/** Movements that are short for others as functions: `movedim(x, 0, 1)` is `x.movedim(0, 1)`. */

import type {
  Accept,
  AtLeast,
  Move,
  MoveOrFail,
  RepeatInterleaved,
  SectionsAlong,
  SectionsOrFail,
  Transpose,
  TransposeOrFail,
  Unflatten,
  UnflattenOrFail,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { operation } from "../entry/operation.ts";
import { atLeast } from "../ops/arrange.ts";
import type { Cuts, Rotated } from "../tensor/arrange.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { CheckAxis } from "../tensor/pieces.ts";
import { receiver, type Tensor, unwrap } from "../tensor/tensor.ts";
import type { AnyTensor, Same, TensorsOf } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

type Dims = number | readonly number[];

/** {@link Tensor.movedim} */
export const movedim: <T extends AnyTensor, const A extends Dims, const B extends Dims>(
  x: T,
  source: Accept<MoveOrFail<T[ShapeKey], A, A>, A>,
  destination: Accept<MoveOrFail<T[ShapeKey], B, B>, B>,
) => Tensor<Move<T[ShapeKey], A, B>, T["dtype"]> = functionOf("movedim");

/** {@link Tensor.movedim} */
export const moveaxis: typeof movedim = movedim;

/** {@link Tensor.swapaxes} */
export const swapaxes: <T extends AnyTensor, const A extends number, const B extends number>(
  x: T,
  axis0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
  axis1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
) => Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]> = functionOf("swapaxes");

/** {@link Tensor.swapaxes} */
export const swapdims: typeof swapaxes = swapaxes;

/** {@link Tensor.rot90} */
export const rot90: <
  T extends AnyTensor,
  const K extends number = 1,
  const P extends readonly number[] = readonly [0, 1],
>(
  x: T,
  k?: K,
  dims?: P,
) => Tensor<Rotated<T[ShapeKey], K, P>, T["dtype"]> = functionOf("rot90");

/** {@link Tensor.flipud} */
export const flipud: <T extends AnyTensor>(x: T) => Same<T> = functionOf("flipud");

/** {@link Tensor.fliplr} */
export const fliplr: <T extends AnyTensor>(x: T) => Same<T> = functionOf("fliplr");

/** {@link Tensor.unflatten} */
export const unflatten: <T extends AnyTensor, const A extends number, const R extends readonly number[]>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  sizes: Accept<UnflattenOrFail<T[ShapeKey], A, R>, R>,
) => Tensor<Unflatten<T[ShapeKey], A, R>, T["dtype"]> = functionOf("unflatten");

/** {@link Tensor.repeatInterleave} */
export const repeatInterleave: <
  T extends AnyTensor,
  const R extends Dims | AnyTensor,
  const A extends number | null = null,
>(
  x: T,
  repeats: R,
  dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
) => Tensor<RepeatInterleaved<T[ShapeKey], R, A>, T["dtype"]> = functionOf("repeatInterleave");

/** {@link Tensor.tensorSplit} */
export const tensorSplit: <T extends AnyTensor, const C extends Cuts | AnyTensor, const A extends number = 0>(
  x: T,
  indicesOrSections: C,
  dim?: CheckAxis<T[ShapeKey], A>,
) => TensorsOf<SectionsOrFail<T[ShapeKey], C, A>, T["dtype"]> = functionOf("tensorSplit");

/** {@link Tensor.hsplit} */
export const hsplit: <T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
) => TensorsOf<SectionsAlong<T[ShapeKey], C, 1>, T["dtype"]> = functionOf("hsplit");

/** {@link Tensor.vsplit} */
export const vsplit: <T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
) => TensorsOf<SectionsAlong<T[ShapeKey], C, 0>, T["dtype"]> = functionOf("vsplit");

/** {@link Tensor.dsplit} */
export const dsplit: <T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
) => TensorsOf<SectionsAlong<T[ShapeKey], C, 2>, T["dtype"]> = functionOf("dsplit");

const widened = (op: string, rank: 1 | 2 | 3, x: AnyTensor): AnyTensor =>
  wrapView(x, atLeast(rank, unwrap(receiver(op, x))));

/** A 0-d tensor as one place of an axis; any other as it is. PyTorch: `atleast_1d`. */
export const atleast1d: <T extends AnyTensor>(x: T) => Tensor<AtLeast<T[ShapeKey], 1>, T["dtype"]> =
  operation("atleast1d", "input", (x: AnyTensor): AnyTensor => widened("atleast1d", 1, x));

/** A vector as a row; what has two axes or more as it is. PyTorch: `atleast_2d`. */
export const atleast2d: <T extends AnyTensor>(x: T) => Tensor<AtLeast<T[ShapeKey], 2>, T["dtype"]> =
  operation("atleast2d", "input", (x: AnyTensor): AnyTensor => widened("atleast2d", 2, x));

/** [n] as [1, n, 1], [m, n] as [m, n, 1]; what has three axes or more as it is. PyTorch: `atleast_3d`. */
export const atleast3d: <T extends AnyTensor>(x: T) => Tensor<AtLeast<T[ShapeKey], 3>, T["dtype"]> =
  operation("atleast3d", "input", (x: AnyTensor): AnyTensor => widened("atleast3d", 3, x));

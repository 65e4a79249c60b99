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
import { atLeast } from "../ops/arrange.ts";
import type { Cuts, Rotated } from "../tensor/arrange.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { CheckAxis } from "../tensor/pieces.ts";
import { receiver, type Tensor, unwrap } from "../tensor/tensor.ts";
import type { AnyTensor, Same, TensorsOf } from "../tensor/types.ts";

type Dims = number | readonly number[];

/** {@link Tensor.movedim} */
export function movedim<T extends AnyTensor, const A extends Dims, const B extends Dims>(
  x: T,
  source: Accept<MoveOrFail<T[ShapeKey], A, A>, A>,
  destination: Accept<MoveOrFail<T[ShapeKey], B, B>, B>,
): Tensor<Move<T[ShapeKey], A, B>, T["dtype"]>;
export function movedim(x: AnyTensor, source: Dims, destination: Dims): AnyTensor {
  return receiver("movedim", x).movedim(source, destination);
}

/** {@link Tensor.movedim} */
export const moveaxis: typeof movedim = movedim;

/** {@link Tensor.swapaxes} */
export function swapaxes<T extends AnyTensor, const A extends number, const B extends number>(
  x: T,
  axis0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
  axis1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
export function swapaxes(x: AnyTensor, axis0: number, axis1: number): AnyTensor {
  return receiver("swapaxes", x).swapaxes(axis0, axis1);
}

/** {@link Tensor.swapaxes} */
export const swapdims: typeof swapaxes = swapaxes;

/** {@link Tensor.rot90} */
export function rot90<
  T extends AnyTensor,
  const K extends number = 1,
  const P extends readonly number[] = readonly [0, 1],
>(x: T, k?: K, dims?: P): Tensor<Rotated<T[ShapeKey], K, P>, T["dtype"]> {
  return receiver("rot90", x).rot90(k, dims);
}

/** {@link Tensor.flipud} */
export const flipud = <T extends AnyTensor>(x: T): Same<T> => receiver("flipud", x).flipud();

/** {@link Tensor.fliplr} */
export const fliplr = <T extends AnyTensor>(x: T): Same<T> => receiver("fliplr", x).fliplr();

/** {@link Tensor.unflatten} */
export function unflatten<T extends AnyTensor, const A extends number, const R extends readonly number[]>(
  x: T,
  dim: CheckAxis<T[ShapeKey], A>,
  sizes: Accept<UnflattenOrFail<T[ShapeKey], A, R>, R>,
): Tensor<Unflatten<T[ShapeKey], A, R>, T["dtype"]>;
export function unflatten(x: AnyTensor, dim: number, sizes: readonly number[]): AnyTensor {
  return receiver("unflatten", x).unflatten(dim, sizes);
}

/** {@link Tensor.repeatInterleave} */
export function repeatInterleave<
  T extends AnyTensor,
  const R extends Dims | AnyTensor,
  const A extends number | null = null,
>(
  x: T,
  repeats: R,
  dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
): Tensor<RepeatInterleaved<T[ShapeKey], R, A>, T["dtype"]>;
export function repeatInterleave(
  x: AnyTensor,
  repeats: Dims | AnyTensor,
  dim: number | null = null,
): AnyTensor {
  return receiver("repeatInterleave", x).repeatInterleave(repeats, dim);
}

/** {@link Tensor.tensorSplit} */
export function tensorSplit<
  T extends AnyTensor,
  const C extends Cuts | AnyTensor,
  const A extends number = 0,
>(
  x: T,
  indicesOrSections: C,
  dim?: CheckAxis<T[ShapeKey], A>,
): TensorsOf<SectionsOrFail<T[ShapeKey], C, A>, T["dtype"]>;
export function tensorSplit(x: AnyTensor, indicesOrSections: Cuts | AnyTensor, dim = 0): AnyTensor[] {
  return receiver("tensorSplit", x).tensorSplit(indicesOrSections, dim);
}

/** {@link Tensor.hsplit} */
export function hsplit<T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
): TensorsOf<SectionsAlong<T[ShapeKey], C, 1>, T["dtype"]> {
  return receiver("hsplit", x).hsplit(indicesOrSections);
}

/** {@link Tensor.vsplit} */
export function vsplit<T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
): TensorsOf<SectionsAlong<T[ShapeKey], C, 0>, T["dtype"]> {
  return receiver("vsplit", x).vsplit(indicesOrSections);
}

/** {@link Tensor.dsplit} */
export function dsplit<T extends AnyTensor, const C extends Cuts>(
  x: T,
  indicesOrSections: C,
): TensorsOf<SectionsAlong<T[ShapeKey], C, 2>, T["dtype"]> {
  return receiver("dsplit", x).dsplit(indicesOrSections);
}

const widened = (op: string, rank: 1 | 2 | 3, x: AnyTensor): AnyTensor =>
  wrapView(x, atLeast(rank, unwrap(receiver(op, x))));

/** A 0-d tensor as one place of an axis; any other as it is. PyTorch: `atleast_1d`. */
export function atleast1d<T extends AnyTensor>(x: T): Tensor<AtLeast<T[ShapeKey], 1>, T["dtype"]>;
export function atleast1d(x: AnyTensor): AnyTensor {
  return widened("atleast1d", 1, x);
}

/** A vector as a row; what has two axes or more as it is. PyTorch: `atleast_2d`. */
export function atleast2d<T extends AnyTensor>(x: T): Tensor<AtLeast<T[ShapeKey], 2>, T["dtype"]>;
export function atleast2d(x: AnyTensor): AnyTensor {
  return widened("atleast2d", 2, x);
}

/** [n] as [1, n, 1], [m, n] as [m, n, 1]; what has three axes or more as it is. PyTorch: `atleast_3d`. */
export function atleast3d<T extends AnyTensor>(x: T): Tensor<AtLeast<T[ShapeKey], 3>, T["dtype"]>;
export function atleast3d(x: AnyTensor): AnyTensor {
  return widened("atleast3d", 3, x);
}

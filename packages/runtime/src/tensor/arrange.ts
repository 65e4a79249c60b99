import {
  type Accept,
  type IsEven,
  type Move,
  type MoveOrFail,
  type RepeatInterleaved,
  type SectionsAlong,
  type SectionsOrFail,
  type Transpose,
  type TransposeOrFail,
  type Unflatten,
  type UnflattenOrFail,
  type Unfold,
  type UnfoldOrFail,
  unfoldedWindow,
} from "@fuseau/ir";
import { aliasOf, wrapView, wrapWindow } from "../alias/alias.ts";
import * as ops from "../ops/arrange.ts";
import { repeatInterleave } from "../ops/combination.ts";
import { transpose } from "../ops/movement.ts";
import { splitAlong, tensorSplit } from "../ops/sections.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "./handle.ts";
import type { CheckAxis } from "./pieces.ts";
import type { AnyTensor, Erased, Same, TensorsOf } from "./types.ts";

/** Where to cut: into so many sections, or in front of the places listed. */
export type Cuts = number | readonly number[];

/** The shape of S turned by K quarters. */
export type Rotated<S extends number[], K extends number, P extends readonly number[]> =
  IsEven<K> extends true
    ? S
    : IsEven<K> extends false
      ? P extends readonly [infer A extends number, infer B extends number]
        ? Transpose<S, A, B>
        : number[]
      : number[];

/**
 * Movements that are short for others, with x's dtype. Each is PyTorch's op of the same name.
 * @throws ShapeError for shapes that do not fit, RangeError for an axis or a place that does not exist.
 */
export interface ArrangeMethods {
  /** Axes moved from `source` to `destination`, the others in their order. */
  movedim<
    T extends AnyTensor,
    const A extends number | readonly number[],
    const B extends number | readonly number[],
  >(
    this: T,
    source: Accept<MoveOrFail<T[ShapeKey], A, A>, A>,
    destination: Accept<MoveOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Move<T[ShapeKey], A, B>, T["dtype"]>;
  /** {@link movedim}. */
  moveaxis<
    T extends AnyTensor,
    const A extends number | readonly number[],
    const B extends number | readonly number[],
  >(
    this: T,
    source: Accept<MoveOrFail<T[ShapeKey], A, A>, A>,
    destination: Accept<MoveOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Move<T[ShapeKey], A, B>, T["dtype"]>;
  /** Two axes swapped: `transpose`. */
  swapaxes<T extends AnyTensor, const A extends number, const B extends number>(
    this: T,
    axis0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    axis1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
  /** Two axes swapped: `transpose`. */
  swapdims<T extends AnyTensor, const A extends number, const B extends number>(
    this: T,
    dim0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    dim1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]>;
  /** Turned by `k` (1) quarters from the first of `dims` (`[0, 1]`) toward the second. */
  rot90<T extends AnyTensor, const K extends number = 1, const P extends readonly number[] = readonly [0, 1]>(
    this: T,
    k?: K,
    dims?: P,
  ): Tensor<Rotated<T[ShapeKey], K, P>, T["dtype"]>;
  /** Order reversed along the first axis. */
  flipud<T extends AnyTensor>(this: T): Same<T>;
  /** Order reversed along the second axis. */
  fliplr<T extends AnyTensor>(this: T): Same<T>;
  /** One axis cut into several; one size may be −1, which is what remains. */
  unflatten<T extends AnyTensor, const A extends number, const R extends readonly number[]>(
    this: T,
    dim: CheckAxis<T[ShapeKey], A>,
    sizes: Accept<UnflattenOrFail<T[ShapeKey], A, R>, R>,
  ): Tensor<Unflatten<T[ShapeKey], A, R>, T["dtype"]>;
  /** Windows of `size` places, `step` apart, of one axis: the windows stand there, their places are the last axis. A view. */
  unfold<T extends AnyTensor, const A extends number, const Z extends number, const P extends number>(
    this: T,
    dim: Accept<UnfoldOrFail<T[ShapeKey], A, Z, P>, A>,
    size: Z,
    step: P,
  ): Tensor<Unfold<T[ShapeKey], A, Z, P>, T["dtype"]>;
  /**
   * Each place of an axis repeated, next to itself: by one count, or by a list of one for each. As if x were flat when there is no
   * `dim`. A tensor of counts is computed at the call.
   */
  repeatInterleave<
    T extends AnyTensor,
    const R extends number | readonly number[] | AnyTensor,
    const A extends number | null = null,
  >(
    this: T,
    repeats: R,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
  ): Tensor<RepeatInterleaved<T[ShapeKey], R, A>, T["dtype"]>;
  /**
   * Pieces of an axis: so many, as equal as can be, the larger ones first, or cut in front of the places listed. A tensor of
   * places, or of the count, is computed at the call.
   */
  tensorSplit<T extends AnyTensor, const C extends Cuts | AnyTensor, const A extends number = 0>(
    this: T,
    indicesOrSections: C,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<SectionsOrFail<T[ShapeKey], C, A>, T["dtype"]>;
  /** {@link tensorSplit} of the second axis, or the only one; so many pieces must be equal. */
  hsplit<T extends AnyTensor, const C extends Cuts>(
    this: T,
    indicesOrSections: C,
  ): TensorsOf<SectionsAlong<T[ShapeKey], C, 1>, T["dtype"]>;
  /** {@link tensorSplit} of the first of at least two axes; so many pieces must be equal. */
  vsplit<T extends AnyTensor, const C extends Cuts>(
    this: T,
    indicesOrSections: C,
  ): TensorsOf<SectionsAlong<T[ShapeKey], C, 0>, T["dtype"]>;
  /** {@link tensorSplit} of the third axis; so many pieces must be equal. */
  dsplit<T extends AnyTensor, const C extends Cuts>(
    this: T,
    indicesOrSections: C,
  ): TensorsOf<SectionsAlong<T[ShapeKey], C, 2>, T["dtype"]>;
}

export const arrangeMethods: Erased<ArrangeMethods> = {
  movedim(source, destination) {
    return wrapView(this, ops.movedim("movedim", unwrap(this), source, destination));
  },
  moveaxis(source, destination) {
    return wrapView(this, ops.movedim("moveaxis", unwrap(this), source, destination));
  },
  swapaxes(axis0, axis1) {
    return wrapView(this, transpose("swapaxes", unwrap(this), axis0, axis1));
  },
  swapdims(dim0, dim1) {
    return wrapView(this, transpose("swapdims", unwrap(this), dim0, dim1));
  },
  rot90(k = 1 as never, dims = [0, 1] as never) {
    return wrap(ops.rot90(unwrap(this), k, dims));
  },
  flipud() {
    return wrap(ops.flipud(unwrap(this)));
  },
  fliplr() {
    return wrap(ops.fliplr(unwrap(this)));
  },
  unflatten(dim, sizes) {
    return wrapView(this, ops.unflatten(unwrap(this), dim, sizes));
  },
  unfold(dim, size, step) {
    return wrapWindow(this, unfoldedWindow("unfold", aliasOf(this).window, dim, size, step));
  },
  repeatInterleave(repeats, dim = null) {
    const counts = repeats instanceof Tensor ? unwrap(repeats) : repeats;
    return wrap(repeatInterleave(unwrap(this), counts, dim));
  },
  tensorSplit(indicesOrSections, dim = 0) {
    const cuts = indicesOrSections instanceof Tensor ? unwrap(indicesOrSections) : indicesOrSections;
    return tensorSplit(unwrap(this), cuts, dim).map((piece) => wrapView(this, piece));
  },
  hsplit(indicesOrSections) {
    return splitAlong("hsplit", unwrap(this), indicesOrSections).map((piece) => wrapView(this, piece));
  },
  vsplit(indicesOrSections) {
    return splitAlong("vsplit", unwrap(this), indicesOrSections).map((piece) => wrapView(this, piece));
  },
  dsplit(indicesOrSections) {
    return splitAlong("dsplit", unwrap(this), indicesOrSections).map((piece) => wrapView(this, piece));
  },
};

import {
  type ChunkOrFail,
  chunkSizes,
  type RemoveAt,
  type ReplaceAt,
  type SplitOrFail,
  splitAxis,
  type UnbindOrFail,
  type UnknownRank,
  type WrapAxis,
} from "@fuseau/ir";
import { wrapView } from "../alias/alias.ts";
import { placeNow } from "../ops/host.ts";
import * as ops from "../ops/movement.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, TensorsOf } from "./types.ts";

/** The axis itself, or the message when S has no such axis. */
export type CheckAxis<S extends number[], A extends number> = [Extract<WrapAxis<S, A>, string>] extends [
  never,
]
  ? A
  : Extract<WrapAxis<S, A>, string>;

/** S with `Length` places of axis A. */
export type Narrowed<S extends number[], A extends number, Length extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis extends number
      ? ReplaceAt<S, Axis, Length>
      : number[];

/** S without axis A. */
export type Selected<S extends number[], A extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis extends number
      ? number extends Axis
        ? number[]
        : RemoveAt<S, Axis>
      : number[];

/**
 * Pieces of an axis, with x's dtype. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis or a place that does not exist, ShapeError for sizes that do not add up.
 */
export interface PieceMethods {
  /** One place of an axis, which is dropped. */
  select<T extends AnyTensor, const A extends number>(
    this: T,
    dim: CheckAxis<T[ShapeKey], A>,
    index: number,
  ): Tensor<Selected<T[ShapeKey], A>, T["dtype"]>;
  /** `length` places of an axis from `start`, which is computed at the call when it is a 0-d tensor of integers. */
  narrow<T extends AnyTensor, const A extends number, const L extends number>(
    this: T,
    dim: CheckAxis<T[ShapeKey], A>,
    start: number | AnyTensor,
    length: L,
  ): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]>;
  /** A copy of {@link narrow}. */
  narrowCopy<T extends AnyTensor, const A extends number, const L extends number>(
    this: T,
    dim: CheckAxis<T[ShapeKey], A>,
    start: number,
    length: L,
  ): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]>;
  /** Pieces of the sizes listed. */
  splitWithSizes<T extends AnyTensor, const P extends readonly number[], const A extends number = 0>(
    this: T,
    splitSizes: P,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
  /** Pieces of `splitSize` places each, the last of which may be smaller, or of the sizes listed. */
  split<T extends AnyTensor, const P extends number | readonly number[], const A extends number = 0>(
    this: T,
    splitSize: P,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
  /** At most `chunks` pieces of equal size, the last of which may be smaller. */
  chunk<T extends AnyTensor, const C extends number, const A extends number = 0>(
    this: T,
    chunks: C,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<ChunkOrFail<T[ShapeKey], C, A>, T["dtype"]>;
  /** Every place of an axis, which is dropped. */
  unbind<T extends AnyTensor, const A extends number = 0>(
    this: T,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<UnbindOrFail<T[ShapeKey], A>, T["dtype"]>;
}

export const pieceMethods: Erased<PieceMethods> = {
  select(dim, index) {
    return wrapView(this, ops.select(unwrap(this), dim, index));
  },
  narrow(dim, start, length) {
    const place = start instanceof Tensor ? placeNow("narrow", unwrap(start)) : start;
    return wrapView(this, ops.narrow(unwrap(this), dim, place, length));
  },
  narrowCopy(dim, start, length) {
    return wrap(ops.narrow(unwrap(this), dim, start, length));
  },
  splitWithSizes(splitSizes, dim = 0) {
    return ops.split(unwrap(this), splitSizes, dim).map((piece) => wrapView(this, piece));
  },
  split(splitSize, dim = 0) {
    return ops.split(unwrap(this), splitSize, dim).map((piece) => wrapView(this, piece));
  },
  chunk(chunks, dim = 0) {
    const axis = splitAxis("chunk", this.shape, dim);
    return ops
      .pieces(unwrap(this), axis, chunkSizes("chunk", this.shape, axis, chunks))
      .map((piece) => wrapView(this, piece));
  },
  unbind(dim = 0) {
    return ops.unbind(unwrap(this), dim).map((piece) => wrapView(this, piece));
  },
};

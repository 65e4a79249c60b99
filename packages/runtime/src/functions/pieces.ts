/**
 * Pieces of an axis, with x's dtype: views. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis or a place that does not exist, ShapeError for sizes that do not add up.
 */
import {
  type ChunkOrFail,
  chunkSizes,
  type Exists,
  type RemoveAt,
  type ShowShape,
  type SizeAt,
  type SplitOrFail,
  splitAxis,
  type UnbindOrFail,
  type UnknownRank,
  type WrapAxis,
} from "@fuseau/ir";
import { wrapView, wrapViews } from "../alias/alias.ts";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import { placeNow } from "../ops/host.ts";
import * as ops from "../ops/movement.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, CheckAxis, Narrowed, TensorsOf } from "../tensor/types.ts";

/** S without axis A. */
export type Selected<S extends number[], A extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis
      ? Axis extends number
        ? number extends Axis
          ? number[]
          : RemoveAt<S, Axis>
        : number[]
      : never;

/**
 * The place itself, or the message if axis A of S is known not to have it. The first and the last are taken to exist, so that functions whose
 * sizes are type parameters may name them.
 */
type CheckPlace<S extends number[], A extends number, I> = I extends 0 | -1
  ? I
  : I extends number
    ? WrapAxis<S, A> extends infer Axis extends number
      ? Exists<I, SizeAt<S, Axis>> extends true
        ? I
        : `select(): index ${I} out of range for tensor of size ${ShowShape<S>} at dimension ${Axis}`
      : I
    : I;

/** One place of an axis, which is dropped. It is computed at the call when it is a 0-d tensor of integers. */
export const select = declare(
  "select(dim, index)",
  <T extends AnyTensor, const A extends number, const I extends number | AnyTensor>(
    input: T,
    dim: CheckAxis<T[ShapeKey], A>,
    index: CheckPlace<T[ShapeKey], A, I>,
  ): Tensor<Selected<T[ShapeKey], A>, T["dtype"]> =>
    wrapView(
      input,
      ops.select(unwrap(input), dim as A, placeOf("select", "index", index as number | AnyTensor)),
    ),
);

/** @throws what `placeNow` throws, of a tensor. */
const placeOf = (op: string, name: string, place: number | AnyTensor): number =>
  place instanceof Tensor ? placeNow(op, name, unwrap(place)) : place;

/** `length` places of an axis from `start`, which is computed at the call when it is a 0-d tensor of integers. */
export const narrow = declare(
  "narrow(dim, start, length)",
  <T extends AnyTensor, const A extends number, const L extends number>(
    input: T,
    dim: CheckAxis<T[ShapeKey], A>,
    start: number | AnyTensor,
    length: L,
  ): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]> => {
    const x = unwrap(input);
    return wrapView(input, ops.narrow(x, dim as A, placeOf("narrow", "start", start), length));
  },
);

/** A copy of {@link narrow}. */
export const narrowCopy = declare(
  "narrowCopy(dim, start, length)",
  <T extends AnyTensor, const A extends number, const L extends number>(
    input: T,
    dim: CheckAxis<T[ShapeKey], A>,
    start: number,
    length: L,
  ): Tensor<Narrowed<T[ShapeKey], A, L>, T["dtype"]> =>
    wrap(ops.narrow(unwrap(input), dim as A, start, length)),
);

/** The type is written by hand, as with {@link Chunk}: TypeScript cannot follow the lengths of these lists through `methodOf`. */
interface Split<By extends number | readonly number[]> {
  <T extends AnyTensor, const P extends By, const A extends number = 0>(
    input: T,
    splitSize: P,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const P extends By, const A extends number = 0>(
    this: T,
    splitSize: P,
    dim?: CheckAxis<T[ShapeKey], A>,
  ) => TensorsOf<SplitOrFail<T[ShapeKey], P, A>, T["dtype"]>;
}

const splitInto =
  () =>
  (input: AnyTensor, splitSize: number | readonly number[], dim = 0): AnyTensor[] =>
    wrapViews(input, ops.split(unwrap(input), splitSize, dim));

/** Pieces of `splitSize` places each, the last of which may be smaller, or of the sizes listed. */
export const split = declareAs<Split<number | readonly number[]>>("split(splitSize, dim)", splitInto());

/** Pieces of the sizes listed. */
export const splitWithSizes = declareAs<Split<readonly number[]>>(
  "splitWithSizes(splitSizes, dim)",
  splitInto(),
);

interface Chunk {
  <T extends AnyTensor, const C extends number, const A extends number = 0>(
    input: T,
    chunks: C,
    dim?: CheckAxis<T[ShapeKey], A>,
  ): TensorsOf<ChunkOrFail<T[ShapeKey], C, A>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const C extends number, const A extends number = 0>(
    this: T,
    chunks: C,
    dim?: CheckAxis<T[ShapeKey], A>,
  ) => TensorsOf<ChunkOrFail<T[ShapeKey], C, A>, T["dtype"]>;
}

/** At most `chunks` pieces of equal size, the last of which may be smaller. */
export const chunk = declareAs<Chunk>(
  "chunk(chunks, dim)",
  (input: AnyTensor, chunks: number, dim = 0): AnyTensor[] => {
    const x = unwrap(input);
    const { shape } = x.node;
    const axis = splitAxis(shape, dim);
    return wrapViews(input, ops.pieces(x, axis, chunkSizes(shape, axis, chunks)));
  },
);

/** Every place of an axis, which is dropped. */
export const unbind = declare(
  "unbind(dim)",
  <T extends AnyTensor, const A extends number = 0>(
    input: T,
    dim: CheckAxis<T[ShapeKey], A> = 0 as never,
  ): TensorsOf<UnbindOrFail<T[ShapeKey], A>, T["dtype"]> =>
    wrapViews(input, ops.unbind(unwrap(input), dim as A)),
);

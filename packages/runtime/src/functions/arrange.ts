/**
 * Movements that combine others, with x's dtype. Each is PyTorch's op of the same name.
 * @throws ShapeError for shapes that do not fit, RangeError for an axis or a place that does not exist.
 */
import {
  type Accept,
  checkInteger,
  checkIntegers,
  type IsEven,
  type Move,
  type MoveOrFail,
  movedAxes,
  type RepeatInterleaved,
  reshapedShape,
  rotatedAxes,
  type SectionsAlong,
  type SectionsOrFail,
  ShapeError,
  sectionSizes,
  showShape,
  splitAxis,
  type Transpose,
  type TransposeOrFail,
  type Unflatten,
  type UnflattenOrFail,
  wrapAxis,
} from "@fuseau/ir";
import { wrapView, wrapViews } from "../alias/alias.ts";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import { alike } from "../declare/families.ts";
import { kernelName } from "../messages/called.ts";
import { repeatInterleave as repeated } from "../ops/combination.ts";
import { numbersNow } from "../ops/host.ts";
import { flip, narrowed, pieces, withShape } from "../ops/movement.ts";
import { torchName } from "../ops/operand.ts";
import { permute } from "../record.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, CheckAxis, TensorsOf } from "../tensor/types.ts";
import { Value } from "../value.ts";
import { transpose } from "./movement.ts";

type Dims = number | readonly number[];

/** Where to cut: a number of sections, or the places in front of which to cut. */
export type Cuts = number | readonly number[];

/** The shape of S rotated by K quarter turns. */
export type Rotated<S extends number[], K extends number, P extends readonly number[]> =
  IsEven<K> extends true
    ? S
    : IsEven<K> extends false
      ? P extends readonly [infer A extends number, infer B extends number]
        ? Transpose<S, A, B>
        : number[]
      : number[];

/** Axes moved from `source` to `destination`; the others keep their order. */
export const movedim = declare(
  "movedim(source, destination)",
  <T extends AnyTensor, const A extends Dims, const B extends Dims>(
    input: T,
    source: Accept<MoveOrFail<T[ShapeKey], A, A>, A>,
    destination: Accept<MoveOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Move<T[ShapeKey], A, B>, T["dtype"]> => {
    const x = unwrap(input);
    const order = movedAxes(x.node.shape, source as A, destination as B);
    return wrapView(input, order.every((from, to) => from === to) ? x : permute(x, order));
  },
);

/** {@link movedim}. */
export const moveaxis = declare("moveaxis(source, destination)", movedim);

/** Two axes swapped: `transpose`. */
export const swapaxes = declare(
  "swapaxes(axis0, axis1)",
  <T extends AnyTensor, const A extends number, const B extends number>(
    input: T,
    axis0: Accept<TransposeOrFail<T[ShapeKey], A, A>, A>,
    axis1: Accept<TransposeOrFail<T[ShapeKey], B, B>, B>,
  ): Tensor<Transpose<T[ShapeKey], A, B>, T["dtype"]> => transpose<T, A, B>(input, axis0, axis1),
);

/** Two axes swapped: `transpose`. */
export const swapdims = declare("swapdims(dim0, dim1)", transpose);

/** Rotated by `k` (1) quarter turns from the first of `dims` (`[0, 1]`) toward the second. */
export const rot90 = declare(
  "rot90(k, dims)",
  <T extends AnyTensor, const K extends number = 1, const P extends readonly number[] = readonly [0, 1]>(
    input: T,
    k: K = 1 as K,
    dims: P = [0, 1] as never,
  ): Tensor<Rotated<T[ShapeKey], K, P>, T["dtype"]> => {
    const x = unwrap(input);
    const [first, second] = rotatedAxes(x.node.shape, k, dims);
    const order = x.node.shape.map((_, axis) => (axis === first ? second : axis === second ? first : axis));
    const turns = ((k % 4) + 4) % 4;
    if (turns === 0) return wrap(x);
    const flipped = flip(x, turns === 2 ? [first, second] : [turns === 1 ? second : first]);
    return wrap(turns === 2 ? flipped : permute(flipped, order));
  },
);

/** Order reversed along the first axis. */
export const flipud = alike("flipud()", (x) => {
  if (x.node.shape.length >= 1) return flip(x, [0]);
  throw new ShapeError("Input must be >= 1-d. (got a 0-d tensor)");
});

/** Order reversed along the second axis. */
export const fliplr = alike("fliplr()", (x) => {
  if (x.node.shape.length >= 2) return flip(x, [1]);
  throw new ShapeError(`Input must be >= 2-d. (shape ${showShape(x.node.shape)})`);
});

/** One axis split into several. One size may be −1, which is computed from the others. */
export const unflatten = declare(
  "unflatten(dim, sizes)",
  <T extends AnyTensor, const A extends number, const R extends readonly number[]>(
    input: T,
    dim: CheckAxis<T[ShapeKey], A>,
    sizes: Accept<UnflattenOrFail<T[ShapeKey], A, R>, R>,
  ): Tensor<Unflatten<T[ShapeKey], A, R>, T["dtype"]> => {
    const x = unwrap(input);
    const list: readonly number[] = sizes as R;
    const { shape } = x.node;
    const axis = splitAxis(shape, dim as A);
    checkIntegers("sizes", list);
    if (list.length === 0) throw new ShapeError("unflatten: sizes must be non-empty");
    const known = list.reduce((product, size) => (size === -1 ? product : product * size), 1);
    const fits = list.includes(-1) ? known !== 0 && shape[axis]! % known === 0 : known === shape[axis];
    if (!fits)
      throw new ShapeError(
        `unflatten: Provided sizes ${showShape(list)} don't multiply up to the size of dim ${axis} (${shape[axis]}) in the input tensor`,
      );
    const parts = reshapedShape([shape[axis]!], list);
    return wrapView(input, withShape(x, [...shape.slice(0, axis), ...parts, ...shape.slice(axis + 1)]));
  },
);

/**
 * Each place along an axis repeated: by one count, or by a list of one for each place. Copies are next to each other. Without `dim`, x is
 * flattened first. A tensor of counts is computed at the call.
 */
export const repeatInterleave = declare(
  "repeatInterleave(repeats, dim)",
  <T extends AnyTensor, const R extends Dims | AnyTensor, const A extends number | null = null>(
    input: T,
    repeats: R,
    dim?: A extends number ? CheckAxis<T[ShapeKey], A> : A,
  ): Tensor<RepeatInterleaved<T[ShapeKey], R, A>, T["dtype"]> => {
    const x = unwrap(input);
    const counts = repeats instanceof Tensor ? unwrap(repeats) : (repeats as Dims);
    return wrap(repeated(x, counts, (dim ?? null) as A));
  },
);

/**
 * Pieces of an axis: a number of them, as equal as possible with the larger ones first, or cut in front of the places listed. A tensor of
 * places, or of the number, is computed at the call.
 */
export const tensorSplit = declare(
  "tensorSplit(indicesOrSections, dim)",
  <T extends AnyTensor, const C extends Cuts | AnyTensor, const A extends number = 0>(
    input: T,
    indicesOrSections: C,
    dim: CheckAxis<T[ShapeKey], A> = 0 as never,
  ): TensorsOf<SectionsOrFail<T[ShapeKey], C, A>, T["dtype"]> => {
    const x = unwrap(input);
    const cuts =
      indicesOrSections instanceof Tensor ? unwrap(indicesOrSections) : (indicesOrSections as Cuts);
    return wrapViews(input, cut(x, cuts, dim as A));
  },
);

/** Pieces of one axis: a number of them, as equal as possible, or cut in front of the places listed. A tensor is read at the call. */
function cut(x: Value, by: number | readonly number[] | Value, dim: number): Value[] {
  const op = "tensorSplit";
  const { shape } = x.node;
  if (shape.length === 0)
    throw new ShapeError(
      `tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims`,
    );
  const axis = wrapAxis(dim, shape);
  const cuts = by instanceof Value ? cutsOf(op, by) : by;
  return typeof cuts === "number" ? pieces(x, axis, sectionSizes(shape[axis]!, cuts)) : cutAt(x, axis, cuts);
}

function cutsOf(op: string, by: Value): number | number[] {
  const { shape, dtype } = by.node;
  if (shape.length > 1)
    throw new ShapeError(
      `tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with ${shape.length} dims`,
    );
  if (dtype !== "int64")
    throw new TypeError(
      `tensor_split expected tensor_indices_or_sections to have dtype of long, but got ${torchName[dtype]}`,
    );
  const numbers = numbersNow(op, by);
  return shape.length === 0 ? numbers[0]! : numbers;
}

/** The slices between the cuts, as Python's slices are: negative places count from the end, and none reach beyond it. */
function cutAt(x: Value, axis: number, cuts: readonly number[]): Value[] {
  checkIntegers("indices", cuts);
  const size = x.node.shape[axis]!;
  const inside = cuts.map((cut) => Math.min(size, Math.max(0, cut < 0 ? cut + size : cut)));
  return [...inside, size].map((end, i) => {
    const start = i === 0 ? 0 : inside[i - 1]!;
    return narrowed(x, axis, start, Math.max(0, end - start));
  });
}

/** Pieces along an axis that the op's name says. */
interface SplitAlong<A extends 0 | 1 | 2> {
  <T extends AnyTensor, const C extends Cuts>(
    input: T,
    indicesOrSections: C,
  ): TensorsOf<SectionsAlong<T[ShapeKey], C, A>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const C extends Cuts>(
    this: T,
    indicesOrSections: C,
  ) => TensorsOf<SectionsAlong<T[ShapeKey], C, A>, T["dtype"]>;
}

const splitAlong = <A extends 0 | 1 | 2>(op: string, named: A, least: number): SplitAlong<A> =>
  declareAs(`${op}(indicesOrSections)`, (input: AnyTensor, by: Cuts): AnyTensor[] => {
    const x = unwrap(input);
    const { shape } = x.node;
    if (shape.length < least)
      throw new ShapeError(
        `torch.${kernelName()} requires a tensor with at least ${least} dimension, but got a tensor with ${shape.length} dimensions!`,
      );
    const axis = Math.min(named, shape.length - 1);
    if (typeof by === "number") {
      checkInteger("split_size", by);
      if (by <= 0 || shape[axis]! % by !== 0) {
        throw new ShapeError(
          `torch.${kernelName()} attempted to split along dimension ${axis}, but the size of the dimension ${shape[axis]} is not divisible by the split_size ${by}! (shape ${showShape(shape)})`,
        );
      }
    }
    return wrapViews(input, cut(x, by, axis));
  });

/** {@link tensorSplit} of the second axis, or of the only one. A number of pieces must divide the size. */
export const hsplit = splitAlong("hsplit", 1, 1);

/** {@link tensorSplit} of the first of at least two axes. A number of pieces must divide the size. */
export const vsplit = splitAlong("vsplit", 0, 2);

/** {@link tensorSplit} of the third axis. A number of pieces must divide the size. */
export const dsplit = splitAlong("dsplit", 2, 3);

/** Types that indexing is built from. */
import type {
  Accept,
  CheckSlice,
  DType,
  Failure,
  FloatDType,
  Index,
  IndexOrFail,
  ScatterFailure,
  SliceIndex,
  TensorIndex,
} from "@fuseau/ir";
import type { ShapeKey } from "./handle.ts";
import type { AnyTensor, Fits, Operand } from "./types.ts";

/** What says where: uint8 as in PyTorch's older programs. */
type MaskDType = "bool" | "uint8";

/** Accepted, or the message where M is no mask. */
export type OfMask<M extends AnyTensor, Accepted, Message extends string> = [M["dtype"] & MaskDType] extends [
  never,
]
  ? Message
  : Accepted;

/** A mask that broadcasts with T, or the message. */
export type FitsMask<T extends AnyTensor, M extends AnyTensor> = OfMask<
  M,
  Fits<T, M>,
  `got ${M["dtype"]}; compare first, e.g. mask.ne(0)`
>;

/** I, or the message if its dtype is none of D. */
export type PlacesOf<I extends AnyTensor, D extends DType = "int64"> = [Extract<I["dtype"], D>] extends [
  never,
]
  ? `got ${I["dtype"]}; cast it, e.g. index.to("int64")`
  : I;

/** One index: that of a slice, a tensor of integers or a mask, or a boolean, which is a mask without axes. */
export type IndexItem = SliceIndex | AnyTensor | boolean;

type IsMask<D> = D extends MaskDType ? true : false;

/** The indices, with tensors as the shape rules take them. A 0-d tensor of integers acts as a number. */
type Described<R extends readonly unknown[]> = {
  [Position in keyof R]: R[Position] extends AnyTensor
    ? [R[Position][ShapeKey], IsMask<R[Position]["dtype"]>] extends [[], false]
      ? number
      : TensorIndex<R[Position][ShapeKey], IsMask<R[Position]["dtype"]>>
    : R[Position] extends boolean
      ? TensorIndex<[], true>
      : R[Position];
};

/** The shape of x at the indices R. */
export type Indexed<S extends number[], R extends readonly unknown[]> = Index<S, Described<R>>;

/** True if a tensor or a boolean is among the indices. */
type IsAdvanced<R extends readonly unknown[]> = true extends {
  [Position in keyof R]: R[Position] extends AnyTensor | boolean ? true : false;
}[number]
  ? true
  : false;

/** The indices themselves, or the message: for a slice in place of the invalid index, for tensors in place of all. */
export type CheckIndices<S extends number[], R extends readonly unknown[]> =
  IsAdvanced<R> extends true
    ? [FloatIndex<R[number]>] extends [never]
      ? Accept<IndexOrFail<S, Described<R>>, R>
      : FloatIndex<R[number]>
    : CheckSlice<S, R>;

/** The message for a tensor of floats among the indices; one for each member of a union. Nothing is known of `any`. */
type FloatIndex<Item> = 0 extends 1 & Item
  ? never
  : Item extends AnyTensor
    ? Item["dtype"] extends FloatDType
      ? `tensors used as indices must be long, byte or bool tensors (got ${Item["dtype"]}; cast it, e.g. index.to("int64"))`
      : never
    : never;

/** The shape of a scattered operand; null for a number. */
type SourceShape<B> = B extends AnyTensor ? B[ShapeKey] : null;

/** An index with which the source can be scattered into T, or the message. */
export type CheckScatter<T extends AnyTensor, A extends number, I extends AnyTensor, B extends Operand> = [
  ScatterFailure<T[ShapeKey], A, I[ShapeKey], SourceShape<B>>,
] extends [never]
  ? B
  : Failure<ScatterFailure<T[ShapeKey], A, I[ShapeKey], SourceShape<B>>>;

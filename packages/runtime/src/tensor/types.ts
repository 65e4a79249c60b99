/** Types that the methods' types are built from. T is the receiver, so that no method mentions the class's own type parameters. */
import type {
  Accept,
  Broadcast,
  BroadcastOrFail,
  Combine,
  DType,
  Promote,
  PromotePair,
  ReplaceAt,
  ResultType,
  Scalar,
  ScalarDType,
  SizeAt,
  Subtract,
  UnknownRank,
  Weight,
  WeightOf,
  WrapAxis,
} from "@fuseau/ir";
import type { ShapeKey, Tensor } from "./handle.ts";

/** A tensor of any shape and dtype. */
export type AnyTensor = Tensor<number[], DType>;

/** The type of options when none are given. */
export type NoOptions = Readonly<Record<never, never>>;

/** The second operand of a pointwise op. */
export type Operand = AnyTensor | Scalar;

/** The shape of an operand; a scalar is 0-d. */
export type ShapeOf<B> = B extends Scalar | null | undefined ? [] : B extends AnyTensor ? B[ShapeKey] : [];

/** An operand that broadcasts with shape S, or the message. */
export type FitsShape<S extends number[], B> = B extends Scalar | null | undefined
  ? B
  : Accept<BroadcastOrFail<S, ShapeOf<B>>, B>;

/** An operand that broadcasts with T, or the message. */
export type Fits<T extends AnyTensor, B> = FitsShape<T[ShapeKey], B>;

/** The broadcast shape of T and B. Nothing is known of `any`. */
export type PairShape<T extends AnyTensor, B> = 0 extends 1 & B
  ? number[]
  : Broadcast<T[ShapeKey], ShapeOf<B>>;

/** The dtype that T and an operand are promoted to. */
export type PairDType<T extends AnyTensor, B> = B extends Scalar
  ? Combine<T["dtype"], ScalarDType<B>>
  : B extends AnyTensor
    ? PromotePair<T["dtype"], WeightOf<T[ShapeKey]>, B["dtype"], WeightOf<B[ShapeKey]>>
    : T["dtype"];

/** The dtype that two operands are promoted to. Either may be a scalar. */
export type OperandsDType<A, B> = A extends AnyTensor
  ? PairDType<A, B>
  : B extends AnyTensor
    ? PairDType<B, A>
    : Promote<ScalarDType<A>, ScalarDType<B>>;

/** A bool scalar promotes nothing, so it replaces an operand that is left out. */
type Weighed<B> = B extends null | undefined
  ? readonly ["bool", "scalar"]
  : B extends Scalar
    ? readonly [ScalarDType<B>, "scalar"]
    : B extends AnyTensor
      ? readonly [B["dtype"], WeightOf<B[ShapeKey]>]
      : readonly [DType, Weight];

/** The dtype that three operands are promoted to. */
export type TripleDType<A, B, C> = ResultType<[Weighed<A>, Weighed<B>, Weighed<C>]>;

/** The broadcast shape of three operands. */
export type TripleShape<A, B, C> = Broadcast<Broadcast<ShapeOf<A>, ShapeOf<B>>, ShapeOf<C>>;

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

/** The lower limit: the argument itself, or its `min`. */
export type Least<A> = A extends Scalar | null | undefined
  ? A
  : A extends AnyTensor
    ? A
    : A extends { readonly min: infer M }
      ? M
      : null;

/** The upper limit: the second argument, or `max` of the first. */
export type Most<A, B> = A extends Scalar | null | undefined
  ? B
  : A extends AnyTensor
    ? B
    : A extends { readonly max: infer M }
      ? M
      : null;

/** A limit that broadcasts with T, or the message. */
type OwnLimit<T extends AnyTensor, A> = A extends Scalar | null | undefined
  ? A
  : A extends AnyTensor
    ? Fits<T, A>
    : Operand;

/** A limit that broadcasts with T, an object of such limits, or the message. */
export type FitsLimit<T extends AnyTensor, A> =
  HasLimits<A> extends true
    ? { readonly [K in keyof A]: K extends "min" | "max" ? OwnLimit<T, A[K]> : UnknownLimit }
    : OwnLimit<T, A>;

/** An object that is no tensor and no list. */
export type HasLimits<A> = A extends AnyTensor | readonly unknown[] | Scalar
  ? false
  : A extends object
    ? true
    : false;

/** The message about a limit of another name. */
export type UnknownLimit = "the limits are min and max";

/** S with an unknown size at axis A. */
export type Resized<S extends number[], A extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis extends number
      ? ReplaceAt<S, Axis, number>
      : number[];

/** S with `By` places less along A, at least 0. */
export type Shortened<S extends number[], A extends number, By extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis extends number
      ? ReplaceAt<S, Axis, `${By}` extends `-${string}` ? number : Subtract<SizeAt<S, Axis>, By>>
      : number[];

/** Tensors of one dtype with the shapes of a list. */
export type TensorsOf<Shapes, D extends DType> = Shapes extends readonly number[][]
  ? { -readonly [Index in keyof Shapes]: Tensor<Extract<Shapes[Index], number[]>, D> }
  : Tensor<number[], D>[];

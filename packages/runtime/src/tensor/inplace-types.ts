/** Types that ops in place are built from: the result must have the receiver's shape, and a category that the receiver holds. */
import type { BroadcastOrFail, DType, FloatDType, Scalar, ShowShape, UnknownRank } from "@fuseau/ir";
import type { torchName } from "../ops/operand.ts";
import type { ShapeKey } from "./handle.ts";
import type { AnyTensor, HasLimits, Operand, ShapeOf, TripleDType, UnknownLimit } from "./types.ts";

/** PyTorch's `can_cast` as a type: true if the category does not fall. */
type Holds<Result extends DType, Target extends DType> = Result extends "bool"
  ? true
  : Target extends FloatDType
    ? true
    : Result extends FloatDType
      ? false
      : Target extends "bool"
        ? false
        : true;

/** Nothing, or the message. If it is unknown whether the result fits, that is checked at run time. */
type CastFailure<Result extends DType, Target extends DType> =
  true extends Holds<Result, Target>
    ? never
    : `result type ${(typeof torchName)[Result]} can't be cast to the desired output type ${(typeof torchName)[Target]}`;

type Outgrown<S extends number[], Result> = Result extends number[]
  ? S extends Result
    ? never
    : Result extends S
      ? never
      : `output with shape ${ShowShape<S>} doesn't match the broadcast shape ${ShowShape<Result>}`
  : Extract<Result, string>;

/** Distributes over a union of receivers. */
type ShapeFailure<S extends number[], B> = S extends unknown
  ? UnknownRank<S> extends true
    ? never
    : Outgrown<S, BroadcastOrFail<S, ShapeOf<B>>>
  : never;

type Failure<T extends AnyTensor, B, Result extends DType> = [ShapeFailure<T[ShapeKey], B>] extends [never]
  ? CastFailure<Result, T["dtype"]>
  : ShapeFailure<T[ShapeKey], B>;

/** An operand with which T keeps its shape, for an op whose result is `Result`; else the message. */
export type FitsInto<T extends AnyTensor, B, Result extends DType> = [Failure<T, B, Result>] extends [never]
  ? B
  : Failure<T, B, Result>;

/** A receiver that holds a result of that dtype, or the message. */
export type CanHold<T extends AnyTensor, Result extends DType> = [CastFailure<Result, T["dtype"]>] extends [
  never,
]
  ? T
  : CastFailure<Result, T["dtype"]>;

type OwnLimitInto<T extends AnyTensor, A> = A extends Scalar | null | undefined
  ? FitsInto<T, A, TripleDType<T, A, null>>
  : A extends AnyTensor
    ? FitsInto<T, A, TripleDType<T, A, null>>
    : Operand;

/** A limit with which T keeps its shape and which T can hold, an object of such limits, or the message. */
export type LimitInto<T extends AnyTensor, A> =
  HasLimits<A> extends true
    ? { readonly [K in keyof A]: K extends "min" | "max" ? OwnLimitInto<T, A[K]> : UnknownLimit }
    : OwnLimitInto<T, A>;

/**
 * Promotion as types: the type checker computes what dtype.ts and the reductions compute. A weight says how much an operand counts, from
 * most to least: a tensor with dimensions, a 0-d tensor, a plain number.
 */
import type { DType, FloatDType, Promote, Weight } from "./dtype.ts";

/** Marks an integer-valued number as a floating scalar: `x.mul(float(2))`, as Python's `2.0`. */
export interface FloatScalar {
  readonly float: number;
}

/** What may be given where a 0-d operand may. A whole number counts as an integer, any other as floating. */
export type Scalar = number | bigint | boolean | FloatScalar;

/** The dtype that a scalar counts as; both when the number is not known. */
export type ScalarDType<V> = V extends boolean
  ? "bool"
  : V extends bigint
    ? "int64"
    : V extends number
      ? number extends V
        ? "int64" | "float32"
        : `${V}` extends `${bigint}`
          ? "int64"
          : "float32"
      : "float32";

/** The stronger operand's dtype, unless the weaker one is of a higher category. */
export type Combine<Stronger extends DType, Weaker extends DType> = Stronger extends FloatDType
  ? Stronger
  : Stronger extends "bool"
    ? Promote<Stronger, Weaker>
    : Weaker extends FloatDType
      ? Weaker
      : Stronger;

/** A dtype as itself, an integer or bool as float32: what `exp`, `div` and their like give. */
export type FloatResult<D extends DType> = D extends FloatDType ? D : "float32";

/** What sums and products give: int64 for integers and bools. */
export type SumDType<D extends DType> = D extends FloatDType ? D : "int64";

/** What `mean`, `var` and `std` give; they refuse integers. */
export type MeanDType<D extends DType> = Extract<D, FloatDType>;

/** What `any` and `all` give: bool, but uint8 for uint8, as PyTorch's do. */
export type TruthDType<D extends DType> = D extends "uint8" ? "uint8" : "bool";

/** The weight of a shape; both when the rank is not known. */
export type WeightOf<S extends readonly number[]> = number extends S["length"]
  ? "tensor" | "zeroDim"
  : S extends readonly []
    ? "zeroDim"
    : "tensor";

/** The dtype of two operands with their weights. */
export type PromotePair<A extends DType, WeightA extends Weight, B extends DType, WeightB extends Weight> = [
  A,
  B,
] extends [B, A]
  ? A
  : WeightA extends unknown
    ? WeightB extends unknown
      ? WeightA extends WeightB
        ? Promote<A, B>
        : [WeightA, WeightB] extends ["tensor", Weight] | ["zeroDim", "scalar"]
          ? Combine<A, B>
          : Combine<B, A>
      : never
    : never;

type Fold<D, B extends DType> = D extends DType ? Promote<D, B> : B;

type CombineAll<D, B> = D extends DType ? (B extends DType ? Combine<D, B> : D) : B;

/**
 * PyTorch's `result_type` of a list of [dtype, weight]. Each operand is taken off the list before it is examined. If both were one pattern,
 * operands whose types are still deferred would resolve to their constraints.
 */
export type ResultType<
  Operands extends readonly (readonly [DType, Weight])[],
  Tensor = null,
  ZeroDim = null,
  Plain = null,
> = Operands extends readonly [infer First, ...infer Rest extends readonly (readonly [DType, Weight])[]]
  ? First extends readonly [infer D extends DType, infer W extends Weight]
    ? W extends "tensor"
      ? ResultType<Rest, Fold<Tensor, D>, ZeroDim, Plain>
      : W extends "zeroDim"
        ? ResultType<Rest, Tensor, Fold<ZeroDim, D>, Plain>
        : ResultType<Rest, Tensor, ZeroDim, Fold<Plain, D>>
    : never
  : Extract<CombineAll<CombineAll<Tensor, ZeroDim>, Plain>, DType>;

/** What a layer makes of a tensor, as a type: shapes follow through a `Sequential`, and what does not fit is refused. */
import type { Accept, DType, Failure, Fits, UnknownRank } from "@fuseau/ir";
import type { AnyTensor, ShapeKey, Tensor } from "../js.ts";

/** Under it a layer has its {@link Flow}; nothing is stored there. */
export declare const flow: unique symbol;

/** A function on types: `output` is written in terms of `this["input"]`. A string is a message for what does not fit. */
export interface Flow {
  readonly input: unknown;
  readonly output: unknown;
}

/** The shape of a flow's input. */
export type ShapeIn<F extends Flow> = F["input"] extends AnyTensor ? F["input"][ShapeKey] : never;

/** The dtype of a flow's input. */
export type DTypeIn<F extends Flow> = F["input"] extends AnyTensor ? F["input"]["dtype"] : never;

/** What F makes of a tensor T. */
type Result<F extends Flow, T extends AnyTensor> = (F & { readonly input: T })["output"];

/** T, or the message when F does not take it. */
export type Takes<F extends Flow, T extends AnyTensor> = Accept<Result<F, T>, T>;

/** The tensor that F makes of T. */
export type Gives<F extends Flow, T extends AnyTensor> =
  Result<F, T> extends infer R extends AnyTensor ? R : AnyTensor;

/** Result of a shape: a tensor of it and of dtype D, or the message. */
export type OfShape<S, D extends DType> = S extends number[] ? Tensor<S, D> : S;

/** The last size, In, becomes Out. */
export type LastAxis<S extends number[], In extends number, Out extends number> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [...infer Leading extends number[], infer Last extends number]
      ? Fits<Last, In> extends true
        ? [...Leading, Out]
        : `the last size of the input must be ${In}, but is ${Last}`
      : "the input must have at least one axis";

/** As many sizes as S has, whatever they are. */
type Resized<S extends number[]> = { [Axis in keyof S]: number };

/** The number of axes stays, and the dtype. */
export interface SameRank extends Flow {
  readonly output: Tensor<Resized<ShapeIn<this>>, DTypeIn<this>>;
}

/** Shape and dtype stay. */
export interface Same extends Flow {
  readonly output: Tensor<ShapeIn<this>, DTypeIn<this>>;
}

/** What any module makes of T: by its flow, else by the type of its `forward`. */
export type Through<M, T> = T extends AnyTensor
  ? M extends { readonly [flow]: infer F extends Flow }
    ? Result<F, T>
    : M extends { forward(input: infer X): infer R }
      ? T extends X
        ? R
        : "the module's forward does not take this tensor"
      : "the module has no forward of one tensor"
  : "a module in front gives no tensor";

/** What modules make of T, one after another. */
export type ThroughAll<L extends readonly unknown[], T> =
  Failure<T> extends never
    ? L extends readonly [infer First, ...infer Rest]
      ? ThroughAll<Rest, Through<First, T>>
      : L extends readonly []
        ? T
        : AnyTensor
    : T;

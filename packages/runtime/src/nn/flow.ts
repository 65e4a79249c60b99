/** The shape rules of layers as types: shapes are followed through a `Sequential`, and what does not fit is refused. */
import type { Accept, DType, Failure, Fits, UnknownRank } from "@fuseau/ir";
import type { AnyTensor, ShapeKey, Tensor } from "../js.ts";

/** The key of a layer's {@link Flow} type; no value is stored under it. */
export declare const flow: unique symbol;

/**
 * A function on types: `output` is written in terms of `this["input"]`. If it is a string, it is the message for an input that does not
 * fit.
 */
export interface Flow {
  readonly input: unknown;
  readonly output: unknown;
}

/** The shape of a flow's input. */
export type ShapeIn<F extends Flow> = F["input"] extends AnyTensor ? F["input"][ShapeKey] : never;

/** The dtype of a flow's input. */
export type DTypeIn<F extends Flow> = F["input"] extends AnyTensor ? F["input"]["dtype"] : never;

/** The result of F for a tensor T. */
type Result<F extends Flow, T extends AnyTensor> = (F & { readonly input: T })["output"];

/** T, or the message if F does not take it. */
export type Takes<F extends Flow, T extends AnyTensor> = Accept<Result<F, T>, T>;

/** What F makes of T: a tensor, or several by name. */
export type Gives<F extends Flow, T extends AnyTensor> =
  Result<F, T> extends infer R extends object ? R : AnyTensor;

/** A tensor of shape Result and dtype D; or the message, if Result is one. */
export type OfShape<S, D extends DType> = S extends number[] ? Tensor<S, D> : S;

/** Replaces the last size, In, by Out. */
export type LastAxis<S extends number[], In extends number, Out extends number> =
  UnknownRank<S> extends true
    ? number[]
    : S extends [...infer Leading extends number[], infer Last extends number]
      ? Fits<Last, In> extends true
        ? [...Leading, Out]
        : `the last size of the input must be ${In}, but is ${Last}`
      : "the input must have at least one axis";

/** Keeps shape and dtype. */
export interface Same extends Flow {
  readonly output: Tensor<ShapeIn<this>, DTypeIn<this>>;
}

/** The result of any module for T: by its flow, else by the type of its `forward`. */
export type Through<M, T> = T extends AnyTensor
  ? M extends { readonly [flow]: infer F extends Flow }
    ? Result<F, T>
    : M extends { forward(input: infer X): infer R }
      ? T extends X
        ? R
        : "the module's forward does not take this tensor"
      : "the module has no forward of one tensor"
  : "a module in front gives no tensor";

/** The result of several modules, one after another, for T. */
export type ThroughAll<L extends readonly unknown[], T> =
  Failure<T> extends never
    ? L extends readonly [infer First, ...infer Rest]
      ? ThroughAll<Rest, Through<First, T>>
      : L extends readonly []
        ? T
        : AnyTensor
    : T;

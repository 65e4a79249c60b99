/** Computing, reading and printing: what makes the recorded run. */
import type { ArrayTypes, DType, TypedArray } from "@fuseau/ir";
import { disposeTensor } from "../alias/alias.ts";
import { computeTensors } from "../alias/undo.ts";
import { dispose } from "../dispose.ts";
import { explainValues } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ComputeOptions, optionsOf } from "../options.ts";
import { formatTensor } from "../readout/format.ts";
import { toNested, toScalar } from "../readout/nested.ts";
import type { Storage } from "../storage.ts";
import { type ShapeKey, unwrap } from "./handle.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** What one element reads as: a boolean for bool, else a number. */
export type Element<D extends DType> = D extends "bool" ? boolean : number;

/** Nested arrays as deep as the shape is long; of unknown depth where the rank is unknown. */
export type NestedArray<S extends readonly number[], E> = number[] extends S
  ? E | NestedElements<E>
  : S extends readonly [number, ...infer Rest extends readonly number[]]
    ? NestedArray<Rest, E>[]
    : E;
export type NestedElements<E> = (E | NestedElements<E>)[];

export interface ReadoutMethods {
  /**
   * Computes this tensor and keeps the result, so that it is computed once; gives the tensor itself.
   * @throws TypeError for unknown options; RangeError when memory is out, or where an integer is divided by zero.
   */
  compute<T extends AnyTensor>(this: T, options?: ComputeOptions): T;
  /** What the compiler does with this expression: graphs, kernels, stride maps, source. Runs nothing. */
  explain(this: AnyTensor, options?: ComputeOptions): Explanation;
  /**
   * The only element, computed first if need be (PyTorch: `Tensor.item`).
   * @throws TypeError unless there is exactly one; RangeError for an int64 beyond 2^53, which `toTypedArray()` gives exactly.
   */
  item<T extends AnyTensor>(this: T): Element<T["dtype"]>;
  /**
   * The elements as nested arrays, of a 0-d tensor the element itself (PyTorch: `Tensor.tolist`).
   * @throws RangeError for an int64 beyond 2^53, which `toTypedArray()` gives exactly.
   */
  toArray<T extends AnyTensor>(this: T): NestedArray<T[ShapeKey], Element<T["dtype"]>>;
  /** A copy of the elements, row-major: bool as bytes, float16 as its 16 bits, int64 as a BigInt64Array. */
  toTypedArray<T extends AnyTensor>(this: T): ArrayTypes[T["dtype"]];
  /**
   * Gives the memory back at once; the tensor cannot be read again. Never needed: the garbage collector does the same later.
   * Expressions recorded on this tensor and not yet computed can then not be computed either, its views among them. A view
   * has no memory of its own: disposing of one lets go of it and leaves its base alone.
   */
  dispose(this: AnyTensor): void;
  /** `using x = …` disposes of x at the end of its block. */
  [Symbol.dispose](this: AnyTensor): void;
  /** The elements as PyTorch prints them, with shape and dtype. */
  toString(this: AnyTensor): string;
}

function storageOf(tensor: AnyTensor): Storage {
  const value = unwrap(tensor);
  if (value.storage === null) computeTensors([tensor], optionsOf("compute", undefined));
  return value.storage as unknown as Storage;
}

const elements = (tensor: AnyTensor): TypedArray => storageOf(tensor).array;

function print(tensor: AnyTensor): string {
  const value = unwrap(tensor);
  return formatTensor(value.node.dtype, value.node.shape, elements(tensor));
}

export const readoutMethods: Erased<ReadoutMethods> = {
  compute(options) {
    computeTensors([this], optionsOf("compute", options));
    return this;
  },
  explain(options) {
    return explainValues([unwrap(this)], optionsOf("explain", options));
  },
  item() {
    const value = unwrap(this);
    const { dtype, shape } = value.node;
    const count = shape.reduce((product, size) => product * size, 1);
    if (count !== 1) {
      throw new TypeError(
        `item: only one element tensors can be converted to Python scalars (shape [${shape.join(", ")}] has ${count}; use toArray())`,
      );
    }
    return toScalar(dtype, elements(this));
  },
  toArray() {
    const value = unwrap(this);
    return toNested(value.node.dtype, value.node.shape, elements(this));
  },
  toTypedArray() {
    return storageOf(this).copy();
  },
  dispose() {
    disposeTensor(this);
  },
  [dispose]() {
    disposeTensor(this);
  },
  toString() {
    return print(this);
  },
};

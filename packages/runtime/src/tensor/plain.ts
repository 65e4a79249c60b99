/** What a tensor is to the rest of JavaScript: rows to iterate over, plain objects, and a tag by which testers tell two apart. */
import { allocate, type DType, type TypedArray } from "@fuseau/ir";
import { wrapWindow } from "../alias/alias.ts";
import { wholeWindow } from "../alias/window.ts";
import { type Plain, type PlainJson, plainJson } from "../readout/plain.ts";
import { tagOf } from "../readout/tag.ts";
import type { Storage } from "../storage.ts";
import { aliasKey, isTensor, type ShapeKey, type Tensor, unwrap, valueKey } from "./handle.ts";
import type { Element, NestedArray } from "./readout.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** One row: S without its first axis; of a 0-d tensor there is none. */
export type Row<S extends number[], D extends DType> = S extends []
  ? never
  : Tensor<S extends [number, ...infer Rest extends number[]] ? Rest : number[], D>;

/** Tensors as JavaScript has them. */
export interface PlainMethods {
  /** {@link toArray}, by PyTorch's name (`Tensor.tolist`). */
  toList<T extends AnyTensor>(this: T): NestedArray<T[ShapeKey], Element<T["dtype"]>>;
  /**
   * dtype, shape and elements as JSON.stringify writes them, computed first if need be; `fromJSON` reads them again, bit for bit but
   * for NaN's. What JSON has no number for is text: "NaN", "Infinity", "-Infinity", "-0", and an int64 beyond 2^53 in decimal.
   */
  toJSON(this: AnyTensor): PlainJson;
  /**
   * dtype, shape and a copy of the elements as an object that structuredClone, postMessage and IndexedDB take, where a tensor itself
   * is a DataCloneError; `fromTransferable` makes a tensor of it again. Its buffer may be transferred: `[plain.data.buffer]`.
   */
  toTransferable<T extends AnyTensor>(this: T): Plain<T["dtype"]>;
}

/** What is read as a property. */
export interface PlainProperties<S extends number[], D extends DType> {
  /** The rows, views along the first axis: `for (const row of x)`, `[...x]` (PyTorch: `Tensor.__iter__`). A 0-d tensor is not iterable. */
  [Symbol.iterator](): IterableIterator<Row<S, D>>;
  /**
   * dtype, shape and elements as text, computed when it is read: node:assert, Vitest, Jest and Chai hold objects with different
   * tags for different. It names no class, so that `Object.prototype.toString` is no way to know a tensor; `instanceof` is.
   */
  readonly [Symbol.toStringTag]: string;
}

type Getters = { readonly [Name in keyof PlainProperties<[], DType>]: (this: AnyTensor) => unknown };

export const plainMethods: Erased<PlainMethods> = {
  toList() {
    return this.toArray();
  },
  toJSON() {
    return plainJson(this.dtype, this.shape, this.toTypedArray());
  },
  toTransferable() {
    return { dtype: this.dtype, shape: [...this.shape], data: this.toTypedArray() };
  },
};

function rows(this: AnyTensor): IterableIterator<AnyTensor> {
  return (this.unbind(0) as AnyTensor[]).values();
}

/** Of a view those of its base, which is computed once for all rows that are compared. */
function elementsOf(x: AnyTensor): TypedArray {
  unwrap(x);
  const alias = x[aliasKey];
  if (alias === null || alias.isBase) return x.toTypedArray();
  const { shape, strides, offset } = alias.window;
  const base = wrapWindow(x, wholeWindow(alias.cell.value.node.shape)).compute();
  const elements = (base[valueKey].storage as Storage).array;
  let places = [offset];
  for (const [axis, size] of shape.entries()) {
    places = places.flatMap((place) => Array.from({ length: size }, (_, k) => place + k * strides[axis]!));
  }
  const taken = allocate(x.dtype, places.length);
  for (const [k, place] of places.entries()) taken[k] = elements[place]!;
  return taken;
}

export const plainProperties: Getters = {
  /** A getter, so that a 0-d tensor is not iterable, neither for the language nor for testers that compare what is. */
  [Symbol.iterator]() {
    return isTensor(this) && this.ndim > 0 ? rows : undefined;
  },
  [Symbol.toStringTag]() {
    return isTensor(this) ? tagOf(this.dtype, this.shape, () => elementsOf(this)) : "Tensor";
  },
};

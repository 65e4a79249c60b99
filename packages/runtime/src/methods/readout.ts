/** Computing, reading and printing: these run what was recorded. */
import { type ArrayTypes, type DType, elementCount } from "@fuseau/ir";
import { disposeTensor } from "../alias/alias.ts";
import { computeTensors } from "../alias/undo.ts";
import { declare } from "../declare/declaration.ts";
import { explainValues } from "../explain/explain.ts";
import type { Explanation } from "../explain/explanation.ts";
import { type ComputeOptions, optionsOf } from "../options.ts";
import { toNested, toScalar } from "../readout/nested.ts";
import { type Plain, type PlainJson, plainJson } from "../readout/plain.ts";
import { type ShapeKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { copyOf, elementsOf } from "./stored.ts";

/** The type of one element that is read: boolean for bool, else number. */
export type Element<D extends DType> = D extends "bool" ? boolean : number;

/** Nested arrays as deep as the shape is long; of unknown depth where the rank is unknown. */
export type NestedArray<S extends readonly number[], E> = number[] extends S
  ? E | NestedElements<E>
  : S extends readonly [number, ...infer Rest extends readonly number[]]
    ? NestedArray<Rest, E>[]
    : E;
export type NestedElements<E> = (E | NestedElements<E>)[];

/**
 * Computes this tensor and keeps the result, so that it is computed once. Returns the tensor itself.
 * @throws TypeError for unknown options; RangeError when memory is out, an index is out of range, or an integer is divided by zero.
 */
export const compute = declare(
  "compute({ fusion, emitter, limits, profile })",
  <T extends AnyTensor>(input: T, options?: ComputeOptions): T => {
    computeTensors([input], optionsOf("compute", options));
    return input;
  },
);

/** What the compiler does with this expression: graphs, kernels, stride maps, source. Runs nothing. */
export const explain = declare(
  "explain({ fusion, emitter, limits })",
  (input: AnyTensor, options?: Omit<ComputeOptions, "profile">): Explanation =>
    explainValues([unwrap(input)], optionsOf("explain", options)),
);

/**
 * The only element, computed first if needed (PyTorch: `Tensor.item`).
 * @throws TypeError unless there is exactly one; RangeError for an int64 beyond 2^53, which `toTypedArray()` gives exactly.
 */
export const item = declare("item()", <T extends AnyTensor>(input: T): Element<T["dtype"]> => {
  const { dtype, shape } = unwrap(input).node;
  const count = elementCount(shape);
  if (count !== 1)
    throw new TypeError(
      `only one element tensors can be converted to Python scalars (shape [${shape.join(", ")}] has ${count}; use toArray())`,
    );
  return toScalar(dtype, elementsOf(input)) as Element<T["dtype"]>;
});

function nested<R>(input: AnyTensor): R {
  const { dtype, shape } = unwrap(input).node;
  return toNested(dtype, shape, elementsOf(input)) as R;
}

/**
 * The elements as nested arrays; for a 0-d tensor the element itself (PyTorch: `Tensor.tolist`).
 * @throws RangeError for an int64 beyond 2^53, which `toTypedArray()` gives exactly.
 */
export const toArray = declare(
  "toArray()",
  <T extends AnyTensor>(input: T): NestedArray<T[ShapeKey], Element<T["dtype"]>> => nested(input),
);

const copied = <D extends DType>(input: AnyTensor): ArrayTypes[D] => copyOf(input) as ArrayTypes[D];

/** A copy of the elements, row-major: bool as bytes, float16 as its 16 bits, int64 as a BigInt64Array. */
export const toTypedArray = declare(
  "toTypedArray()",
  <T extends AnyTensor>(input: T): ArrayTypes[T["dtype"]] => copied(input),
);

/** {@link toArray}, by PyTorch's name (`Tensor.tolist`). */
export const toList = declare(
  "toList()",
  <T extends AnyTensor>(input: T): NestedArray<T[ShapeKey], Element<T["dtype"]>> => nested(input),
);

/**
 * dtype, shape and elements as JSON.stringify writes them, computed first if needed. `fromJSON` reads them again, bit for bit except for
 * the bits of NaN. Numbers that JSON lacks are text: "NaN", "Infinity", "-Infinity", "-0", and an int64 beyond 2^53 in decimal.
 */
// JSON.stringify passes the key where the tensor is.
export const toJSON = declare(
  "toJSON(key)",
  (input: AnyTensor): PlainJson => plainJson(input.dtype, input.shape, copied(input)),
);

/**
 * dtype, shape and a copy of the elements as an object that structuredClone, postMessage and IndexedDB take. A tensor itself is a
 * DataCloneError. `fromTransferable` makes a tensor of it again. Its buffer may be transferred: `[plain.data.buffer]`.
 */
export const toTransferable = declare(
  "toTransferable()",
  <T extends AnyTensor>(input: T): Plain<T["dtype"]> => ({
    dtype: input.dtype,
    shape: [...input.shape],
    data: copied(input),
  }),
);

/**
 * Gives the memory back at once; the tensor cannot be read again. It is never needed: the garbage collector does the same later.
 * Expressions on this tensor that are not computed yet, its views among them, cannot be computed afterwards. A view has no memory of its
 * own: to dispose of one leaves its base alone.
 */
export const dispose = declare("dispose()", (input: AnyTensor): void => disposeTensor(input));

/** Makes tensors of the plain objects that the methods {@link Tensor.toJSON} and {@link Tensor.toTransferable} return. */
import { type DType, showArgument, type TypedArray } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { checkDType } from "../ops/creation.ts";
import { elementsOfJson, type Plain, type PlainJson } from "../readout/plain.ts";
import type { Tensor } from "../tensor/handle.ts";
import { fromTypedArray, tensor } from "./creation.ts";

export type { JsonElement, NestedJson, Plain, PlainJson } from "../readout/plain.ts";

/**
 * The tensor that {@link Tensor.toJSON} wrote, from the result of `JSON.parse`; bit for bit except for the bits of NaN.
 * @throws TypeError, DTypeError or ShapeError for anything that it did not write.
 */
export const fromJSON = declareFunction(
  "fromJSON(json)",
  <const J extends PlainJson>(json: J): Tensor<number[], J["dtype"]> => {
    const { dtype, shape, data } = asPlain(json);
    const elements = elementsOfJson("fromJSON", { dtype, shape, data });
    return tensor(elements, { shape: shape as number[], dtype });
  },
);

/**
 * The tensor of a {@link Tensor.toTransferable}, made here or in another thread. It reads the array itself, which is lent.
 * @throws TypeError, DTypeError or ShapeError for anything that it did not return.
 */
export const fromTransferable = declareFunction(
  "fromTransferable(plain)",
  <D extends DType>(plain: Plain<D>): Tensor<number[], D> => {
    const { dtype, shape, data } = asPlain(plain);
    return fromTypedArray(data as TypedArray, { shape: shape as number[], dtype });
  },
);

function asPlain<P extends Plain | PlainJson>(plain: P): P {
  if (typeof plain !== "object" || plain === null || !Array.isArray(plain.shape) || !("data" in plain))
    throw new TypeError(
      `a plain object { dtype, shape, data } is read, but got ${showArgument(plain)}${typeof plain === "string" ? " (JSON.parse it first)" : ""}`,
    );
  checkDType(plain.dtype);
  return plain;
}

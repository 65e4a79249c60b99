/** Reads elements while recording, for results whose shape depends on them. */
import { DTypeError, isInt, showShape, type TypedArray } from "@fuseau/ir";
import { computeValues } from "../execute/compute.ts";
import { withoutDonation } from "../execute/extract/donors.ts";
import { optionsOf } from "../options.ts";
import { cast } from "../record.ts";
import type { Value } from "../value.ts";

/** The elements of x in row-major order, computed now. float16 is read as float32, so that every element is a number or a bigint. */
export const elementsNow = (op: string, x: Value): TypedArray => computedNow(op, x).storage!.array;

/** What `read` makes of the same elements, which it may not keep: they are read where they are. */
export function readNow<T>(op: string, x: Value, read: (elements: TypedArray) => T): T {
  const storage = computedNow(op, x).storage!;
  return read(storage.peek() ?? storage.array);
}

function computedNow(op: string, x: Value): Value {
  const options = optionsOf(op, undefined);
  return withoutDonation(() => {
    computeValues([x], options);
    const readable = x.node.dtype === "float16" ? cast(x, "float32") : x;
    computeValues([readable], options);
    return readable;
  });
}

/** The elements as numbers, exact below 2^53. */
export const numbersNow = (op: string, x: Value): number[] => Array.from(elementsNow(op, x), Number);

/** The number in a 0-d integer value, computed now. `name` is what the op calls it. */
export function placeNow(op: string, name: string, x: Value): number {
  const { dtype, shape } = x.node;
  if (shape.length > 0 || !isInt(dtype))
    throw new DTypeError(
      `${name} must be an 0-dim integral Tensor. (got ${dtype} of shape ${showShape(shape)})`,
    );
  return numbersNow(op, x)[0]!;
}

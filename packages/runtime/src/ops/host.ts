/** Reads elements while recording, for results whose shape depends on them. */
import { DTypeError, isInt, showShape, type TypedArray } from "@fuseau/ir";
import { computeValues } from "../execute/compute.ts";
import { withoutDonation } from "../execute/extract.ts";
import { optionsOf } from "../options.ts";
import { cast } from "../record.ts";
import type { Value } from "../value.ts";

/** The elements of x in row-major order, computed now. float16 is read as float32, so that every element is a number or a bigint. */
export function elementsNow(op: string, x: Value): TypedArray {
  const options = optionsOf(op, undefined);
  return withoutDonation(() => {
    computeValues([x], options);
    const readable = x.node.dtype === "float16" ? cast(x, "float32") : x;
    computeValues([readable], options);
    return readable.storage!.array;
  });
}

/** The elements as numbers, exact below 2^53. */
export const numbersNow = (op: string, x: Value): number[] => Array.from(elementsNow(op, x), Number);

/** The number in a 0-d integer value, computed now. */
export function placeNow(op: string, x: Value): number {
  const { dtype, shape } = x.node;
  if (shape.length > 0 || !isInt(dtype))
    throw new DTypeError(
      `start must be an 0-dim integral Tensor. (got ${dtype} of shape ${showShape(shape)})`,
    );
  return numbersNow(op, x)[0]!;
}

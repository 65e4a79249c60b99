/** Whether two tensors hold the same, as one boolean: computed at the call. */
import { DTypeError, sameNumbers } from "@fuseau/ir";
import type { Value } from "../value.ts";
import { isclose } from "./arithmetic.ts";
import { elementsNow } from "./host.ts";
import { torchName } from "./operand.ts";
import { eq } from "./pointwise.ts";
import { truth } from "./reduction.ts";

const holdsEverywhere = (op: string, condition: Value): boolean =>
  elementsNow(op, truth("all", condition, null, false))[0] === 1;

/**
 * True when every pair of elements is close, as {@link isclose} says.
 * @throws what isclose throws.
 */
export const allclose = (a: Value, b: Value, rtol: number, atol: number, equalNan: boolean): boolean =>
  holdsEverywhere("allclose", isclose(a, b, rtol, atol, equalNan));

/**
 * True when the shapes are the same and every pair of elements is equal; NaN equals nothing.
 * @throws DTypeError for different dtypes.
 */
export function equal(a: Value, b: Value): boolean {
  if (a.node.dtype !== b.node.dtype) {
    throw new DTypeError(
      `Expected object of scalar type ${torchName[a.node.dtype]} but got scalar type ${torchName[b.node.dtype]} for argument 'other' (cast one of them first)`,
    );
  }
  return sameNumbers(a.node.shape, b.node.shape) && holdsEverywhere("equal", eq(a, b));
}

/** Questions with one answer. Those about elements compute them at the call. PyTorch's functions of the same name. */
import { DTypeError, elementCount, isFloat, sameNumbers } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { isclose } from "../ops/arithmetic.ts";
import { elementsNow, numbersNow } from "../ops/host.ts";
import { torchName } from "../ops/operand.ts";
import { eq } from "../ops/pointwise.ts";
import { truth } from "../ops/reduction.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { CloseOptions } from "./comparison.ts";

const holdsEverywhere = (op: string, condition: Value): boolean =>
  elementsNow(op, truth("all", condition, null, false))[0] === 1;

/**
 * True when |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5) or both are equal, everywhere. Computed at the call.
 * @throws DTypeError for different dtypes, ShapeError when the shapes do not broadcast.
 */
export const allclose = declare(
  "allclose(other, { rtol, atol, equalNan })",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: Fits<T, B>,
    options: CloseOptions = {},
  ): boolean => {
    const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
    const isNear = isclose(unwrap(input), unwrap(other), rtol, atol, equalNan);
    return holdsEverywhere("allclose", isNear);
  },
);

/** True when shape and elements are the same; NaN equals nothing. Computed at the call. @throws DTypeError for different dtypes. */
export const equal = declare("equal(other)", (input: AnyTensor, other: AnyTensor): boolean => {
  const [a, b] = [unwrap(input), unwrap(other)];
  if (a.node.dtype !== b.node.dtype) {
    throw new DTypeError(
      `Expected object of scalar type ${torchName[a.node.dtype]} but got scalar type ${torchName[b.node.dtype]} for argument 'other' (cast one of them first)`,
    );
  }
  return sameNumbers(a.node.shape, b.node.shape) && holdsEverywhere("equal", eq(a, b));
});

/** True when the only element is not 0. Computed at the call. @throws TypeError unless there is exactly one. */
export const isNonzero = declare("isNonzero()", (input: AnyTensor): boolean => {
  const x = unwrap(input);
  const count = elementCount(x.node.shape);
  if (count !== 1) {
    const which = count === 0 ? "no values" : "more than one value";
    throw new TypeError(
      `Boolean value of Tensor with ${which} is ambiguous (it has ${count}; use any() or all())`,
    );
  }
  return numbersNow("isNonzero", x)[0] !== 0;
});

/** True for float16, float32 and float64. */
export const isFloatingPoint = declare("isFloatingPoint()", (input: AnyTensor): boolean =>
  isFloat(unwrap(input).node.dtype),
);

/**
 * Comparison, logic and bits of a tensor and an operand. Shapes are broadcast and dtypes promoted; in the functions, either operand may be
 * a scalar. Functions that return one boolean compute the elements at the call. Each is PyTorch's op of the same name.
 * @throws ShapeError when the shapes do not broadcast, DTypeError for dtypes that PyTorch refuses.
 */
import { type Broadcast, DTypeError, elementCount, isFloat, sameNumbers } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { comparison, sameBinary, test } from "../declare/families.ts";
import { type Beside, checkOperands } from "../declare/operands.ts";
import * as ops from "../ops/arithmetic.ts";
import { elementsNow, numbersNow } from "../ops/host.ts";
import { torchName } from "../ops/operand.ts";
import { eq as equals, logic, or } from "../ops/pointwise.ts";
import { truth } from "../ops/reduction.ts";
import { type Tensor, term, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Fits, Operand, ShapeOf } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** How close two numbers must be: |x − other| ≤ atol + rtol·|other|. */
export interface CloseOptions {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}

/** True where x = other; never for NaN. */
export const eq = comparison("eq(other)", "eq");

/** True where x ≠ other; always for NaN. */
export const ne = comparison("ne(other)", "ne");

/** True where x < other. */
export const lt = comparison("lt(other)", "lt");

/** True where x ≤ other. */
export const le = comparison("le(other)", "le");

/** True where x > other. */
export const gt = comparison("gt(other)", "gt");

/** True where x ≥ other. */
export const ge = comparison("ge(other)", "ge");

/**
 * True where |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5), or both are equal. A number gets x's dtype.
 * @throws DTypeError for different dtypes.
 */
export const isclose = declare(
  "isclose(other, { rtol, atol, equalNan })",
  <const A extends Operand, const B extends Operand>(
    input: A,
    other: Beside<A, B>,
    options: CloseOptions = {},
  ): Tensor<Broadcast<ShapeOf<A>, ShapeOf<B>>, "bool"> => {
    const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
    checkOperands(input, other as Operand);
    return wrap(ops.isclose(term(input), term(other), rtol, atol, equalNan));
  },
);

/** True where x is +∞. */
export const isposinf = test("isposinf()", (x) => equals(x, Infinity));

/** True where x is −∞. */
export const isneginf = test("isneginf()", (x) => equals(x, -Infinity));

/** True everywhere: there are no complex numbers. */
export const isreal = test("isreal()", (x) => or(equals(x, x), true));

/** True where both are nonzero. */
export const logicalAnd = comparison("logicalAnd(other)", (a, b) => logic("logicalAnd", a, b));

/** True where either is nonzero. */
export const logicalOr = comparison("logicalOr(other)", (a, b) => logic("logicalOr", a, b));

/** True where one is nonzero and the other is not. */
export const logicalXor = comparison("logicalXor(other)", (a, b) => logic("logicalXor", a, b));

/** Bits set in both. @throws DTypeError for floats. */
export const bitwiseAnd = sameBinary("bitwiseAnd(other)", "bitwiseAnd");

/** Bits set in either. @throws DTypeError for floats. */
export const bitwiseOr = sameBinary("bitwiseOr(other)", "bitwiseOr");

/**
 * Bits set in exactly one of them.
 * @throws DTypeError for floats.
 */
export const bitwiseXor = sameBinary("bitwiseXor(other)", "bitwiseXor");

/**
 * Bits shifted left by `other` places.
 * @throws DTypeError for floats and bools.
 */
export const bitwiseLeftShift = sameBinary("bitwiseLeftShift(other)", "bitwiseLeftShift");

/**
 * Bits shifted right by `other` places; the sign is kept.
 * @throws DTypeError for floats and bools.
 */
export const bitwiseRightShift = sameBinary("bitwiseRightShift(other)", "bitwiseRightShift");

const holdsEverywhere = (op: string, condition: Value): boolean =>
  elementsNow(op, truth("all", condition, null, false))[0] === 1;

/**
 * True if everywhere |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5), or both are equal. Computed at the call.
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
    const isNear = ops.isclose(unwrap(input), unwrap(other), rtol, atol, equalNan);
    return holdsEverywhere("allclose", isNear);
  },
);

/**
 * True if shapes and elements are equal; NaN equals nothing. Computed at the call.
 * @throws DTypeError for different dtypes.
 */
export const equal = declare("equal(other)", (input: AnyTensor, other: AnyTensor): boolean => {
  const [a, b] = [unwrap(input), unwrap(other)];
  if (a.node.dtype !== b.node.dtype)
    throw new DTypeError(
      `Expected object of scalar type ${torchName[a.node.dtype]} but got scalar type ${torchName[b.node.dtype]} for argument 'other' (cast one of them first)`,
    );
  return sameNumbers(a.node.shape, b.node.shape) && holdsEverywhere("equal", equals(a, b));
});

/**
 * True if the only element is not 0. Computed at the call.
 * @throws TypeError unless there is exactly one.
 */
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

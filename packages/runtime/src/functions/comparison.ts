/**
 * Comparison, logic and bits of a tensor and an operand. Shapes are broadcast and dtypes promoted; as a function, either
 * operand may be the scalar. Each is PyTorch's op of the same name.
 * @throws ShapeError when the shapes do not broadcast, DTypeError for dtypes that PyTorch refuses.
 */
import type { Broadcast } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { comparison, sameBinary, test } from "../declare/families.ts";
import { type Beside, checkOperands } from "../declare/operands.ts";
import * as ops from "../ops/arithmetic.ts";
import { eq as equals, logic, or } from "../ops/pointwise.ts";
import { type Tensor, term, wrap } from "../tensor/handle.ts";
import type { Operand, ShapeOf } from "../tensor/types.ts";

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

/** True where |x − other| ≤ atol + rtol·|other| (1e-8, 1e-5), or both are equal; a number adopts x's dtype. @throws DTypeError for different dtypes. */
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

/** Bits set in one of them. @throws DTypeError for floats. */
export const bitwiseXor = sameBinary("bitwiseXor(other)", "bitwiseXor");

/** Bits moved up by `other` places. @throws DTypeError for floats and bools. */
export const bitwiseLeftShift = sameBinary("bitwiseLeftShift(other)", "bitwiseLeftShift");

/** Bits moved down by `other` places; the sign is kept. @throws DTypeError for floats and bools. */
export const bitwiseRightShift = sameBinary("bitwiseRightShift(other)", "bitwiseRightShift");

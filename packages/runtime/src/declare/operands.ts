/** The two operands of a function. At least one is a tensor. */
import { type Scalar, showArgument } from "@fuseau/ir";
import { isFloatScalar } from "../ops/operand.ts";
import { checkedTerm, Tensor } from "../tensor/handle.ts";
import type { FitsShape, Operand, ShapeOf } from "../tensor/types.ts";

/** The operand on the right of A, or the message. Either may be a scalar, but not both. */
export type Beside<A, B> = A extends Scalar
  ? B extends Scalar
    ? "one operand at least must be a Tensor"
    : B
  : FitsShape<ShapeOf<A>, B>;

/** @throws TypeError for two scalars: nothing would be recorded. */
export function checkOperands(a: Operand, b: Operand): void {
  if (a instanceof Tensor || b instanceof Tensor) return;
  checkedTerm(a);
  checkedTerm(b);
  throw new TypeError(
    `one operand at least must be a Tensor, but got ${showScalar(a)} and ${showScalar(b)} (wrap one of them in tensor(...))`,
  );
}

const showScalar = (scalar: Scalar): string =>
  isFloatScalar(scalar) ? `float(${scalar.float})` : showArgument(scalar);

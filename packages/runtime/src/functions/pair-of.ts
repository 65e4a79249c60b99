import { type Scalar, showArgument } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { isFloatScalar, type Term } from "../ops/operand.ts";
import { checkedTerm } from "../tensor/handle.ts";
import { Tensor, term, wrap } from "../tensor/tensor.ts";
import type { Operand } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { PairFloatFunction, PairFunction, PairTruthFunction } from "./pairs.ts";

/**
 * The operands of a function of two.
 * @throws TypeError for two scalars: nothing would be recorded.
 */
export function operandsOf(op: string, a: Operand, b: Operand): readonly [Term, Term] {
  if (a instanceof Tensor || b instanceof Tensor) return [term(a), term(b)];
  checkedTerm(op, a);
  checkedTerm(op, b);
  throw new TypeError(
    `${op}: one operand at least must be a Tensor, but got ${showScalar(a)} and ${showScalar(b)} (wrap one of them in tensor(...))`,
  );
}

const showScalar = (scalar: Scalar): string =>
  isFloatScalar(scalar) ? `float(${scalar.float})` : showArgument(scalar);

export type Records = (a: Term, b: Term) => Value;

export function pairOf(result: "same", op: string, record: Records): PairFunction;
export function pairOf(result: "float", op: string, record: Records): PairFloatFunction;
export function pairOf(result: "truth", op: string, record: Records): PairTruthFunction;
export function pairOf<F extends PairFunction>(_result: string, op: string, record: Records): F {
  return operation(op, "input, other", (a: Operand, b: Operand) => wrap(record(...operandsOf(op, a, b))));
}

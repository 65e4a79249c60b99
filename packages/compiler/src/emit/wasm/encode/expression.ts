/** Arithmetic on i32 as trees, since formulas are easier to read than stack code. */
import type { Local } from "./function.ts";
import type { Operation } from "./operations.ts";

/** A parameter or local in a formula. */
export interface Variable {
  readonly local: Local;
}

/** A number is an i32 constant. */
export type Expression =
  | number
  | Variable
  | { readonly op: Operation; readonly args: readonly Expression[] }
  | { readonly condition: Expression; readonly then: Expression; readonly otherwise: Expression };

/** Folds constants. So a formula can also be evaluated by the compiler, for sizes that are known. */
const binary =
  (op: Operation, fold: (left: number, right: number) => number): Binary =>
  (left, right) =>
    typeof left === "number" && typeof right === "number" ? fold(left, right) : { op, args: [left, right] };

type Binary = (left: Expression, right: Expression) => Expression;
export const add: Binary = binary("i32.add", (a, b) => a + b);
export const sub: Binary = binary("i32.sub", (a, b) => a - b);
export const mul: Binary = binary("i32.mul", (a, b) => a * b);
/** Rounds down; unsigned. */
export const quotient: Binary = binary("i32.div_u", (a, b) => Math.floor(a / b));
export const equal: Binary = binary("i32.eq", (a, b) => Number(a === b));
export const less: Binary = binary("i32.lt_s", (a, b) => Number(a < b));
/** {@link less} for unsigned numbers, such as addresses. */
export const below: Binary = binary("i32.lt_u", (a, b) => Number(a >>> 0 < b >>> 0));
export const and: Binary = binary("i32.and", (a, b) => a & b);
export const or: Binary = binary("i32.or", (a, b) => a | b);

export const min: Binary = (left, right) => choose(less(left, right), left, right);

/** `condition` ? `then` : `otherwise`; both are evaluated. */
export function choose(condition: Expression, then: Expression, otherwise: Expression): Expression {
  return { condition, then, otherwise };
}

/** The largest multiple of a power of two that does not exceed the value. */
export const roundDown = (value: Expression, powerOfTwo: number): Expression => and(value, -powerOfTwo);

/** The quotient, rounded up. */
export function quotientUp(value: Expression, divisor: number): Expression {
  return quotient(add(value, divisor - 1), divisor);
}

/** The i32 at an address. */
export const wordAt = (at: Expression): Expression => ({ op: "i32.load", args: [at] });

/** The words of a string, separated by single blanks. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/** Arithmetic on i32 as trees, for code that reads better as formulas than as a stack machine. */
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

/** Of two numbers a number: a rule that is written once is for sizes that are known, too. */
const binary =
  (op: Operation, fold: (left: number, right: number) => number): Binary =>
  (left, right) =>
    typeof left === "number" && typeof right === "number" ? fold(left, right) : { op, args: [left, right] };

type Binary = (left: Expression, right: Expression) => Expression;
export const add: Binary = binary("i32.add", (a, b) => a + b);
export const sub: Binary = binary("i32.sub", (a, b) => a - b);
export const mul: Binary = binary("i32.mul", (a, b) => a * b);
/** Rounds down. */
export const quotient: Binary = binary("i32.div_u", (a, b) => Math.floor(a / b));
export const equal: Binary = binary("i32.eq", (a, b) => Number(a === b));
export const less: Binary = binary("i32.lt_s", (a, b) => Number(a < b));
/** The same of numbers without a sign, as addresses are. */
export const below: Binary = binary("i32.lt_u", (a, b) => Number(a >>> 0 < b >>> 0));
export const and: Binary = binary("i32.and", (a, b) => a & b);
export const or: Binary = binary("i32.or", (a, b) => a | b);

export const min: Binary = (left, right) => choose(less(left, right), left, right);

/** `condition` ? `then` : `otherwise`; both are computed. */
export function choose(condition: Expression, then: Expression, otherwise: Expression): Expression {
  return { condition, then, otherwise };
}

/** The largest multiple of a power of two that is no larger. */
export const roundDown = (value: Expression, powerOfTwo: number): Expression => and(value, -powerOfTwo);

/** The quotient that is rounded up. */
export function quotientUp(value: Expression, divisor: number): Expression {
  return quotient(add(value, divisor - 1), divisor);
}

/** The i32 in memory at an address. */
export const wordAt = (at: Expression): Expression => ({ op: "i32.load", args: [at] });

/** The names in a text, one blank between them. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

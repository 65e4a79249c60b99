/** Arithmetic on i32 as trees, for code that reads better as formulas than as a stack machine. */
import type { FunctionBuilder, Local } from "./function.ts";
import type { FunctionIndex } from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import type { Operation, ValueType } from "./operations.ts";

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

/** The value of an expression, on the stack. */
export function push(target: FunctionBuilder, expression: Expression): void {
  if (typeof expression === "number") {
    target.i32(expression);
  } else if ("local" in expression) {
    target.get(expression.local);
  } else if ("op" in expression) {
    for (const arg of expression.args) push(target, arg);
    target.op(expression.op);
  } else {
    push(target, expression.then);
    push(target, expression.otherwise);
    push(target, expression.condition);
    target.select();
  }
}

export function assign(target: FunctionBuilder, variable: Variable, expression: Expression): void {
  push(target, expression);
  target.set(variable.local);
}

/** A new i32 local that holds a value. */
export function define(target: FunctionBuilder, expression: Expression): Variable {
  const variable = { local: target.local("i32") };
  assign(target, variable, expression);
  return variable;
}

/** variable += step */
export function advance(target: FunctionBuilder, variable: Variable, step: Expression): void {
  assign(target, variable, add(variable, step));
}

/** The names in a text, one blank between them. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/**
 * A function by its name, the same in every module and written once: of i32 parameters, which a text names, with what `body` leaves on
 * the stack as `results`.
 */
export function procedure<Names extends string>(
  module: ModuleBuilder,
  name: string,
  parameters: Names,
  body: (target: FunctionBuilder, variables: Readonly<Record<Words<Names>, Variable>>) => void,
  results: readonly ValueType[] = [],
): FunctionIndex {
  const names = parameters.split(" ") as Words<Names>[];
  const type = { parameters: names.map(() => "i32" as const), results };
  return module.shared(name, name, type, (target) => {
    const variables = names.map((parameter, local): [Words<Names>, Variable] => [parameter, { local }]);
    body(target, Object.fromEntries(variables) as Record<Words<Names>, Variable>);
  });
}

export function callWith(target: FunctionBuilder, callee: FunctionIndex, args: readonly Expression[]): void {
  for (const arg of args) push(target, arg);
  target.call(callee);
}

/** for (variable = begin; variable < end; variable += step) body. `end` and `step` do not change meanwhile. */
export function forEach(
  target: FunctionBuilder,
  begin: Expression,
  end: Expression,
  step: number,
  body: (variable: Variable) => void,
): void {
  const variable = define(target, begin);
  target.forRange(variable.local, define(target, end).local, step, () => body(variable));
}

export function when(
  target: FunctionBuilder,
  condition: Expression,
  then: () => void,
  otherwise: (() => void) | null = null,
): void {
  push(target, condition);
  if (otherwise === null) target.ifThen(then);
  else target.ifElse(null, then, otherwise);
}

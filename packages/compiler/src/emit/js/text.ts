/** Loop IR expressions as JavaScript text. A copy is one of several iterations printed side by side. */
import {
  type DType,
  type Expression,
  type Integer,
  type LoopKernel,
  type Operand,
  printOperand,
  type Statement,
  type Test,
} from "@fuseau/ir";
import { jsConstant, jsLoad, jsPointwise } from "./pointwise.ts";

/** Iteration `shift` of `axis`, its own locals marked by a suffix, so that several can stand in one block. */
export interface Copy {
  readonly axis: number;
  readonly shift: number;
  /** The locals defined within the copied statements. */
  readonly own: ReadonlySet<number>;
}

/** The plain text, no copies. */
export const single: Copy = { axis: -1, shift: 0, own: new Set() };

export const copiesOf = (axis: number, count: number, body: readonly Statement[]): Copy[] => {
  const own = localsIn(body);
  return Array.from({ length: count }, (_, shift) => ({ axis, shift, own }));
};

function localsIn(body: readonly Statement[]): Set<number> {
  const locals = new Set<number>();
  for (const statement of body) {
    if (statement.kind === "integer" || statement.kind === "let") locals.add(statement.local);
    else if (statement.kind === "for") for (const local of localsIn(statement.body)) locals.add(local);
  }
  return locals;
}

const suffix = (local: number, copy: Copy): string => (copy.own.has(local) ? `_${copy.shift}` : "");

export const integerName = (local: number, copy: Copy): string => `i${local}${suffix(local, copy)}`;
export const valueName = (local: number, copy: Copy): string => `v${local}${suffix(local, copy)}`;

export function integerText(integer: Integer, copy: Copy): string {
  switch (integer.kind) {
    case "literal":
      return `${integer.value}`;
    case "size":
      return `n${integer.slot}`;
    case "axis":
      return integer.axis === copy.axis && copy.shift > 0 ? `(x${integer.axis} + ${copy.shift})` : `x${integer.axis}`;
    case "local":
      return integerName(integer.local, copy);
    case "add":
      return `(${integerText(integer.left, copy)} + ${integerText(integer.right, copy)})`;
    case "mul":
      return `(${integerText(integer.left, copy)} * ${integerText(integer.right, copy)})`;
    case "div":
      return `(${integerText(integer.left, copy)} / ${integerText(integer.right, copy)} | 0)`;
    case "mod":
      return `(${integerText(integer.left, copy)} % ${integerText(integer.right, copy)})`;
    default:
      return integer satisfies never;
  }
}

export function operandText(operand: Operand, copy: Copy): string {
  if (operand.kind === "local") return valueName(operand.local, copy);
  return operand.kind === "constant" ? jsConstant(operand.value, operand.dtype) : printOperand(operand);
}

/** How a `result` is read; the reduction that it ends knows. */
export type ResultText = (accumulator: number, cell: Integer, copy: Copy) => string;

export function expressionText(
  expression: Expression,
  dtype: DType,
  kernel: LoopKernel,
  copy: Copy,
  result: ResultText,
): string {
  switch (expression.kind) {
    case "pointwise": {
      const args = expression.args.map((arg) => operandText(arg, copy));
      return jsPointwise[expression.fn](args, expression.from, dtype);
    }
    case "load": {
      const stored = (kernel.buffers[expression.buffer] as { dtype: DType }).dtype;
      const element = jsLoad(stored, `b${expression.buffer}[${integerText(expression.at, copy)}]`);
      if (expression.tests.length === 0) return element;
      return `(${testsText(expression.tests, copy)} ? ${element} : ${jsConstant(dtype === "int64" ? 0n : 0, dtype)})`;
    }
    case "select": {
      const cases = expression.cases.map(
        ({ tests, value }) => `${testsText(tests, copy)} ? ${operandText(value, copy)} : `,
      );
      return `(${cases.join("")}${operandText(expression.otherwise, copy)})`;
    }
    case "index": {
      const at = integerText(expression.at, copy);
      return dtype === "int32" ? at : jsPointwise.cast([at], "int32", dtype);
    }
    case "result":
      return result(expression.accumulator, expression.cell, copy);
    default:
      return expression satisfies never;
  }
}

function testsText(tests: readonly Test[], copy: Copy): string {
  const texts: string[] = [];
  for (const { at, low, high } of tests) {
    const text = integerText(at, copy);
    if (low !== null) texts.push(`${text} >= ${integerText(low, copy)}`);
    if (high !== null) texts.push(`${text} < ${integerText(high, copy)}`);
  }
  return texts.length === 0 ? "true" : `(${texts.join(" && ")})`;
}

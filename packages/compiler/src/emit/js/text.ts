/** Loop IR expressions as JavaScript text. A copy is one of several interleaved iterations. */
import {
  type DType,
  type Expression,
  type Integer,
  type LoopKernel,
  localsDefinedIn,
  type Operand,
  printOperand,
  type Statement,
  type Test,
} from "@fuseau/ir";
import { type LaneCalls, pointwiseText } from "./lanes.ts";
import { jsConstant, jsLoad, jsPointwise } from "./pointwise.ts";

/** In a copy, axes are shifted by some iterations, and locals that differ between copies have a suffix. */
export interface Copy {
  readonly shifts: ReadonlyMap<number, number>;
  readonly suffixes: ReadonlyMap<number, string>;
  /** The suffix of the accumulators of a copy, if it has accumulators of its own, of one lane each. */
  readonly registers?: string;
}

/** Without copies. */
export const single: Copy = { shifts: new Map(), suffixes: new Map() };

/** The copies of `count` iterations of an axis. All locals that `body` defines differ between them. */
export function copiesOf(axis: number, count: number, body: readonly Statement[]): Copy[] {
  const own = localsDefinedIn(body);
  return Array.from({ length: count }, (_, shift) => ({
    shifts: new Map([[axis, shift]]),
    suffixes: new Map(own.map((local) => [local, `_${shift}`])),
  }));
}

/**
 * The copies of `count` iterations of a loop within a jammed loop: for each iteration, one for each of the given `copies`. Locals
 * that `common` defines are the same for all given copies.
 */
export function copiesWithin(
  copies: readonly Copy[],
  axis: number,
  count: number,
  body: readonly Statement[],
  common: readonly Statement[],
): Copy[][] {
  const own = localsDefinedIn(body);
  const shared = new Set(localsDefinedIn(common));
  return Array.from({ length: count }, (_, shift) => {
    const mark = count === 1 ? "" : `_${shift}`;
    return copies.map((copy, k) => ({
      ...copy,
      shifts: new Map([...copy.shifts, [axis, shift]]),
      suffixes: new Map([
        ...copy.suffixes,
        ...own.map((local): [number, string] => [local, shared.has(local) ? mark : `_${k}${mark}`]),
      ]),
    }));
  });
}

export const integerName = (local: number, copy: Copy): string =>
  `i${local}${copy.suffixes.get(local) ?? ""}`;
export const valueName = (local: number, copy: Copy): string => `v${local}${copy.suffixes.get(local) ?? ""}`;

export function integerText(integer: Integer, copy: Copy): string {
  switch (integer.kind) {
    case "literal":
      return `${integer.value}`;
    case "size":
      return `n${integer.slot}`;
    case "axis": {
      const shift = copy.shifts.get(integer.axis) ?? 0;
      return shift === 0 ? `x${integer.axis}` : `(x${integer.axis} + ${shift})`;
    }
    case "local":
      return integerName(integer.local, copy);
    case "add":
      return `(${integerText(integer.left, copy)} + ${integerText(integer.right, copy)})`;
    case "mul":
      // Math.imul needs no check for overflow or −0, which V8 puts around a plain product.
      return `imul(${integerText(integer.left, copy)}, ${integerText(integer.right, copy)})`;
    case "div":
      return `(${integerText(integer.left, copy)} / ${integerText(integer.right, copy)} | 0)`;
    case "mod":
      return `(${integerText(integer.left, copy)} % ${integerText(integer.right, copy)})`;
    case "min":
      return `min(${integerText(integer.left, copy)}, ${integerText(integer.right, copy)})`;
    default:
      return integer satisfies never;
  }
}

/** An element of a buffer. `| 0` tells V8 that the index is an int32, which avoids a check for overflow. */
export function elementText(buffer: number, at: Integer, copy: Copy): string {
  const terms = termsText(at, copy);
  return `b${buffer}[${terms.length === 1 ? terms[0] : `${terms.join(" + ")} | 0`}]`;
}

function termsText(integer: Integer, copy: Copy): string[] {
  if (integer.kind === "add") return [...termsText(integer.left, copy), ...termsText(integer.right, copy)];
  if (integer.kind !== "axis") return [integerText(integer, copy)];
  const shift = copy.shifts.get(integer.axis) ?? 0;
  return shift === 0 ? [`x${integer.axis}`] : [`x${integer.axis}`, `${shift}`];
}

export function operandText(operand: Operand, copy: Copy): string {
  if (operand.kind === "local") return valueName(operand.local, copy);
  return operand.kind === "constant" ? jsConstant(operand.value, operand.dtype) : printOperand(operand);
}

/** The text of a `result`; the folds of the kernel give it. */
type ResultText = (accumulator: number, cell: Integer, copy: Copy) => string;

export function expressionText(
  expression: Expression,
  dtype: DType,
  kernel: LoopKernel,
  copy: Copy,
  result: ResultText,
  calls: LaneCalls | null,
): string {
  switch (expression.kind) {
    case "pointwise": {
      const args = expression.args.map((arg) => operandText(arg, copy));
      return pointwiseText(expression.fn, args, expression.from, dtype, calls);
    }
    case "load": {
      const stored = (kernel.buffers[expression.buffer] as { dtype: DType }).dtype;
      const element = jsLoad(stored, elementText(expression.buffer, expression.at, copy));
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
      // `| 0`, since a product with a negative step may be −0.
      const at = `(${integerText(expression.at, copy)} | 0)`;
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

/**
 * Values that are only used in a cheaper form. A comparison that is only used as a condition stays a boolean: it is not converted
 * to 1 or 0 and compared again. An int64 that is only used as an index is read as 32-bit words, which avoids BigInts.
 */
import {
  type Comparison,
  type DType,
  type Expression,
  type Integer,
  isComparison,
  type LoopKernel,
  type Operand,
  statementsIn,
  visitParts,
} from "@fuseau/ir";
import { type Copy, operandText } from "./text.ts";

const operators: { readonly [Op in Comparison]: string } = {
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** The condition as text; undefined when the expression is no comparison. */
export function conditionText(expression: Expression, copy: Copy): string | undefined {
  if (expression.kind !== "pointwise") return undefined;
  const { fn, args } = expression;
  if (!isComparison(fn)) return undefined;
  const [a, b] = args as [Operand, Operand];
  return `${operandText(a, copy)} ${operators[fn]} ${operandText(b, copy)}`;
}

/** An element of an int64 buffer. */
interface Words {
  readonly buffer: number;
  readonly at: Integer;
}

export interface Uses {
  /** Comparisons that are only used as the condition of `where`. */
  readonly conditions: ReadonlySet<number>;
  /** Loads of int64 that are only used as indexes, before any store to an int64 buffer, which might be the one they read. */
  readonly words: ReadonlyMap<number, Words>;
}

type Kind = "condition" | "index" | "value";

export function usesIn({ body, buffers }: LoopKernel): Uses {
  const compared = new Set<number>();
  const loaded = new Map<number, Words>();
  const used = new Map<number, Set<Kind>>();
  const use = (operand: Operand, kind: Kind): void => {
    if (operand.kind !== "local") return;
    const known = used.get(operand.local);
    if (known === undefined) used.set(operand.local, new Set([kind]));
    else known.add(kind);
  };
  const define = (local: number, value: Expression): void => {
    if (value.kind === "pointwise") {
      if (isComparison(value.fn)) compared.add(local);
      for (const [k, arg] of value.args.entries())
        use(arg, value.fn === "where" && k === 0 ? "condition" : "value");
    } else if (value.kind === "select") {
      for (const choice of value.cases) use(choice.value, "value");
      use(value.otherwise, "value");
    } else if (value.kind === "load" && value.tests.length === 0) {
      const { dtype } = buffers[value.buffer] as { dtype: DType };
      if (dtype === "int64") loaded.set(local, value);
    }
  };
  for (const statement of statementsIn(body)) {
    if (statement.kind === "let") define(statement.local, statement.value);
    else if (statement.kind === "index") use(statement.value, "index");
    else visitParts(statement, { operand: (operand) => use(operand, "value") });
    if (statement.kind !== "store" || buffers[statement.buffer]?.dtype !== "int64") continue;
    for (const local of loaded.keys()) if (!used.has(local)) loaded.delete(local);
  }
  const only = (local: number, kind: Kind): boolean => {
    const kinds = used.get(local);
    return kinds?.size === 1 && kinds.has(kind);
  };
  return {
    conditions: new Set([...compared].filter((local) => only(local, "condition"))),
    words: new Map([...loaded].filter(([local]) => only(local, "index"))),
  };
}

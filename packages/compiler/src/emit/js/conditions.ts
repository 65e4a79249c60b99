/**
 * Comparisons that nothing but a choice looks at: `i === j` may then stay a condition to V8, instead of becoming the number
 * 1 or 0 and being compared again.
 */
import type { Expression, LoopKernel, Operand, PointwiseOp, Statement } from "@fuseau/ir";
import { type Copy, operandText } from "./text.ts";

const operators: { readonly [Op in PointwiseOp]?: string } = {
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

/** The text of a comparison as a condition, or undefined for any other expression. */
export function conditionText(expression: Expression, copy: Copy): string | undefined {
  if (expression.kind !== "pointwise") return undefined;
  const operator = operators[expression.fn];
  if (operator === undefined) return undefined;
  const [a, b] = expression.args as [Operand, Operand];
  return `${operandText(a, copy)} ${operator} ${operandText(b, copy)}`;
}

/** The comparisons that are used as the condition of `where`, and in no other way. */
export function conditionsOf({ body }: LoopKernel): ReadonlySet<number> {
  const compared = new Set<number>();
  const otherwise = new Set<number>();
  const use = (operand: Operand): void => {
    if (operand.kind === "local") otherwise.add(operand.local);
  };
  const visit = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      switch (statement.kind) {
        case "let":
          if (statement.value.kind === "pointwise") {
            const { fn, args } = statement.value;
            if (operators[fn] !== undefined) compared.add(statement.local);
            for (const [k, arg] of args.entries()) if (fn !== "where" || k > 0) use(arg);
          } else if (statement.value.kind === "select") {
            for (const { value } of statement.value.cases) use(value);
            use(statement.value.otherwise);
          }
          break;
        case "store":
        case "index":
          use(statement.value);
          break;
        case "accumulate":
          for (const value of statement.values) use(value);
          break;
        case "for":
          visit(statement.body);
          break;
        case "reduce":
          visit(statement.row);
          visit(statement.body);
          break;
        case "integer":
        case "sort":
          break;
        default:
          statement satisfies never;
      }
    }
  };
  visit(body);
  return new Set([...compared].filter((local) => !otherwise.has(local)));
}

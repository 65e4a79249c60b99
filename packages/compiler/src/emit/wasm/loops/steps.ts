/** How many elements the steps of a loop take. */
import { type DType, type Expression, pointwiseOps, type Statement } from "@fuseau/ir";
import { lawOf } from "../folds/law.ts";
import type { Areas } from "../plan/areas.ts";
import { type Width, widthOf } from "../values/value.ts";

/** Bodies of at least this cost are walked with four registers of the widest lanes side by side, others with two. */
export const LONG_BODY = 20;

export interface BodyFacts {
  readonly widest: Width;
  readonly cost: number;
}

/** The steps of a loop over such a body, the longest first. */
export function stepsFor({ widest, cost }: BodyFacts): [number, number, number] {
  const lanes = 16 / widest;
  return [lanes * (cost >= LONG_BODY ? 4 : 2), lanes, 1];
}

export function factsOf(body: readonly Statement[], areas: Areas): BodyFacts {
  let widest: Width = 1;
  let cost = 0;
  const see = (dtype: DType): void => {
    widest = Math.max(widest, widthOf[dtype]) as Width;
  };
  const seeExpression = (expression: Expression): void => {
    if (expression.kind === "pointwise") {
      cost += pointwiseOps[expression.fn].cost;
      see(expression.from);
    } else cost++;
  };
  const visit = (statements: readonly Statement[]): void => {
    for (const statement of statements) {
      switch (statement.kind) {
        case "let":
          see(statement.dtype);
          seeExpression(statement.value);
          break;
        case "store":
          see(areas.dtypeOf(statement.buffer));
          break;
        case "for":
          visit(statement.body);
          break;
        case "reduce":
          for (const accumulator of statement.accumulators) {
            const law = lawOf(accumulator);
            if (!law.condensed) see(law.partial);
            if (law.positioned) see("int32");
          }
          visit(statement.row);
          visit(statement.body);
          break;
        case "integer":
        case "index":
        case "sort":
        case "accumulate":
          break;
        default:
          statement satisfies never;
      }
    }
  };
  visit(body);
  return { widest, cost };
}

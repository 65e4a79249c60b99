/** How many elements the steps of a loop take. */
import {
  type Accumulator,
  type DType,
  type Expression,
  isLoop,
  pointwiseOps,
  type Statement,
  visitStatements,
} from "@fuseau/ir";
import { sizeOf, timesOf } from "../../../tactics/size.ts";
import { accumulationOf } from "../folds/accumulation.ts";
import type { Workspaces } from "../plan/workspaces.ts";
import { type Width, widthOf } from "../values/value.ts";

/** Bodies of at least this cost are walked with four registers of the widest lanes side by side, others with two. */
export const LONG_BODY = 20;

/** A loop that is unrolled this often is walked one register at a time: with two its values would spill. */
const UNROLLED = 8;

export interface BodyFacts {
  readonly widest: Width;
  readonly cost: number;
  /** The largest number of times that a loop within it is unrolled. */
  readonly unrolled?: number;
  /** Instructions for one register of each value. */
  readonly size?: number;
  /** Whether it makes random words: sixteen come of four blocks side by side. */
  readonly random?: boolean;
}

/** Instructions of all steps of a loop, at most, as long as there is a choice. */
const STEPS_SIZE = 4_000;

/** The steps of a loop over such a body, the longest first; the last takes one element. */
export function stepsFor({ widest, cost, unrolled = 1, size = 0, random = false }: BodyFacts): number[] {
  const lanes = 16 / widest;
  let copies = unrolled >= UNROLLED ? 1 : random ? 8 : cost >= LONG_BODY ? 4 : 2;
  while (copies > 1 && (copies + 2) * size > STEPS_SIZE) copies /= 2;
  return copies === 1 ? [lanes, 1] : [lanes * copies, lanes, 1];
}

/** The facts of a body in which all loops are unrolled, and of what it is folded into. */
export function factsOf(
  body: readonly Statement[],
  workspaces: Workspaces,
  folds: readonly Accumulator[] = [],
): BodyFacts {
  let widest: Width = 1;
  let cost = 0;
  let unrolled = 1;
  let random = false;
  const see = (dtype: DType): void => {
    widest = Math.max(widest, widthOf[dtype]) as Width;
  };
  const seeExpression = (expression: Expression, times: number): void => {
    if (expression.kind === "pointwise") {
      cost += times * pointwiseOps[expression.fn].cost;
      if (expression.fn === "randomWord" || expression.fn === "randomNormal") random = true;
      see(expression.from);
    } else cost += times;
  };
  const seeFold = (accumulator: Accumulator): void => {
    const accumulation = accumulationOf(accumulator);
    if (!accumulation.condensed) see(accumulation.partial);
    if (accumulation.positioned) see("int32");
  };
  folds.forEach(seeFold);
  visitStatements(body, {
    statement: (statement, around) => {
      const times = around.reduce((product, loop) => product * (timesOf(loop) ?? 1), 1);
      if (statement.kind === "let") {
        see(statement.dtype);
        seeExpression(statement.value, times);
      } else if (statement.kind === "store") see(workspaces.dtypeOf(statement.buffer));
      else if (isLoop(statement)) unrolled = Math.max(unrolled, times * (timesOf(statement) ?? 1));
      if (statement.kind === "reduce") statement.accumulators.forEach(seeFold);
    },
  });
  return { widest, cost, unrolled, size: sizeOf(body), random };
}

/** Float dots beside other folds: loops of their own, and how many blocks of them are summed side by side. */
import {
  type Accumulator,
  type BufferParameter,
  isFloat,
  isLoop,
  type LoopKernel,
  mapStatements,
  type ReduceStatement,
  type Statement,
} from "@fuseau/ir";
import { isFloatDot } from "../lower/accumulators.ts";
import type { StraightBody } from "./straight.ts";

/** The body with each loop at its top that has float dots among its accumulators as two: the dots', and behind it the others'. */
export const dotsApart = ({ body, buffers }: LoopKernel): readonly Statement[] =>
  body.flatMap((statement) => {
    if (statement.kind !== "reduce" || !statement.accumulators.some(isFloatDot)) return [statement];
    const others = othersOf(statement);
    return others.accumulators.length === 0 ? [statement] : [dotsOf(statement, buffers), others];
  });

/** Results are stored by the loop behind it, which may overwrite what both of them read. */
export const dotsOf = (statement: ReduceStatement, buffers: readonly BufferParameter[]): ReduceStatement =>
  only(statement, isFloatDot, (each) => each.kind !== "store" || buffers[each.buffer]?.access !== "write");
export const othersOf = (statement: ReduceStatement): ReduceStatement =>
  only(
    statement,
    (accumulator) => !isFloatDot(accumulator),
    () => true,
  );

/** The loop for some of its accumulators and of its other statements. */
function only(
  statement: ReduceStatement,
  chosen: (accumulator: Accumulator) => boolean,
  kept: (statement: Statement) => boolean,
): ReduceStatement {
  const left = statement.accumulators.filter((accumulator) => !chosen(accumulator));
  if (left.length === 0) return statement;
  const ids = left.map(({ accumulator }) => accumulator);
  return {
    ...statement,
    accumulators: statement.accumulators.filter(chosen),
    body: mapStatements(statement.body, (each) => {
      const isLeft = each.kind === "accumulate" && ids.includes(each.accumulator);
      return isLoop(each) || (!isLeft && kept(each)) ? each : [];
    }),
  };
}

/**
 * The most blocks whose additions are interleaved: lanes are full then, and an addition seldom waits for the one before it.
 * Long bodies are unrolled less.
 */
export const streamsOf = (body: StraightBody): readonly [number, ...number[]] =>
  body.length <= 6 ? [8, 4, 1] : [4, 1];

/** False where a step of several elements may have to be left to single ones. */
export const neverFails = (body: StraightBody): boolean =>
  body.every(
    (each) =>
      each.kind === "integer" ||
      each.kind === "accumulate" ||
      (each.kind === "let" && (each.value.kind !== "pointwise" || isFloat(each.value.from))),
  );

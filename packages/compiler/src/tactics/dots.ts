/** Float dots beside other folds: each kind gets a loop of its own. And how many blocks of dots are interleaved. */
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

/** The body with each loop at its top that has float dots among its accumulators split in two: that of the dots, and that of the others. */
export const splitDots = ({ body, buffers }: LoopKernel): readonly Statement[] =>
  body.flatMap((statement) => {
    if (statement.kind !== "reduce" || !statement.accumulators.some(isFloatDot)) return [statement];
    const others = othersOf(statement);
    return others.accumulators.length === 0 ? [statement] : [dotsOf(statement, buffers), others];
  });

/** The second loop stores results, which may overwrite what both of them read. */
export const dotsOf = (statement: ReduceStatement, buffers: readonly BufferParameter[]): ReduceStatement =>
  only(statement, isFloatDot, (each) => each.kind !== "store" || buffers[each.buffer]?.access !== "write");
export const othersOf = (statement: ReduceStatement): ReduceStatement =>
  only(
    statement,
    (accumulator) => !isFloatDot(accumulator),
    () => true,
  );

/** A loop with some of its accumulators and some of its statements. */
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
 * The most blocks whose additions are interleaved. Lanes are full then, and additions seldom depend on the previous one. Long bodies are
 * interleaved less.
 */
export const streamsOf = (body: StraightBody): readonly [number, ...number[]] =>
  body.length <= 6 ? [8, 4, 1] : [4, 1];

/** False where a step of several elements may fail and be repeated by single ones. */
export const neverFails = (body: StraightBody): boolean =>
  body.every(
    (each) =>
      each.kind === "integer" ||
      each.kind === "accumulate" ||
      (each.kind === "let" && (each.value.kind !== "pointwise" || isFloat(each.value.from))),
  );

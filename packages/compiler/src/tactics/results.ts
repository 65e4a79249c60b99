/**
 * Results of folded columns that every row then uses. Their sums are float64, and each row would round all of them again. They are
 * rounded once, to private memory.
 */
import { type Accumulator, isLoop, mapStatements, type Statement, statementsIn } from "@fuseau/ir";
import { accumulatorKind } from "../lower/accumulators.ts";
import { isSized } from "./integers.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

export const results: Tactic = {
  name: "results of columns",
  schedule: (statement, scheduling) => {
    const kept = keptIn(statement, scheduling);
    return kept === statement ? null : [kept];
  },
};

function keptIn(statement: Statement, scheduling: Scheduling): Statement {
  if (statement.kind !== "for" || statement.run !== undefined) return statement;
  let body: readonly Statement[] = statement.body.map((each) => keptIn(each, scheduling));
  const folds = body.flatMap((each) => (each.kind === "reduce" ? each.accumulators : []));
  for (const fold of folds) if (isRounded(fold)) body = withKept(body, fold, scheduling);
  return body.every((each, k) => each === statement.body[k]) ? statement : { ...statement, body };
}

const isRounded = ({ fn, from, to, row }: Accumulator): boolean =>
  row !== null && isSized(row.cells) && accumulatorKind(fn, from).partial !== to;

/** The statements with the results behind the fold, if nested loops read them. */
function withKept(
  body: readonly Statement[],
  fold: Accumulator,
  { names, addPrivate }: Scheduling,
): readonly Statement[] {
  const { accumulator, to, row } = fold;
  const isResult = (each: Statement): boolean =>
    each.kind === "let" && each.value.kind === "result" && each.value.accumulator === accumulator;
  const isReadOften = body.some(
    (each) =>
      each.kind === "for" && each.body.some((inner) => isLoop(inner) && statementsIn([inner]).some(isResult)),
  );
  if (!isReadOften) return body;
  const at = body.findIndex((each) => each.kind === "reduce" && each.accumulators.includes(fold));
  const buffer = addPrivate({ dtype: to, access: "private", cells: row!.cells });
  const [place, { local }] = [names.axis(), names.local()];
  const rounding: Statement = {
    kind: "for",
    axis: { axis: place.axis, extent: row!.cells },
    ordered: false,
    body: [
      { kind: "let", local, dtype: to, value: { kind: "result", accumulator, cell: place } },
      { kind: "store", buffer, at: place, value: { kind: "local", local }, combine: "set" },
    ],
  };
  const reading = mapStatements(body.slice(at + 1), (each): Statement => {
    if (each.kind !== "let" || each.value.kind !== "result" || each.value.accumulator !== accumulator)
      return each;
    return { ...each, value: { kind: "load", buffer, at: each.value.cell, tests: [] } };
  });
  return [...body.slice(0, at + 1), rounding, ...reading];
}

/**
 * Folds over several axes whose last one is short: `(points - centre).square().sum()`, statistics of a group of narrow rows. An element of
 * the fold has its lane by its place among all of them, so a row of five begins at any lane, and would be taken element by element. So the
 * elements are first stored to private memory, row by row, as in any other loop; then they are folded as one row.
 */
import {
  type ForStatement,
  type Integer,
  isDefinition,
  isLoop,
  type LetStatement,
  type Loop,
  type LoopAxis,
  type ReduceStatement,
  renameLocals,
  type Statement,
} from "@fuseau/ir";
import { decidedBy } from "./decided.ts";
import { isSized, plus, times } from "./integers.ts";
import { mayBeMasked } from "./masked.ts";
import type { Scheduling, Tactic } from "./tactic.ts";

export const foldedRows: Tactic = {
  name: "short rows of a fold",
  schedule: (statement, scheduling) => {
    const made = madeFirst(statement, scheduling);
    return made && [made];
  },
};

function madeFirst(statement: Statement, scheduling: Scheduling): Statement | null {
  if (!isLoop(statement) || (statement.run !== undefined && statement.run.kind !== "parallel")) return null;
  const parts = statement.body.map((each): readonly Statement[] | null => {
    const two = each.kind === "reduce" ? inTwo(each, scheduling) : null;
    if (two !== null) return two;
    const made = madeFirst(each, scheduling);
    return made && [made];
  });
  if (parts.every((each) => each === null)) return null;
  return { ...statement, body: statement.body.flatMap((each, k) => parts[k] ?? each) };
}

/** The elements, and their fold. The law: nothing in the body fails, and each store is to a place of its own. */
function inTwo(fold: ReduceStatement, { names, addPrivate }: Scheduling): readonly Loop[] | null {
  const { axes, accumulators, scan, blocked, run, row, body } = fold;
  if (scan || blocked || run !== undefined || !hasShortRows(axes)) return null;
  if (accumulators.some((each) => each.row !== null)) return null;
  if ([...row, ...body].some(isLoop) || !mayBeMasked(body) || !storesItsOwn(fold)) return null;
  const along = names.axis();
  const folds = body
    .filter((each) => each.kind === "accumulate")
    .map((each) => (each.position.kind === "literal" ? each : { ...each, position: along }));
  const folded = new Set(
    folds.flatMap(({ values }) => values.map((each) => (each.kind === "local" ? each.local : -1))),
  );
  const values = body.filter((each): each is LetStatement => each.kind === "let" && folded.has(each.local));
  if (values.length !== folded.size) return null;

  const cells = axes.map(({ extent }) => extent).reduce(times);
  const places = axes.map(({ axis }): Integer => ({ kind: "axis", axis }));
  const at = places.reduce((place, axis, k) => plus(times(place, axes[k]!.extent), axis));
  const loads: Statement[] = [];
  const copies = new Map<number, number>();
  const stores = values.map(({ local, dtype }): Statement => {
    const buffer = addPrivate({ dtype, access: "private", cells });
    const copy = names.local().local;
    copies.set(local, copy);
    loads.push({ kind: "let", local: copy, dtype, value: { kind: "load", buffer, at: along, tests: [] } });
    return { kind: "store", buffer, at, value: { kind: "local", local }, combine: "set" };
  });
  const made = body.filter(({ kind }) => kind !== "accumulate");
  const loop = (axis: LoopAxis, within: readonly Statement[]): ForStatement => ({
    kind: "for",
    axis,
    ordered: false,
    body: within,
  });
  const innermost = loop(axes.at(-1)!, [...made, ...stores]);
  const elements = axes
    .slice(0, -1)
    .reduceRight(
      (within, axis, k) => loop(axis, k === axes.length - 2 ? [...row, within] : [within]),
      innermost,
    );
  const whole = { axis: along.axis, extent: cells };
  return [
    elements,
    { ...fold, axes: [whole], aligned: false, row: [], body: [...loads, ...renameLocals(folds, copies)] },
  ];
}

const hasShortRows = (axes: readonly LoopAxis[]): boolean =>
  axes.length > 1 && axes.at(-1)!.short === true && axes.every(({ extent }) => isSized(extent));

function storesItsOwn({ axes, row, body }: ReduceStatement): boolean {
  const definitions = [...row, ...body].filter(isDefinition);
  return axes.every(({ axis }) => {
    const decided = decidedBy(axis, definitions);
    return body.every((each) => each.kind !== "store" || decided.integer(each.at));
  });
}

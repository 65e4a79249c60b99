/**
 * Loops under guards, cut where their tests change: concatenations and padding. Between two cuts a test is the same for all
 * iterations, so that it is asked once, where the piece starts, and not in the loop.
 */
import {
  type Cut,
  cutOf,
  type Integer,
  inline,
  isLoop,
  type Loop,
  mapStatements,
  mapTests,
  printInteger,
  type Statement,
  someInteger,
  type Test,
} from "@fuseau/ir";
import { plus, times } from "./integers.ts";
import { isGuarded } from "./masked.ts";
import type { Numbering } from "./numbering.ts";
import { replaceAxis } from "./steps.ts";
import type { Tactic } from "./tactic.ts";

export const pieces: Tactic = {
  name: "pieces",
  schedule: (statement, { names }) => [piecesIn(statement, names)],
};

/** All vectors but those that are jammed: iterations of theirs are at several places at once. */
function piecesIn(statement: Statement, names: Numbering): Statement {
  if (!isLoop(statement) || statement.run?.kind === "jam") return statement;
  if (statement.run?.kind === "vector") return inPieces(statement, names);
  const within = (body: readonly Statement[]): readonly Statement[] =>
    body.map((each) => piecesIn(each, names));
  const body = within(statement.body);
  return statement.kind === "for"
    ? { ...statement, body }
    : { ...statement, row: within(statement.row), body };
}

/**
 * A vector in pieces, where a test changes along it evenly; what is masked behind the lanes of an order begins at one place alone. Only
 * statements without loops are looked into.
 */
export function inPieces<S extends Statement>(statement: S, names: Numbering): S;
export function inPieces(statement: Statement, names: Numbering): Statement {
  if (!isLoop(statement) || statement.run?.kind !== "vector" || statement.run.cut !== undefined)
    return statement;
  const { run } = statement;
  if (run.lanes * run.copies === 1 || (statement.kind === "reduce" && run.masked !== undefined))
    return statement;
  if (!isGuarded(statement.body)) return statement;
  const given = cutAtGuards(axisOf(statement), statement.body, names);
  return given === null ? statement : { ...statement, run: { ...run, cut: given.cut }, body: given.body };
}

/** The last axis, which a vector is along. */
const axisOf = (loop: Loop): number => (loop.kind === "for" ? loop.axis : loop.axes.at(-1)!).axis;

/** Each iteration as a piece, for those who run them so. */
export const withoutPieces = (body: readonly Statement[]): readonly Statement[] =>
  mapStatements(body, (each) => {
    const cut = isLoop(each) ? cutOf(each.run) : null;
    if (!isLoop(each) || cut === null) return each;
    const { run: _, ...loop } = each;
    return { ...loop, body: replaceAxis(each.body, cut.first, { kind: "axis", axis: axisOf(each) }) };
  });

function cutAtGuards(
  axis: number,
  body: readonly Statement[],
  names: Numbering,
): { readonly cut: Cut; readonly body: readonly Statement[] } | null {
  const cuts = new Map<string, Integer>();
  const first = names.axis();
  const integers = new Map<number, Integer>();
  /** Read from data in the body. */
  const lookups = new Set<number>();
  const cut = (bound: Integer | null, base: Integer | null): void => {
    if (bound === null) return;
    const at = base === null ? bound : plus(bound, times(base, -1));
    cuts.set(printInteger(at), at);
  };
  /** Without the names that the body gives to parts of it. */
  const own = (integer: Integer): Integer => inline(integer, (local) => integers.get(local));
  const decide = (test: Test): Test => {
    const bounds = [test.low, test.high].map((bound) => bound && own(bound));
    const base = besides(own(test.at), axis, lookups);
    if (base === undefined || !bounds.every((bound) => bound === null || isFixed(bound, axis, lookups)))
      return test;
    const [low, high] = bounds as [Integer | null, Integer | null];
    cut(low, base);
    cut(high, base);
    return { at: base === null ? first : plus(first, base), low, high };
  };
  const decided = body.map((statement): Statement => {
    if (statement.kind === "integer") integers.set(statement.local, statement.value);
    if (statement.kind === "index") lookups.add(statement.local);
    return mapTests(statement, decide);
  });
  if (cuts.size === 0) return null;
  return { cut: { first: first.axis, at: [...cuts.values()] }, body: decided };
}

/** What is added to the axis, null for nothing; undefined where the integer is not the axis and something fixed. */
function besides(integer: Integer, axis: number, lookups: ReadonlySet<number>): Integer | null | undefined {
  if (integer.kind === "axis" && integer.axis === axis) return null;
  if (integer.kind !== "add") return undefined;
  const { left, right } = integer;
  const [own, other] = isFixed(right, axis, lookups) ? [left, right] : [right, left];
  if (!isFixed(other, axis, lookups)) return undefined;
  const rest = besides(own, axis, lookups);
  if (rest === undefined) return undefined;
  return rest === null ? other : plus(rest, other);
}

const isFixed = (integer: Integer, axis: number, lookups: ReadonlySet<number>): boolean =>
  !someInteger(
    integer,
    (leaf) =>
      (leaf.kind === "axis" && leaf.axis === axis) || (leaf.kind === "local" && lookups.has(leaf.local)),
  );

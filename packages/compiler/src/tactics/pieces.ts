/**
 * Loops under guards, cut where their tests change: concatenations and padding. Between two cuts a test is the same for all iterations,
 * so it is evaluated once at the start of the piece.
 */
import {
  axesOfLoop,
  type Cut,
  cutOf,
  type Integer,
  inline,
  isDefinition,
  isLoop,
  type Loop,
  mapStatements,
  mapTests,
  printInteger,
  type Statement,
  someInteger,
  type Test,
} from "@fuseau/ir";
import { over, plus, times } from "./integers.ts";
import { isGuarded } from "./masked.ts";
import type { Numbering } from "./numbering.ts";
import { replaceAxis } from "./steps.ts";
import type { Tactic } from "./tactic.ts";

export const pieces: Tactic = {
  name: "pieces",
  schedule: (statement, { names }) => [piecesIn(statement, names)],
};

/** Of all vectors. Jammed iterations change a test at several places at once. */
function piecesIn(statement: Statement, names: Numbering, moving: Moving = NOTHING): Statement {
  if (!isLoop(statement)) return statement;
  if (statement.run?.kind === "vector") return inPieces(statement, names, moving);
  const changes = statement.run?.kind === "jam" ? changingIn(statement) : NOTHING;
  const within = (body: readonly Statement[]): readonly Statement[] =>
    body.map((each) => piecesIn(each, names, changes));
  const body = within(statement.body);
  return statement.kind === "for"
    ? { ...statement, body }
    : { ...statement, row: within(statement.row), body };
}

/** Axes and locals on which no loop can be cut. */
interface Moving {
  readonly axes: ReadonlySet<number>;
  readonly locals: ReadonlySet<number>;
}

const NOTHING: Moving = { axes: new Set(), locals: new Set() };

/** What differs between iterations of a loop: its axis, and the definitions in front of the loop within. */
function changingIn(loop: Loop): Moving {
  const row = loop.kind === "reduce" ? loop.row : [];
  const before = [...row, ...loop.body].filter(isDefinition);
  return { axes: new Set([axisOf(loop)]), locals: new Set(before.map(({ local }) => local)) };
}

/** A vector in pieces, where a test changes linearly along it. A masked remainder behind the lanes of an order allows one cut alone. */
export function inPieces<S extends Statement>(statement: S, names: Numbering, moving?: Moving): S;
export function inPieces(statement: Statement, names: Numbering, moving: Moving = NOTHING): Statement {
  if (!isLoop(statement) || statement.run?.kind !== "vector" || statement.run.cut !== undefined)
    return statement;
  const { run } = statement;
  const isFold = statement.kind === "reduce";
  if (isFold && run.masked !== undefined) return statement;
  if (run.lanes * run.copies === 1 && !(isFold && statement.scan)) return statement;
  if (!isGuarded(statement.body)) return statement;
  const given = cutAtGuards(axisOf(statement), statement.body, names, moving);
  return given === null ? statement : { ...statement, run: { ...run, cut: given.cut }, body: given.body };
}

/** The last axis, which a vector is along. */
const axisOf = (loop: Loop): number => (loop.kind === "for" ? loop.axis : loop.axes.at(-1)!).axis;

/** Each iteration as a piece, for emitters that run them so. */
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
  moving: Moving,
): { readonly cut: Cut; readonly body: readonly Statement[] } | null {
  const cuts = new Map<string, Integer>();
  const first = names.axis();
  const integers = new Map<number, Integer>();
  /** And axes of loops in the body, and integers read from data there. */
  const changing = { axes: new Set([axis, ...moving.axes]), locals: new Set(moving.locals) };
  /** The place along the axis where `step * axis + base` reaches the bound, or falls below it. */
  const cut = (bound: Integer | null, { step, base }: Along): void => {
    if (bound === null) return;
    const way = base === null ? bound : plus(bound, times(base, -1));
    const at =
      step > 0
        ? divided(step === 1 ? way : plus(way, step - 1), step)
        : plus(divided(times(way, -1), -step), 1);
    cuts.set(printInteger(at), at);
  };
  /** With the body's integer locals inlined. */
  const own = (integer: Integer): Integer => inline(integer, (local) => integers.get(local));
  const decide = (test: Test): Test => {
    const bounds = [test.low, test.high].map((bound) => bound && own(bound));
    const along = besides(own(test.at), axis, changing);
    if (along === undefined || !bounds.every((bound) => bound === null || isFixed(bound, changing)))
      return test;
    const [low, high] = bounds as [Integer | null, Integer | null];
    cut(low, along);
    cut(high, along);
    const moved = along.step === 1 ? first : times(first, along.step);
    return { at: along.base === null ? moved : plus(moved, along.base), low, high };
  };
  const decideIn = (statement: Statement): Statement => {
    if (isLoop(statement)) {
      for (const each of axesOfLoop(statement)) changing.axes.add(each.axis);
      if (statement.kind === "for") return { ...statement, body: statement.body.map(decideIn) };
      const row = statement.row.map(decideIn);
      return { ...statement, row, body: statement.body.map(decideIn) };
    }
    if (statement.kind === "integer") integers.set(statement.local, statement.value);
    if (statement.kind === "index") changing.locals.add(statement.local);
    return mapTests(statement, decide);
  };
  const decided = body.map(decideIn);
  if (cuts.size === 0) return null;
  return { cut: { first: first.axis, at: [...cuts.values()] }, body: decided };
}

/** An integer as a multiple of the axis and an invariant; null for 0. */
interface Along {
  readonly step: number;
  readonly base: Integer | null;
}

const divided = (value: Integer, by: number): Integer => (by === 1 ? value : over(value, by));

/** Undefined for any other integer. */
function besides(integer: Integer, axis: number, changing: Moving): Along | undefined {
  if (integer.kind === "axis" && integer.axis === axis) return { step: 1, base: null };
  if (integer.kind === "mul") {
    const { left, right } = integer;
    if (right.kind !== "literal" || right.value === 0) return undefined;
    const along = besides(left, axis, changing);
    return along && { step: along.step * right.value, base: along.base && times(along.base, right) };
  }
  if (integer.kind !== "add") return undefined;
  const { left, right } = integer;
  const [own, other] = isFixed(right, changing) ? [left, right] : [right, left];
  if (!isFixed(other, changing)) return undefined;
  const along = besides(own, axis, changing);
  return along && { ...along, base: along.base === null ? other : plus(along.base, other) };
}

const isFixed = (integer: Integer, { axes, locals }: Moving): boolean =>
  !someInteger(
    integer,
    (leaf) =>
      (leaf.kind === "axis" && axes.has(leaf.axis)) || (leaf.kind === "local" && locals.has(leaf.local)),
  );

/**
 * Loops under guards, cut where their tests change: concatenations and padding. Between two cuts a test is the same for all
 * iterations, so that it is asked once, where the piece starts, and not in the loop.
 */
import {
  type Choice,
  type Expression,
  type Integer,
  printInteger,
  type Statement,
  type Test,
} from "@fuseau/ir";

export interface Pieces {
  /** Where a piece may start, beside the loop's own start; in any order, and not all of them within the loop. */
  readonly cuts: readonly Integer[];
  /** The body, whose tests ask about the axis `start`: the first iteration of the piece at hand. */
  readonly body: readonly Statement[];
}

/**
 * The pieces of a loop over `axis`, in whose body `start` becomes an axis of its own; null where no test changes along it evenly.
 * Only statements without loops are looked into.
 */
export function cutAtGuards(axis: number, body: readonly Statement[], start: number): Pieces | null {
  const cuts = new Map<string, Integer>();
  const integers = new Map<number, Integer>();
  /** Read from data in the body. */
  const lookups = new Set<number>();
  const cut = (bound: Integer | null, base: Integer | null): void => {
    if (bound === null) return;
    const at =
      base === null ? bound : plus(bound, { kind: "mul", left: base, right: { kind: "literal", value: -1 } });
    cuts.set(printInteger(at), at);
  };
  const decide = (test: Test): Test => {
    const bounds = [test.low, test.high].map((bound) => bound && inlined(bound, integers));
    const base = besides(inlined(test.at, integers), axis, lookups);
    if (base === undefined || !bounds.every((bound) => bound === null || isFixed(bound, axis, lookups)))
      return test;
    const [low, high] = bounds as [Integer | null, Integer | null];
    cut(low, base);
    cut(high, base);
    const first: Integer = { kind: "axis", axis: start };
    return { at: base === null ? first : plus(first, base), low, high };
  };
  const decided = body.map((statement): Statement => {
    if (statement.kind === "integer") integers.set(statement.local, inlined(statement.value, integers));
    if (statement.kind === "index") lookups.add(statement.local);
    if (statement.kind !== "let") return statement;
    return { ...statement, value: withTests(statement.value, decide) };
  });
  return cuts.size === 0 ? null : { cuts: [...cuts.values()], body: decided };
}

const plus = (left: Integer, right: Integer): Integer => ({ kind: "add", left, right });

function withTests(expression: Expression, decide: (test: Test) => Test): Expression {
  if (expression.kind === "load") return { ...expression, tests: expression.tests.map(decide) };
  if (expression.kind !== "select") return expression;
  const cases = expression.cases.map(({ tests, value }): Choice => ({ tests: tests.map(decide), value }));
  return { ...expression, cases };
}

/** The integer, without the names that the body gives to parts of it. */
function inlined(integer: Integer, integers: ReadonlyMap<number, Integer>): Integer {
  switch (integer.kind) {
    case "literal":
    case "size":
    case "axis":
      return integer;
    case "local":
      return integers.get(integer.local) ?? integer;
    default: {
      const { kind, left, right } = integer;
      return { kind, left: inlined(left, integers), right: inlined(right, integers) };
    }
  }
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

function isFixed(integer: Integer, axis: number, lookups: ReadonlySet<number>): boolean {
  switch (integer.kind) {
    case "literal":
    case "size":
      return true;
    case "local":
      return !lookups.has(integer.local);
    case "axis":
      return integer.axis !== axis;
    default:
      return isFixed(integer.left, axis, lookups) && isFixed(integer.right, axis, lookups);
  }
}

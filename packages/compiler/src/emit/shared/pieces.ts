/**
 * Loops under guards, cut where their tests change: concatenations and padding. Between two cuts a test is the same for all
 * iterations, so that it is asked once, where the piece starts, and not in the loop.
 */
import {
  type Integer,
  inline,
  mapTests,
  printInteger,
  type Statement,
  someInteger,
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
    const first: Integer = { kind: "axis", axis: start };
    return { at: base === null ? first : plus(first, base), low, high };
  };
  const decided = body.map((statement): Statement => {
    if (statement.kind === "integer") integers.set(statement.local, statement.value);
    if (statement.kind === "index") lookups.add(statement.local);
    return mapTests(statement, decide);
  });
  return cuts.size === 0 ? null : { cuts: [...cuts.values()], body: decided };
}

const plus = (left: Integer, right: Integer): Integer => ({ kind: "add", left, right });

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

/** Integers that are read from data, and fail where they are out of range. */
import { type Integer, mentionsOf, type Statement, someInteger, statementsIn } from "@fuseau/ir";
import type { Polynomial } from "./polynomial.ts";

/** Which places rest on a look-up among the statements: what it gives may be another at each iteration around it. */
export function gatheredIn(body: readonly Statement[]): (place: Polynomial) => boolean {
  const found = new Set(statementsIn(body).flatMap((each) => (each.kind === "index" ? [each.local] : [])));
  const isFound = (leaf: Integer): boolean => leaf.kind === "local" && found.has(leaf.local);
  return (place) =>
    found.size > 0 && place.some(({ factors }) => factors.some((each) => someInteger(each, isFound)));
}

/** True where one is made that nobody reads: it stands for its failure alone, of what has the same element at all places, or none. */
export function hasUnreadIndex(body: readonly Statement[]): boolean {
  const lookups = statementsIn(body).filter(({ kind }) => kind === "index");
  if (lookups.length === 0) return false;
  const { locals } = mentionsOf(body);
  return lookups.some((each) => each.kind === "index" && !locals.has(each.local));
}

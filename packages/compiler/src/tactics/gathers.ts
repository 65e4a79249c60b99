/** Lookups: integers that are read from data, and fail when they are out of range. */
import { type Integer, mentionsOf, type Statement, someInteger, statementsIn } from "@fuseau/ir";
import type { Polynomial } from "./polynomial.ts";

/** The places that depend on a lookup among the statements, whose result may differ between iterations around it. */
export function gatheredIn(body: readonly Statement[]): (place: Polynomial) => boolean {
  const found = new Set(statementsIn(body).flatMap((each) => (each.kind === "index" ? [each.local] : [])));
  const isFound = (leaf: Integer): boolean => leaf.kind === "local" && found.has(leaf.local);
  return (place) =>
    found.size > 0 && place.some(({ factors }) => factors.some((each) => someInteger(each, isFound)));
}

/** True of a lookup whose result is not read, because the gathered axis is broadcast or empty: it remains for its failure. */
export function hasUnreadIndex(body: readonly Statement[]): boolean {
  const lookups = statementsIn(body).filter(({ kind }) => kind === "index");
  if (lookups.length === 0) return false;
  const { locals } = mentionsOf(body);
  return lookups.some((each) => each.kind === "index" && !locals.has(each.local));
}

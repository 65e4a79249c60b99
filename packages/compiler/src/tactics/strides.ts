/** What a place in memory gains with a step of an axis. */
import { type Integer, type Statement, someInteger, statementsIn } from "@fuseau/ir";
import { asNumber, type Polynomial, split, without } from "./polynomial.ts";

/** Null where it is not the same at every step: in a quotient, a rest, a minimum. */
export function stepAlong(place: Polynomial, axis: number): Polynomial | null {
  const { chosen } = split(place, ({ factors }) => factors.some((each) => dependsOn(each, axis)));
  const isEven = chosen.every(({ factors }) => {
    const dependent = factors.filter((each) => dependsOn(each, axis));
    return dependent.length === 1 && dependent[0]!.kind === "axis";
  });
  return isEven ? without(chosen, { kind: "axis", axis }) : null;
}

/** True where neighbours along an axis are neighbours in memory. */
export const isSideBySide = (place: Polynomial, axis: number): boolean => {
  const step = stepAlong(place, axis);
  return step !== null && asNumber(step) === 1;
};

/** True where neighbours along an axis are so far from each other as sizes say. */
export const isApart = (place: Polynomial, axis: number): boolean => {
  const step = stepAlong(place, axis);
  return step !== null && asNumber(step) === undefined;
};

/** True where an integer is, or is made of, an axis. */
export const dependsOn = (integer: Integer, axis: number): boolean =>
  someInteger(integer, (leaf) => leaf.kind === "axis" && leaf.axis === axis);

/** Which places rest on a look-up among the statements: what it gives may be another at each iteration around it. */
export function lookedUpIn(body: readonly Statement[]): (place: Polynomial) => boolean {
  const found = new Set(statementsIn(body).flatMap((each) => (each.kind === "index" ? [each.local] : [])));
  const isFound = (leaf: Integer): boolean => leaf.kind === "local" && found.has(leaf.local);
  return (place) =>
    found.size > 0 && place.some(({ factors }) => factors.some((each) => someInteger(each, isFound)));
}

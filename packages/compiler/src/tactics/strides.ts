/** The stride of a place in memory along an axis. */
import { type Integer, someInteger } from "@fuseau/ir";
import { asNumber, type Polynomial, split, without } from "./polynomial.ts";

/** Null where it is not constant: within a quotient, a remainder or a minimum. */
export function stepAlong(place: Polynomial, axis: number): Polynomial | null {
  const { chosen } = split(place, ({ factors }) => factors.some((each) => dependsOn(each, axis)));
  const isEven = chosen.every(({ factors }) => {
    const dependent = factors.filter((each) => dependsOn(each, axis));
    return dependent.length === 1 && dependent[0]!.kind === "axis";
  });
  return isEven ? without(chosen, { kind: "axis", axis }) : null;
}

/** True where neighbours along an axis are contiguous. */
export const isContiguous = (place: Polynomial, axis: number): boolean => {
  const step = stepAlong(place, axis);
  return step !== null && asNumber(step) === 1;
};

/** True where the stride along an axis is made of sizes, and so is no small number. */
export const hasSymbolicStride = (place: Polynomial, axis: number): boolean => {
  const step = stepAlong(place, axis);
  return step !== null && asNumber(step) === undefined;
};

/** True where an integer is, or depends on, an axis. */
const dependsOn = (integer: Integer, axis: number): boolean =>
  someInteger(integer, (leaf) => leaf.kind === "axis" && leaf.axis === axis);

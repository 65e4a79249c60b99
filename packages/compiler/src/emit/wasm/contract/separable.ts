/**
 * Operands that stand in memory where two tables say: so far behind its begin for the row or column, and so far for the place along k.
 * Windows of an image are such, and so is all that takes even steps.
 */
import type { Integer, Operand } from "@fuseau/ir";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import { polynomialOf, split } from "../../../tactics/polynomial.ts";
import type { Dependence } from "./dependence.ts";
import { alongAxis, plainLoad } from "./operand.ts";

/** All in elements. */
export interface Separable {
  readonly buffer: number;
  /** Where the element is whose place on both axes is 0, by outer loops. */
  readonly base: Polynomial;
  /** How far behind that the others are: by the row or column alone, and by the place along k alone. */
  readonly byLane: Polynomial;
  readonly byDepth: Polynomial;
}

/** Null where the operand is more than a load without tests, or where the axes are entangled. */
export function separable(
  dependence: Dependence,
  operand: Operand,
  lane: number | null,
  depth: number,
): Separable | null {
  const load = plainLoad(dependence, operand);
  if (load === null) return null;
  const place = polynomialOf(dependence.inline(load.at));
  const ofLane = lane === null ? { own: new Map(), rest: place } : decidedBy(dependence, place, lane);
  const ofDepth = ofLane && decidedBy(dependence, ofLane.rest, depth);
  if (ofLane === null || ofDepth === null) return null;
  const isFixed = [...ofDepth.rest.values()].every(({ factors }) =>
    factors.every((each) => !dependence.varies(each)),
  );
  return isFixed
    ? { buffer: load.buffer, base: ofDepth.rest, byLane: ofLane.own, byDepth: ofDepth.own }
    : null;
}

/** The part of a place that an axis decides, which no other may decide with it. */
function decidedBy(
  dependence: Dependence,
  place: Polynomial,
  axis: number,
): { readonly own: Polynomial; readonly rest: Polynomial } | null {
  const axesOf = (factor: Integer): ReadonlySet<number> => dependence.axesOfInteger(factor);
  const { chosen, rest } = split(place, ({ factors }) => factors.some((each) => axesOf(each).has(axis)));
  const isAlone = [...chosen.values()].every(({ factors }) =>
    factors.every((each) => !dependence.varies(each) && [...axesOf(each)].every((other) => other === axis)),
  );
  return isAlone ? { own: chosen, rest } : null;
}

/** What a place gains with a step along an axis, and where it is at its start; null where the steps are uneven. */
export function evenStep(
  dependence: Dependence,
  place: Polynomial,
  axis: number,
): { readonly along: Polynomial; readonly rest: Polynomial } | null {
  const { along, rest } = alongAxis(place, axis);
  const isLeft = [...along.values(), ...rest.values()].some(({ factors }) =>
    factors.some((each) => dependence.axesOfInteger(each).has(axis)),
  );
  return isLeft ? null : { along, rest };
}

/** How an operand of a matrix product stands in memory. */
import type { Integer, Operand } from "@fuseau/ir";
import { type Polynomial, polynomialOf, split, zero } from "../polynomial.ts";
import { stepAlong } from "../strides.ts";
import type { Dependence } from "./dependence.ts";

/** Where an element is, as the loop IR says it. */
export interface Place {
  readonly buffer: number;
  readonly at: Integer;
}

/**
 * Elements of one buffer that stand where two tables say: so far behind the begin for the row or column, and so far for the place along k.
 * Windows of an image are such, and so is all that takes even steps. All in elements.
 */
export interface Separable {
  readonly buffer: number;
  /** Where the element is whose place on both axes is 0, by outer loops. */
  readonly base: Polynomial;
  readonly byLane: Polynomial;
  readonly byDepth: Polynomial;
}

/** The same at even distances. */
export interface Strided {
  readonly buffer: number;
  readonly base: Polynomial;
  readonly alongLane: Polynomial;
  readonly alongDepth: Polynomial;
}

/** What an operand loads, if it is a load without tests of what the nest does not write itself. */
export function plainLoad(dependence: Dependence, operand: Operand): Place | null {
  if (operand.kind !== "local" || !dependence.isFixed(operand)) return null;
  const definition = dependence.definitions.get(operand.local);
  if (definition?.kind !== "let" || definition.value.kind !== "load") return null;
  return definition.value.tests.length > 0 ? null : definition.value;
}

/**
 * Null where the axes are entangled. `lane` is the axis over rows of A or columns of B, null for a single one, `depth` the one that is
 * summed over.
 */
export function separable(
  dependence: Dependence,
  { buffer, at }: Place,
  lane: number | null,
  depth: number,
): Separable | null {
  const place = polynomialOf(dependence.inline(at));
  const ofLane = lane === null ? { own: zero, rest: place } : decidedBy(dependence, place, lane);
  const ofDepth = ofLane && decidedBy(dependence, ofLane.rest, depth);
  if (ofLane === null || ofDepth === null) return null;
  const isFixed = ofDepth.rest.every(({ factors }) => factors.every((each) => !dependence.varies(each)));
  return isFixed ? { buffer, base: ofDepth.rest, byLane: ofLane.own, byDepth: ofDepth.own } : null;
}

/** The part of a place that an axis decides, which no other may decide with it. */
function decidedBy(
  dependence: Dependence,
  place: Polynomial,
  axis: number,
): { readonly own: Polynomial; readonly rest: Polynomial } | null {
  const axesOf = (factor: Integer): ReadonlySet<number> => dependence.axesOfInteger(factor);
  const { chosen, rest } = split(place, ({ factors }) => factors.some((each) => axesOf(each).has(axis)));
  const isAlone = chosen.every(({ factors }) =>
    factors.every((each) => !dependence.varies(each) && [...axesOf(each)].every((other) => other === axis)),
  );
  return isAlone ? { own: chosen, rest } : null;
}

/** Null where the place is no even step along both axes: such an operand must be computed before it can be packed. */
export function strided(
  dependence: Dependence,
  place: Place,
  lane: number | null,
  depth: number,
): Strided | null {
  const found = separable(dependence, place, lane, depth);
  const alongLane = found && (lane === null ? zero : stepAlong(found.byLane, lane));
  const alongDepth = found && stepAlong(found.byDepth, depth);
  if (found === null || alongLane === null || alongDepth === null) return null;
  return { buffer: found.buffer, base: found.base, alongLane, alongDepth };
}

/** Whether a place in memory changes with an axis, but not by even steps: by a quotient, or a look-up. */
export const isUneven = (dependence: Dependence, at: Integer, axis: number): boolean =>
  polynomialOf(dependence.inline(at)).some(({ factors }) =>
    factors.some((each) => each.kind !== "axis" && dependence.varies(each, [axis])),
  );

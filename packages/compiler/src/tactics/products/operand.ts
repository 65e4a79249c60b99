/** Where an operand of a matrix product is in memory. */
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
 * Elements of one buffer whose places are sums of two table entries: one for the row or column, one for the place along k. Windows of an
 * image have this form, and so has everything with constant strides. All in elements.
 */
export interface Separable {
  readonly buffer: number;
  /** The place of the first element on both axes, given the outer loops. */
  readonly base: Polynomial;
  readonly byLane: Polynomial;
  readonly byDepth: Polynomial;
}

/** The same with constant strides. */
export interface Strided {
  readonly buffer: number;
  readonly base: Polynomial;
  readonly alongLane: Polynomial;
  readonly alongDepth: Polynomial;
}

/** The load of an operand, if it is an unguarded load of memory that the nest does not write. */
export function plainLoad(dependence: Dependence, operand: Operand): Place | null {
  if (operand.kind !== "local" || !dependence.isFixed(operand)) return null;
  const definition = dependence.definitions.get(operand.local);
  if (definition?.kind !== "let" || definition.value.kind !== "load") return null;
  return definition.value.tests.length > 0 ? null : definition.value;
}

/**
 * Null where the place is no sum of one part for each axis. `lane` is the axis of rows of A or columns of B, null for a single one;
 * `depth` is the one summed over.
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

/** The part of a place that depends on one axis alone. */
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

/** Null where the place has no constant stride along both axes. Such an operand must be computed before it can be packed. */
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

/** True when a place depends on an axis without a constant stride: by a quotient, or a lookup. */
export const isUneven = (dependence: Dependence, at: Integer, axis: number): boolean =>
  polynomialOf(dependence.inline(at)).some(({ factors }) =>
    factors.some((each) => each.kind !== "axis" && dependence.varies(each, [axis])),
  );

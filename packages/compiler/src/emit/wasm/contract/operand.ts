/** How an operand of a matrix product stands in memory. */
import { type Integer, type Operand, printInteger } from "@fuseau/ir";
import { type Polynomial, polynomialOf, split, without } from "../../../tactics/polynomial.ts";
import type { Dependence } from "./dependence.ts";

/** Elements of one buffer at even distances; all in elements. */
export interface Strided {
  readonly buffer: number;
  /** Where the element is whose place on both axes is 0. */
  readonly base: Polynomial;
  readonly alongLane: Polynomial;
  readonly alongDepth: Polynomial;
}

/**
 * Null where the operand is more than a load, or its place is no even step along both axes: it must be computed before it can
 * be packed. `lane` is the axis over rows of A or columns of B, `depth` the one that is summed over.
 */
export function stridedOperand(
  dependence: Dependence,
  operand: Operand,
  lane: number | null,
  depth: number,
): Strided | null {
  const load = plainLoad(dependence, operand);
  return load && stridedPlace(dependence, load.buffer, load.at, lane, depth);
}

/** What an operand loads, if it is a load without tests of what the nest does not write itself. */
export function plainLoad(
  dependence: Dependence,
  operand: Operand,
): { readonly buffer: number; readonly at: Integer } | null {
  if (operand.kind !== "local" || !dependence.isFixed(operand)) return null;
  const definition = dependence.definitions.get(operand.local);
  if (definition?.kind !== "let" || definition.value.kind !== "load") return null;
  return definition.value.tests.length > 0 ? null : definition.value;
}

/** A place that two axes walk, null where it is no even step along both. */
export function stridedPlace(
  dependence: Dependence,
  buffer: number,
  at: Integer,
  lane: number | null,
  depth: number,
): Strided | null {
  const axes = lane === null ? [depth] : [lane, depth];
  const place = polynomialOf(dependence.inline(at));
  const isEven = [...place.values()].every(({ factors }) => {
    const walked = factors.filter((each) => each.kind === "axis" && axes.includes(each.axis));
    const others = factors.filter((each) => !walked.includes(each));
    return walked.length <= 1 && others.every((each) => !dependence.varies(each, axes));
  });
  if (!isEven) return null;
  const depthPart = alongAxis(place, depth);
  const lanePart =
    lane === null ? { along: new Map(), rest: depthPart.rest } : alongAxis(depthPart.rest, lane);
  return {
    buffer,
    base: lanePart.rest,
    alongLane: lanePart.along,
    alongDepth: depthPart.along,
  };
}

/** What a place gains with a step along an axis, and the rest of it. */
export function alongAxis(place: Polynomial, axis: number): { along: Polynomial; rest: Polynomial } {
  const taken: Integer = { kind: "axis", axis };
  const name = printInteger(taken);
  const { chosen, rest } = split(place, ({ factors }) => factors.some((each) => printInteger(each) === name));
  return { along: without(chosen, taken), rest };
}

/** Whether a place in memory changes with an axis, but not by even steps: by a quotient, or a look-up. */
export const isUneven = (dependence: Dependence, at: Integer, axis: number): boolean =>
  [...polynomialOf(dependence.inline(at)).values()].some(({ factors }) =>
    factors.some((each) => each.kind !== "axis" && dependence.varies(each, [axis])),
  );

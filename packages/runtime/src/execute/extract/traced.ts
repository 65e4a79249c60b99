/** Since when values are inside computations without being computed. What grows from one to the next reads what several have left uncomputed. */
import type { Value } from "../../value.ts";

/** True of a value that is computed from others, and could be kept: what is inside `checkpoint` is computed again each time. */
export const isInside = (value: Value | undefined): value is Value =>
  value !== undefined &&
  value.storage === null &&
  value.inputs.length > 0 &&
  value.step?.isRecomputed !== true;

/** By position: over how many computations the values beneath have been recorded that are still uncomputed. */
export function growthOf(order: readonly Value[]): readonly number[] {
  const lengths = new Array<number>(order.length).fill(0);
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    if (!isInside(value)) continue;
    const since = sinceOf(value);
    for (const input of value.inputs) {
      if (!isInside(input)) continue;
      const own = (lengths[input.position] as number) + (sinceOf(input) === since ? 0 : 1);
      if (own > (lengths[k] as number)) lengths[k] = own;
    }
  }
  return lengths;
}

/** Over how many computations values were first computed that are still inside. */
export function countSince(order: readonly Value[]): number {
  const since = new Set<number>();
  for (const value of order) if (value.trace !== null && isInside(value)) since.add(value.tracedSince);
  return since.size;
}

/**
 * True if the value is not traced, or if it and all that it reads have been wholly computed from one computation on. If that is true of all
 * values, a recording does not grow.
 */
export const isTracedAtOnce = (value: Value): boolean =>
  value.trace === null ||
  (value.trace.spent >= 1 &&
    value.inputs.every((input) => !isInside(input) || sinceOf(input) === value.tracedSince));

/** The number of the first computation with the value inside; 0 if there was none. */
export const sinceOf = ({ trace, tracedSince }: Value): number => (trace === null ? 0 : tracedSince);

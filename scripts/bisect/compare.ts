/** Whether what a setting gives is what the reference gives. */
import { type DType, isFloat } from "../../packages/ir/src/index.ts";
import type { Result } from "./specimen.ts";

/** What came of a run. */
export type Outcome = { readonly results: readonly Result[] } | { readonly thrown: string };

/**
 * By which float elements may differ, in parts of the largest finite one of their result: sums in another order and functions with other last
 * bits are no fault. Integers and bools are equal.
 */
const tolerances: Readonly<Partial<Record<DType, number>>> = { float16: 1e-2, float32: 1e-4, float64: 1e-9 };

/** The first difference in words, or null. */
export function difference(
  actual: Outcome,
  reference: Outcome,
  tolerance: number | undefined,
): string | null {
  if ("thrown" in actual) {
    if ("thrown" in reference && reference.thrown === actual.thrown) return null;
    return `it throws ${actual.thrown}`;
  }
  if ("thrown" in reference) return `it does not throw ${reference.thrown}`;
  for (const [k, { dtype, elements }] of actual.results.entries()) {
    const expected = reference.results[k]?.elements ?? [];
    const part = isFloat(dtype) ? (tolerance ?? tolerances[dtype] ?? 0) : 0;
    const allowed = part === 0 ? 0 : part * largest(expected);
    const at = elements.findIndex((element, place) => !isNear(element, expected[place], allowed));
    if (at >= 0) return `element ${at} of result ${k} is ${elements[at]}, not ${expected[at]}`;
  }
  return null;
}

/** Bit for bit where nothing is allowed, but for what a NaN says besides. */
function isNear(a: number | bigint, b: number | bigint | undefined, allowed: number): boolean {
  if (Object.is(a, b)) return true;
  if (allowed === 0 || typeof a !== "number" || typeof b !== "number") return false;
  return a === b || Math.abs(a - b) <= allowed;
}

function largest(elements: readonly (number | bigint)[]): number {
  let most = 0;
  for (const element of elements) {
    const size = Math.abs(Number(element));
    if (size > most && size < Infinity) most = size;
  }
  return most;
}

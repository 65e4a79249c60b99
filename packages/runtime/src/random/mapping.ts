/** How a function that is being mapped (`func.vmap`) draws random numbers. */
import type { Value } from "../value.ts";

/** As PyTorch's `randomness`: refused, one draw for all examples, or a draw for each. */
export type Randomness = "error" | "same" | "different";

/** A function that is being mapped over `size` examples. */
export interface Mapping {
  readonly randomness: Randomness;
  readonly size: number;
  /** Stands for the number of the example, a 0-d float64. */
  readonly example: Value;
}

/** The outermost first. */
let mappings: readonly Mapping[] = [];

/** Calls `fn`, which is being mapped. */
export function withMapping<R>(mapping: Mapping, fn: () => R): R {
  const before = mappings;
  mappings = [...before, mapping];
  try {
    return fn();
  } finally {
    mappings = before;
  }
}

/** The functions that are being mapped, the outermost first. */
export const activeMappings = (): readonly Mapping[] => mappings;

/** The functions that are being mapped (`func.vmap`): what their tensors stand for, and how they draw random numbers. */
import type { Value } from "../value.ts";

/** As PyTorch's `randomness`: refused, one draw for all examples, or a draw for each. */
export type Randomness = "error" | "same" | "different";

/** A function that is being mapped over `size` examples. */
export interface Mapping {
  readonly randomness: Randomness;
  readonly size: number;
  /** Stands for the number of the example, a 0-d float64. */
  readonly example: Value;
  /** Of one example, without elements; what is computed at its call adds to them. */
  readonly standIns: Value[];
  /** What each stands for, the batch axis first. */
  readonly batches: Value[];
}

/** The outermost first. */
let mappings: readonly Mapping[] = [];

/** Calls `fn`, which is being mapped. */
export const withMapping = <R>(mapping: Mapping, fn: () => R): R => withMappings([...mappings, mapping], fn);

/** Calls `fn` where these functions are being mapped, and no others. */
export function withMappings<R>(list: readonly Mapping[], fn: () => R): R {
  const before = mappings;
  mappings = list;
  try {
    return fn();
  } finally {
    mappings = before;
  }
}

/** The functions that are being mapped, the outermost first. */
export const activeMappings = (): readonly Mapping[] => mappings;

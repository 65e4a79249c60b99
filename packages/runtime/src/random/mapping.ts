/** The functions that `func.vmap` is mapping: what their tensors stand for, and how they draw random numbers. */
import type { Value } from "../value.ts";

/** As PyTorch's `randomness`: refused, one draw for all examples, or a draw for each. */
export type Randomness = "error" | "same" | "different";

/** A function that is being mapped over `size` examples. */
export interface Mapping {
  readonly randomness: Randomness;
  readonly size: number;
  /** A 0-d float64 that stands for the number of the example. */
  readonly example: Value;
  /** Stand-ins of one example, which have no elements. What is computed while the function runs is appended. */
  readonly standIns: Value[];
  /** By stand-in: the batch that it stands for, with the batch axis first. */
  readonly batches: Value[];
}

/** The outermost first. */
let mappings: readonly Mapping[] = [];

/** Calls `fn` as a function that is being mapped. */
export const withMapping = <R>(mapping: Mapping, fn: () => R): R => withMappings([...mappings, mapping], fn);

/** Calls `fn` while exactly these functions are being mapped. */
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

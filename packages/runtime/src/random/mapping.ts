/** The functions that `func.vmap` is mapping: what their tensors stand for, and how they draw random numbers. */
import { build } from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";

/** As PyTorch's `randomness`: refused, one draw for all examples, or a draw for each. */
export type Randomness = "error" | "same" | "different";

/** A function, or the derivative of one, that is being mapped over `size` examples. */
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

/** The mapping of these stand-ins over these batches, and of the number of the example. */
export function mappingOf(
  randomness: Randomness,
  size: number,
  standIns: readonly Value[],
  batches: readonly Value[],
): Mapping {
  const example = new Value(build.input("float64", []), [], null);
  const numbers = record.iota("float64", size);
  return { randomness, size, example, standIns: [...standIns, example], batches: [...batches, numbers] };
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

/** By tensor that was made in a mapped function: how many functions were being mapped. */
const depths = new WeakMap<object, number>();

/** To be called with every tensor that is made. */
export function noteDepth(tensor: object): void {
  if (mappings.length > 0) depths.set(tensor, mappings.length);
}

/** How many functions were being mapped when a tensor was made. */
export const depthOf = (tensor: object): number => depths.get(tensor) ?? 0;

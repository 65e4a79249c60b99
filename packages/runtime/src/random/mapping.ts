/**
 * The functions that `func.vmap` is mapping: what their tensors stand for, and how they draw random numbers. And where tensors were made:
 * inside of functions that are being mapped or differentiated, or outside.
 */
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
/** By mapping: how many functions were being mapped or differentiated when it began. */
let begins: readonly number[] = [];
/** How many functions are being mapped or differentiated. */
let depth = 0;
/** How many were when the innermost function began that is being differentiated; −1 if none is. */
let differentiated = -1;

/** Calls `fn` as a function that is being mapped. */
export const withMapping = <R>(mapping: Mapping, fn: () => R): R =>
  within([...mappings, mapping], [...begins, depth], depth + 1, differentiated, fn);

/** Calls `fn` while only these functions are being mapped, the outermost of those that are. */
export const withMappings = <R>(list: readonly Mapping[], fn: () => R): R =>
  within(list, begins.slice(0, list.length), begins[list.length] ?? depth, differentiated, fn);

/** Calls `fn` as a function that is being differentiated. */
export const differentiating = <R>(fn: () => R): R => within(mappings, begins, depth + 1, depth, fn);

function within<R>(
  list: readonly Mapping[],
  from: readonly number[],
  level: number,
  since: number,
  fn: () => R,
): R {
  const before = [mappings, begins, depth, differentiated] as const;
  [mappings, begins, depth, differentiated] = [list, from, level, since];
  try {
    return fn();
  } finally {
    [mappings, begins, depth, differentiated] = before;
  }
}

/** The functions that are being mapped, the outermost first. */
export const activeMappings = (): readonly Mapping[] => mappings;

/** Those of them that a tensor of this depth is from outside of. */
export const mappingsAround = (own: number): readonly Mapping[] =>
  mappings.length === 0 ? mappings : mappings.filter((_, k) => (begins[k] as number) >= own);

/** True for the depth of a tensor that was made outside of the innermost function that is being differentiated. */
export const isCaptured = (own: number): boolean => own <= differentiated;

/** By tensor that was made in such a function: how many there were. */
const depths = new WeakMap<object, number>();

/** To be called with every tensor that is made. */
export function noteDepth(tensor: object): void {
  if (depth > 0) depths.set(tensor, depth);
}

/** How many functions were being mapped or differentiated when a tensor was made. */
export const depthOf = (tensor: object): number => depths.get(tensor) ?? 0;

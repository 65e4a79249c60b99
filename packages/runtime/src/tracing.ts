/**
 * A slot for the listener that `jit` sets while it runs a function for the first time. It is in a file of its own, so that the code that
 * calls the listener does not import jit. docs/jit.md has the whole story.
 */
import type { DType } from "@fuseau/ir";
import type { Options } from "./options.ts";
import type { Leaf } from "./tape/step.ts";
import type { AnyTensor } from "./tensor/types.ts";
import type { Value } from "./value.ts";

export interface Tracing {
  /** A tensor was made. */
  made(tensor: AnyTensor): void;
  /** True of a tensor that was made since. */
  isOwn(tensor: AnyTensor): boolean;
  /** Called before a tensor's value is read or written. */
  use(tensor: AnyTensor): void;
  /** Elements came from the host. */
  constant(value: Value): void;
  /** The gradient of a leaf was looked up; `found` is the result. */
  gradientRead(leaf: Leaf, found: AnyTensor | null): void;
  /** The gradient of a leaf is replaced. */
  gradientWritten(leaf: Leaf): void;
  /**
   * Numbers that are read anew at each call. Returns the slot of the first, and the present numbers. How many are read may depend on sizes,
   * as for a generator's words.
   */
  perCall(
    read: () => readonly number[],
    isOfSizes?: boolean,
  ): { readonly slot: number; readonly numbers: readonly number[] };
  /** A 0-d value of that dtype that stands for the number in a slot. */
  numberAt(slot: number, dtype: DType): Value;
  /** The host has looked at the number in a slot, so the recording holds for this number alone. */
  noteRead(slot: number): void;
  /** A property of the host that the recording depends on. */
  guard(read: () => unknown): void;
  /** What is to be computed when everything is recorded. */
  defer(tensors: readonly AnyTensor[], others: readonly Value[], options: Options): void;
}

/** Null except while a function is traced. */
export let tracing: Tracing | null = null;

/** Calls `fn` with another listener in the slot. */
export function withTracing<R>(next: Tracing | null, fn: () => R): R {
  const before = tracing;
  tracing = next;
  try {
    return fn();
  } finally {
    tracing = before;
  }
}

/** How many functions are being called with tensors that have no elements. */
let standIns = 0;

/** True where a tensor may have no elements, as within `vmap`. */
export const hasStandIns = (): boolean => standIns > 0;

/** Calls `fn` with tensors that have no elements. */
export function withStandIns<R>(fn: () => R): R {
  standIns++;
  try {
    return fn();
  } finally {
    standIns--;
  }
}

/**
 * To be called before elements are read.
 * @throws TypeError while a function is traced.
 */
export function refuseRead(op: string): void {
  if (tracing !== null)
    throw new TypeError(
      `${op}: reads elements of a tensor inside a jitted function, which is recorded once: what is read would be that of the first call for ever (return the tensor and read it outside, choose by elements with where(…), or leave this part out of jit)`,
    );
}

/**
 * To be called before the host decomposes a matrix.
 * @throws TypeError while a function is traced.
 */
export function refuseDecomposition(op: string): void {
  if (tracing !== null)
    throw new TypeError(
      `${op}: decompositions read their matrices and run on the host, and are no part of the program that a jitted function is (call it outside and give the function its result, or leave this part out of jit)`,
    );
}

/** Does something on the host, such as seeding a generator: now, and again in every call that replays a recording. */
export function perCall(effect: () => void): void {
  if (tracing === null) effect();
  else
    tracing.perCall(() => {
      effect();
      return [];
    });
}

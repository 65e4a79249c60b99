/**
 * What `jit` is told of while it runs a function for the first time. It stands apart so that whoever tells it imports nothing of
 * it: a slot that is empty but while a function is traced. docs/jit.md has the whole of it.
 */
import type { DType } from "@fuseau/ir";
import type { Options } from "./options.ts";
import type { Leaf } from "./tape/step.ts";
import type { AnyTensor } from "./tensor/types.ts";
import type { Value } from "./value.ts";

export interface Tracing {
  /** A tensor was made. */
  made(tensor: AnyTensor): void;
  /** The value of a tensor, or what is written into it, is about to be looked at. */
  use(tensor: AnyTensor): void;
  /** Elements came from the host. */
  constant(value: Value): void;
  /** The gradient of a leaf was looked up, and was `found`. */
  gradientRead(leaf: Leaf, found: AnyTensor | null): void;
  /** The gradient of a leaf is replaced. */
  gradientWritten(leaf: Leaf): void;
  /**
   * Numbers that are read anew at each call; gives the slot of the first, and what they are now. How much is read may depend on sizes,
   * as of a generator's words.
   */
  perCall(
    read: () => readonly number[],
    isOfSizes?: boolean,
  ): { readonly slot: number; readonly numbers: readonly number[] };
  /** A 0-d value that is the number in a slot, as an element of that dtype. */
  numberAt(slot: number, dtype: DType): Value;
  /** The host looked at the number in a slot: what is recorded holds for this number alone. */
  noteRead(slot: number): void;
  /** Something of the host's that what is recorded holds for. */
  guard(read: () => unknown): void;
  /** What is to be computed when all is recorded. */
  defer(tensors: readonly AnyTensor[], others: readonly Value[], options: Options): void;
}

/** Null but while a function is traced. */
export let tracing: Tracing | null = null;

/** Calls `fn` with another in the slot. */
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

/** True where a tensor may have no elements, as in a function that is mapped. */
export const hasStandIns = (): boolean => standIns > 0;

/** Calls `fn`, which is given tensors that have no elements. */
export function withStandIns<R>(fn: () => R): R {
  standIns++;
  try {
    return fn();
  } finally {
    standIns--;
  }
}

/** To be called before elements are read. @throws TypeError while a function is traced. */
export function refuseRead(op: string): void {
  if (tracing !== null)
    throw new TypeError(
      `${op}: reads elements of a tensor inside a jitted function, which is recorded once: what is read would be that of the first call for ever (return the tensor and read it outside, choose by elements with where(…), or leave this part out of jit)`,
    );
}

/** To be called before the host decomposes a matrix. @throws TypeError while a function is traced. */
export function refuseDecomposition(op: string): void {
  if (tracing !== null)
    throw new TypeError(
      `${op}: decompositions read their matrices and run on the host, and are no part of the program that a jitted function is (call it outside and give the function its result, or leave this part out of jit)`,
    );
}

/** What the host does at each call, such as seeding a generator: now, and again in every call that records nothing. */
export function perCall(effect: () => void): void {
  if (tracing === null) effect();
  else
    tracing.perCall(() => {
      effect();
      return [];
    });
}

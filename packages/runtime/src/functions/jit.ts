/** Functions that are recorded once and replayed from then on. docs/jit.md has the whole story. */
import { type Scalar, showArgument } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { beginsAtUser } from "../entry/refused.ts";
import type { Explanation } from "../explain/explanation.ts";
import type { Dynamic } from "../jit/dynamic.ts";
import { Jitted } from "../jit/function.ts";
import { precompileCalls } from "../jit/precompile.ts";
import { atCaller, trimmed } from "../messages/stack.ts";
import { numberPerCall } from "../ops/per-call.ts";
import { type ComputeOptions, getOptions, optionsOf } from "../options.ts";
import { tracing, withTracing } from "../tracing.ts";

/** How a function is recorded. */
export interface JitOptions extends ComputeOptions {
  /** Positions of arguments that may be anything. They are compared by identity, and each gets recordings of its own. */
  readonly static?: readonly number[];
  /**
   * By argument, the axes whose size varies, such as `[{ x: [0] }]` or `[[0], [0]]`. It declares that `fn` does the same for all their
   * sizes from 2 on. `fn` is recorded at some sizes, and calls at sizes in between are not recorded.
   */
  readonly dynamic?: readonly Dynamic[];
  /** How many recordings are kept; the one that was used longest ago is dropped. Default 64. */
  readonly cacheLimit?: number;
}

/** The result of {@link jit}: called like the function that it was made of. */
export interface JittedFunction<A extends readonly unknown[], R> {
  (...args: A): R;
  /**
   * Explains the program for such arguments. Runs nothing.
   * @throws Error when the function was not called with such arguments before.
   */
  explain(...args: A): Explanation;
  /** The number of recordings. */
  readonly cacheSize: number;
  /** Drops all recordings, and with them the tensors that they captured. */
  clear(): void;
}

const DEFAULT_LIMIT = 64;

/**
 * Records `fn` once for each signature of its arguments (shapes, dtypes, form, and everything that is no tensor), and from then on runs the
 * recording without calling `fn`. It takes and returns tensors in nested arrays and plain objects. Results, and what it writes in place,
 * are computed when it returns, with the same bits that `fn` computes. Tensors that it captures are read anew at each call, random numbers
 * advance, and `float(x)` as an argument is a number that may differ from call to call.
 * @throws TypeError for arguments and results of other kinds, and when `fn` reads elements while it is recorded.
 */
export const jit = declareFunction(
  "jit(fn: function, { static, dynamic, cacheLimit, fusion, emitter, limits, profile })",
  <A extends readonly unknown[], R>(
    fn: (...args: A) => R,
    { static: places = [], dynamic = [], cacheLimit = DEFAULT_LIMIT, ...own }: JitOptions = {},
  ): JittedFunction<A, R> => {
    if (places.some((place) => place < 0))
      throw new RangeError(`static has places of arguments, from 0 on, but got ${showArgument(places)}`);
    const options = Object.keys(own).length === 0 ? undefined : own;
    optionsOf("jit", options);
    const jitted = new Jitted(
      fn as (...args: readonly unknown[]) => unknown,
      places,
      cacheLimit,
      ...([dynamic, options] as const),
    );
    const call = (...args: A): R => {
      try {
        return jitted.call(args) as R;
      } catch (error) {
        throw beginsAtUser(error) ? error : trimmed(error, call);
      }
    };
    const explain = (...args: A): Explanation => atCaller(explain, () => jitted.explain(args));
    Object.defineProperties(call, {
      name: { value: fn.name },
      cacheSize: { get: () => jitted.size },
      clear: { value: () => jitted.clear() },
      explain: { value: explain },
    });
    return call as JittedFunction<A, R>;
  },
);

/**
 * Compiles what `fn` computes for each list of arguments, and computes nothing. If a cache is set (`setOptions({ cache })`), later
 * processes find the programs there. In arguments `{ shape, dtype }` stands for a tensor, float32 by default; everything else is passed on.
 * Each tensor that `fn` returns is compiled as if it were read by itself, and all of them as if computed together by `compute(…)`. Returns
 * the number of programs.
 * @throws TypeError when `fn` reads elements, or writes into a tensor that existed before.
 */
export const precompile = declareFunction(
  "precompile(fn: function, signatures)",
  (fn: (...args: never[]) => unknown, signatures: readonly (readonly unknown[])[]): number => {
    if (!Array.isArray(signatures) || !signatures.every(Array.isArray))
      throw new TypeError(
        `signatures is a list of lists of arguments, as in [[{ shape: [2, 3] }, 0.5]], but got ${showArgument(signatures)}`,
      );
    return precompileCalls(fn as (...args: readonly unknown[]) => unknown, signatures, getOptions());
  },
);

/** The only check of functions that are called many times in a training step. */
function checkRead(op: string, read: unknown, entered: unknown): void {
  if (typeof read !== "function")
    throw trimmed(new TypeError(`${op}: read must be a function, but got ${showArgument(read)}`), entered);
}

/**
 * A number that a function of {@link jit} reads anew at each call, such as a learning rate. `read` is called then, in order, and may change
 * state of the host. Outside of such a function it is called at once.
 */
export function perCall(read: () => number): Scalar {
  checkRead("perCall", read, perCall);
  return numberPerCall(read);
}

/** A value of the host that a function of {@link jit} depends on, such as a flag: if it changes, the function is recorded anew. */
export function guarded<T>(read: () => T): T {
  checkRead("guarded", read, guarded);
  if (tracing !== null) tracing.guard(read);
  return withTracing(null, read);
}

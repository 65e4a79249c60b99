/** Functions that are recorded once and run from then on. docs/jit.md tells the whole. */
import { type Scalar, showArgument } from "@fuseau/ir";
import { beginsAtUser } from "../entry/refused.ts";
import type { Explanation } from "../explain/explanation.ts";
import type { Dynamic } from "../jit/dynamic.ts";
import { Jitted } from "../jit/function.ts";
import { precompileCalls } from "../jit/precompile.ts";
import { checkOptionNames } from "../messages/options.ts";
import { atCaller, trimmed } from "../messages/stack.ts";
import { numberPerCall } from "../ops/per-call.ts";
import { type ComputeOptions, getOptions } from "../options.ts";
import { tracing, withTracing } from "../tracing.ts";

/** How a function is recorded. */
export interface JitOptions extends ComputeOptions {
  /** Places of arguments that may be anything, and of which each is recorded for itself, by identity. */
  readonly static?: readonly number[];
  /**
   * By argument, the axes whose size varies, such as `[{ x: [0] }]` or `[[0], [0]]`: `fn` does the same for all sizes of theirs from 2 on.
   * It is recorded at some of them, and calls at sizes between are not recorded.
   */
  readonly dynamic?: readonly Dynamic[];
  /** How many recordings are kept; the one used longest ago goes. Default 64. */
  readonly cacheLimit?: number;
}

/** What {@link jit} gives: called as the function that it was given. */
export interface JittedFunction<A extends readonly unknown[], R> {
  (...args: A): R;
  /** What is run for such arguments. Runs nothing. @throws Error when the function was not called with such arguments yet. */
  explain(...args: A): Explanation;
  /** How many recordings there are. */
  readonly cacheSize: number;
  /** Forgets all recordings, and lets go of the tensors that they captured. */
  clear(): void;
}

const DEFAULT_LIMIT = 64;
const optionNames: readonly string[] = ["static", "dynamic", "cacheLimit", "fusion", "emitter", "limits"];

/**
 * `fn`, recorded once for each signature of its arguments (shapes, dtypes, form, and all that is no tensor) and run from then on without
 * being called. It takes and gives tensors in nested arrays and plain objects; results and what it writes in place are computed when
 * it returns, to the same bits as `fn` computes. Tensors that it captures are read as they are at each call, random numbers go on, and
 * `float(x)` as an argument is a number of each call's own.
 * @throws TypeError for arguments and results of other kinds, and when `fn` reads elements while it is recorded.
 */
export function jit<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  options: JitOptions = {},
): JittedFunction<A, R> {
  const { static: places, limit, dynamic, own } = checked(fn, options);
  const jitted = new Jitted(fn as (...args: readonly unknown[]) => unknown, places, limit, dynamic, own);
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
}

function checkFunction(op: string, name: string, fn: unknown, entered: unknown): void {
  if (typeof fn !== "function")
    throw trimmed(new TypeError(`${op}: ${name} must be a function, but got ${showArgument(fn)}`), entered);
}

function checked(
  fn: unknown,
  options: JitOptions,
): {
  readonly static: readonly number[];
  readonly limit: number;
  readonly dynamic: readonly Dynamic[];
  readonly own: ComputeOptions | undefined;
} {
  checkFunction("jit", "fn", fn, jit);
  atCaller(jit, () => checkOptionNames("jit", options, optionNames));
  const { static: places = [], dynamic = [], cacheLimit = DEFAULT_LIMIT, ...own } = options;
  if (!Array.isArray(places) || places.some((place) => !Number.isInteger(place) || place < 0))
    throw trimmed(
      new TypeError(
        `jit: static is a list of places of arguments, from 0 on, but got ${showArgument(places)}`,
      ),
      jit,
    );
  if (!Array.isArray(dynamic))
    throw trimmed(
      new TypeError(
        `jit: dynamic is a list of the axes that vary, by argument, as in [[0], null], but got ${showArgument(dynamic)}`,
      ),
      jit,
    );
  if (!Number.isInteger(cacheLimit) || cacheLimit < 1)
    throw trimmed(
      new TypeError(`jit: cacheLimit must be a whole number of at least 1, not ${showArgument(cacheLimit)}`),
      jit,
    );
  return {
    static: places,
    dynamic,
    limit: cacheLimit,
    own: Object.keys(own).length === 0 ? undefined : own,
  };
}

/**
 * Compiles what `fn` computes, for each list of arguments, and computes nothing: where a cache is set (`setOptions({ cache })`) later processes
 * find it there. In arguments `{ shape, dtype }` stands for a tensor, float32 by default; all else is given as it is. Each tensor that `fn`
 * gives is compiled as it is read by itself, and all of them as `compute(…)` computes them together. Gives the number of programs.
 * @throws TypeError when `fn` reads elements, or writes into a tensor that was there before.
 */
export function precompile(
  fn: (...args: never[]) => unknown,
  signatures: readonly (readonly unknown[])[],
): number {
  checkFunction("precompile", "fn", fn, precompile);
  if (!Array.isArray(signatures) || !signatures.every(Array.isArray))
    throw trimmed(
      new TypeError(
        `precompile: signatures is a list of lists of arguments, as in [[{ shape: [2, 3] }, 0.5]], but got ${showArgument(signatures)}`,
      ),
      precompile,
    );
  return precompileCalls(fn as (...args: readonly unknown[]) => unknown, signatures, getOptions());
}

/**
 * A number that a function of {@link jit} is to read anew at each call, such as a learning rate: `read` is called then, in order, and may
 * change what the host counts. Outside of such a function it is called at once.
 */
export function perCall(read: () => number): Scalar {
  checkFunction("perCall", "read", read, perCall);
  return numberPerCall(read);
}

/** What a function of {@link jit} reads of the host now, such as a flag: it is recorded anew when this is another. */
export function guarded<T>(read: () => T): T {
  checkFunction("guarded", "read", read, guarded);
  if (tracing !== null) tracing.guard(read);
  return withTracing(null, read);
}

/**
 * The way in. Every public function and method passes here, once for each call. Arguments that its signature does not have are
 * refused. What it throws is given the stack of the user's call.
 */

import { running } from "../messages/called.ts";
import { attribute, hasFallible } from "../origin.ts";
import { inspect } from "./inspect.ts";
import { ofEntry, ofUser, refused, refusedBy } from "./refused.ts";
import { type Signature, signatureOf } from "./signature.ts";

type Run = (this: unknown, ...given: unknown[]) => unknown;

/** Calls what a user gave us to call: operations in it are the user's own, and so is what it throws, which stays as it is. */
export function asUser<R>(call: () => R): R {
  const outer = running.op;
  running.op = null;
  try {
    return call();
  } catch (error) {
    throw ofUser(error);
  } finally {
    running.op = outer;
  }
}

/** What `operation` and `handedOut` have made. */
const entries = new WeakSet<object>();

/**
 * Calls a function that a user gave us. It may be one of ours, as in `func.vmap(func.grad(f))`: the stack of its error begins where it is
 * called, here, and is given to the user's own call.
 */
export function callGiven<A extends readonly unknown[], R>(fn: (...args: A) => R, args: A): R {
  if (!entries.has(fn)) return asUser(() => fn(...args));
  const outer = running.op;
  running.op = null;
  try {
    return fn(...args);
  } catch (error) {
    throw ofEntry(error);
  } finally {
    running.op = outer;
  }
}

/** A function that the operation `op` hands out, as users call it: its errors go by that name, and begin at the user's line. */
export function handedOut<A extends readonly unknown[], R>(
  op: string,
  run: (...args: A) => R,
): (...args: A) => R {
  entries.add(entered);
  return entered;

  function entered(...args: A): R {
    const outer = running.op;
    running.op = outer ?? op;
    try {
      return run(...args);
    } catch (error) {
      throw outer !== null ? error : refusedBy(op, error, entered);
    } finally {
      running.op = outer;
    }
  }
}

/**
 * `run` as users call it. `signature` is its arguments as text, `"dim, { keepdim, dtype }"`; see `signature.ts`.
 * F is what users are told of it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function operation<F extends (...given: never[]) => unknown>(
  op: string,
  signature: string,
  run: (this: never, ...given: never[]) => unknown,
  isMethod = false,
): F {
  const call = signatureOf(op, signature, isMethod);
  const entered = (call.isOpen ? many : call.most > 3 ? seven : three)(call, run as Run);
  Object.defineProperty(entered, "name", { value: op });
  entries.add(entered);
  return entered as unknown as F;
}

// The three below differ in how many arguments they hand on: a list of them would be made at every call.

function three(call: Signature, run: Run): Run {
  const { first } = call;
  return function entered(this: unknown, a?: unknown, b?: unknown, c?: unknown, d?: unknown): unknown {
    const outer = running.op;
    running.op = outer ?? call.op;
    try {
      const isPlain =
        (first > 0 || a === undefined) &&
        (first > 1 || b === undefined) &&
        (first > 2 || c === undefined) &&
        d === undefined;
      const result = isPlain
        ? run.call(this, a, b, c)
        : run.apply(this, inspect(call, [a, b, c, d]) as unknown[]);
      if (outer === null && hasFallible()) attribute(call.op, entered);
      return result;
    } catch (error) {
      throw outer !== null ? error : refused(call, this, [a, b, c, d], error, entered);
    } finally {
      running.op = outer;
    }
  };
}

function seven(call: Signature, run: Run): Run {
  const { first } = call;
  return function entered(
    this: unknown,
    a?: unknown,
    b?: unknown,
    c?: unknown,
    d?: unknown,
    e?: unknown,
    f?: unknown,
    g?: unknown,
    h?: unknown,
    i?: unknown,
  ): unknown {
    const outer = running.op;
    running.op = outer ?? call.op;
    try {
      const given = [a, b, c, d, e, f, g, h, i];
      let k = first;
      while (k < given.length && given[k] === undefined) k++;
      const result = run.apply(this, k === given.length ? given : (inspect(call, given) as unknown[]));
      if (outer === null && hasFallible()) attribute(call.op, entered);
      return result;
    } catch (error) {
      throw outer !== null ? error : refused(call, this, [a, b, c, d, e, f, g, h, i], error, entered);
    } finally {
      running.op = outer;
    }
  };
}

function many(call: Signature, run: Run): Run {
  return function entered(this: unknown, ...given: unknown[]): unknown {
    const outer = running.op;
    running.op = outer ?? call.op;
    try {
      const result = run.apply(this, given);
      if (outer === null && hasFallible()) attribute(call.op, entered);
      return result;
    } catch (error) {
      throw outer !== null ? error : refused(call, this, given, error, entered);
    } finally {
      running.op = outer;
    }
  };
}

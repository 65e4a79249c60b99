/**
 * The entry of every public function and method, passed once for each call. It refuses arguments that the signature does not have. Errors
 * get the stack of the user's call.
 */

import { running } from "../messages/called.ts";
import { placed, placeOf } from "../messages/stack.ts";
import { attribute, hasFallible } from "../origin.ts";
import { inspect } from "./inspect.ts";
import { ofEntry, ofUser, refused, refusedBy } from "./refused.ts";
import { type Owner, type Signature, signatureOf, type Way } from "./signature.ts";

type Run = (this: unknown, ...given: unknown[]) => unknown;

/** Calls a function of the user's. Operations in it are the user's own calls, and its errors stay as they are. */
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

/** The functions that `operation` and `handedOut` have made. */
const entries = new WeakSet<object>();

export const isEntry = (fn: object): boolean => entries.has(fn);

const signatures = new WeakMap<object, Signature>();

/** How a public function is called; nothing for what is no such function. */
export const waysOf = (fn: object): readonly Way[] => signatures.get(fn)?.ways ?? [];

/**
 * Calls a function of the user's that may be one of ours, as in `func.vmap(func.grad(f))`. The stack of its error begins here, where it is
 * called, and is later replaced by that of the user's own call. `self` is the object that a method is called on.
 */
export function callGiven<A extends readonly unknown[], R>(
  fn: (...args: A) => R,
  args: A,
  self?: unknown,
): R {
  const run = fn as unknown as Run;
  if (!entries.has(fn)) return asUser(() => run.apply(self, args as unknown as unknown[]) as R);
  const outer = running.op;
  running.op = null;
  try {
    return run.apply(self, args as unknown as unknown[]) as R;
  } catch (error) {
    throw ofEntry(error);
  } finally {
    running.op = outer;
  }
}

/** Makes a function that operation `op` returns to users. Its errors have that name, and their stacks begin at the user's line. */
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
      const result = run(...args);
      if (outer === null && hasFallible()) attribute(op, entered);
      return result;
    } catch (error) {
      throw outer !== null ? error : refusedBy(op, error, entered);
    } finally {
      running.op = outer;
    }
  }
}

/** Makes `run` a public function of type F. `signature` has its arguments as text, `"dim, { keepdim, dtype }"`; see `signature.ts`. */
/* @__NO_SIDE_EFFECTS__ */
export function operation<F extends (...given: never[]) => unknown>(
  op: string,
  signature: string,
  run: (this: never, ...given: never[]) => unknown,
  owner: Owner | null = null,
): F {
  const call = signatureOf(op, signature, owner);
  const enter = call.isChecked ? checked : call.isOpen ? many : call.most > 3 ? seven : three;
  const entered = enter(call, run as Run);
  Object.defineProperty(entered, "name", { value: op });
  entries.add(entered);
  signatures.set(entered, call);
  return entered as unknown as F;
}

/** {@link operation} for a function that returns a promise: an error rejects it, and its stack begins at the user's call. */
/* @__NO_SIDE_EFFECTS__ */
export function promised<A extends unknown[], R>(
  op: string,
  signature: string,
  run: (...given: A) => Promise<R>,
): (...given: A) => Promise<R> {
  const call = signatureOf(op, signature);
  async function entered(...given: A): Promise<R> {
    const place = placeOf(entered);
    try {
      return await run(...(inspect(call, given) as A));
    } catch (error) {
      throw placed(refused(call, undefined, given, error, null), place);
    }
  }
  Object.defineProperty(entered, "name", { value: op });
  signatures.set(entered, call);
  return entered;
}

// The first three functions below differ in how many arguments they pass on: a list of them would be allocated at every call.

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

/** Checks every argument at every call, if the signature states kinds. */
function checked(call: Signature, run: Run): Run {
  return many(call, function (this: unknown, ...given: unknown[]): unknown {
    return run.apply(this, inspect(call, given) as unknown[]);
  });
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

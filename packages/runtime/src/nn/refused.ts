/** Gives errors of a layer's operations the stack of the line that calls the layer. */
import { inspect } from "../entry/inspect.ts";
import type { Signature } from "../entry/signature.ts";
import { DTypeError, ShapeError, Tensor } from "../js.ts";
import { trimmed } from "../messages/stack.ts";

/** True for errors while recording. Those of a kernel have the line that recorded the operation, and keep it. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ShapeError || error instanceof DTypeError || error instanceof TypeError;

/**
 * What `run` gives; what it refuses has the stack of who called `forward`. What that was given is checked first: `call` says what it takes.
 * What is refused by an operation keeps the operation's name: of a network, it says more than that of the method.
 */
export function refusedAt<R>(forward: unknown, call: Signature, given: ArrayLike<unknown>, run: () => R): R {
  try {
    if (!arePlain(call, given)) inspect(call, Array.from(given));
    return run();
  } catch (error) {
    throw isRefusal(error) ? trimmed(error, forward) : error;
  }
}

/** Nothing but the tensors that are needed, as most calls have it: a list of them would be made at every call. */
function arePlain({ tensors, first }: Signature, given: ArrayLike<unknown>): boolean {
  if (given.length < tensors || given.length > first) return false;
  for (let k = 0; k < given.length; k++) if (!(given[k] instanceof Tensor)) return false;
  return true;
}

/** Returns what `run` returns. Its errors say where in a module they happened. */
export function refusedIn<R>(place: () => string, run: () => R): R {
  try {
    return run();
  } catch (error) {
    if (isRefusal(error)) error.message += ` (in ${place()})`;
    throw error;
  }
}

/** Gives errors of a layer's operations the stack of the line that calls the layer. */
import { inspect } from "../entry/inspect.ts";
import type { Signature } from "../entry/signature.ts";
import { DTypeError, ShapeError, Tensor } from "../js.ts";
import { trimmed } from "../messages/stack.ts";
import { inLayer, isOfEarlier } from "../origin.ts";

/** True for errors while recording. Those of a kernel have the line that recorded the operation, and keep it. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ShapeError ||
  error instanceof DTypeError ||
  error instanceof TypeError ||
  (error instanceof RangeError && !isOfEarlier(error));

/**
 * Returns what `run` returns. Its errors get the stack of the code that called `forward`. First checks the arguments of that call by the
 * signature `call`. An error of an operation keeps the operation's name: in a network, that says more than the name of the method.
 */
export function refusedAt<R>(forward: unknown, call: Signature, given: ArrayLike<unknown>, run: () => R): R {
  try {
    if (!arePlain(call, given)) inspect(call, Array.from(given));
    return inLayer(run);
  } catch (error) {
    throw isRefusal(error) ? trimmed(error, forward) : error;
  }
}

/** True for a call with nothing but the tensors that it needs, which is the common case: no list of its arguments is made. */
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

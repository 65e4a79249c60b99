/** What a layer's operations refuse, at the line that calls the layer. */
import { DTypeError, ShapeError } from "../js.ts";
import { trimmed } from "../messages/stack.ts";

/** Refused while it is recorded. What a kernel throws has the line that recorded the operation, and keeps it. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ShapeError || error instanceof DTypeError || error instanceof TypeError;

/** What `run` gives; what it refuses has the stack of who called `forward`. */
export function refusedAt<R>(forward: unknown, run: () => R): R {
  try {
    return run();
  } catch (error) {
    throw isRefusal(error) ? trimmed(error, forward) : error;
  }
}

/** What `run` gives; what it refuses says where in a module it was. */
export function refusedIn<R>(place: () => string, run: () => R): R {
  try {
    return run();
  } catch (error) {
    if (isRefusal(error)) error.message += ` (in ${place()})`;
    throw error;
  }
}

/** Makes stacks begin at the user's own line, whatever the files are called and however they are bundled. */

type Capture = (target: object, above: unknown) => void;

/** V8 has always had it, JavaScriptCore and SpiderMonkey since 2025. In other engines stacks stay as they are. */
const { captureStackTrace } = Error as typeof Error & { readonly captureStackTrace?: Capture };

/** The error with the stack of the code that called `entered`, which is still running. */
export function trimmed(error: unknown, entered: unknown): unknown {
  if (error instanceof Error) captureStackTrace?.(error, entered);
  return error;
}

/** Returns what `run` returns. Its errors get the stack of the code that called `entered`, which is still running. */
export function atCaller<R>(entered: unknown, run: () => R): R {
  try {
    return run();
  } catch (error) {
    throw trimmed(error, entered);
  }
}

/** The place where `entered`, which is running, was called from. Its text is made when it is needed. */
export function placeOf(entered: unknown): { readonly stack?: string } {
  const place = {};
  captureStackTrace?.(place, entered);
  return place;
}

/** The error with the stack of a place, for callers that have gone on in the meantime. */
export function placed(error: unknown, { stack = "" }: { readonly stack?: string }): unknown {
  const frames = stack.indexOf("\n    at ");
  if (error instanceof Error && frames >= 0)
    error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}

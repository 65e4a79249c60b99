/** Stacks that begin at the user's own line, whatever the files are called and however they are bundled. */

type Capture = (target: object, above: unknown) => void;

/** V8 has had it for ever, JavaScriptCore and SpiderMonkey since 2025; elsewhere stacks stay as they are. */
const { captureStackTrace } = Error as typeof Error & { readonly captureStackTrace?: Capture };

/** The error with the stack of who called `entered`, which is still running. */
export function trimmed(error: unknown, entered: unknown): unknown {
  if (error instanceof Error) captureStackTrace?.(error, entered);
  return error;
}

/** What `run` gives. What it throws has the stack of who called `entered`, which is still running. */
export function atCaller<R>(entered: unknown, run: () => R): R {
  try {
    return run();
  } catch (error) {
    throw trimmed(error, entered);
  }
}

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

/** Computations that can be left between two steps, and gone on with later. */

/** The steps of a computation. Each `next()` takes one. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Takes all steps. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A function as steps, of which there is one. */
export const atOnce = <Args extends readonly unknown[], Result>(fn: (...args: Args) => Result) =>
  // biome-ignore lint/correctness/useYield: it is not left
  function* (...args: Args): Steps<Result> {
    return fn(...args);
  };

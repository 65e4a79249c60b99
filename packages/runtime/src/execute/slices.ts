/** Computations that take long are gone on with beside each run of what they are for, so that no run waits for the whole. */
import type { Steps } from "@fuseau/compiler";
import { now } from "../threads/host.ts";

/** Takes steps for some milliseconds, at least one; the result in an object, or null if there are more. */
export function goneOn<Result>(
  steps: Steps<Result>,
  milliseconds: number,
): { readonly result: Result } | null {
  const begin = now();
  do {
    const step = steps.next();
    if (step.done === true) return { result: step.value };
  } while (now() - begin < milliseconds);
  return null;
}

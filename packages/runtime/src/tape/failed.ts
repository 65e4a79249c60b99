import type { Value } from "../value.ts";

/** Whether a value cannot be computed since something that it is made of has failed. Iterative, since chains may be 100,000 long. */
export function isMadeOfFailed(value: Value): boolean {
  const beneath = new Set([value]);
  for (const { hasFailed, storage, inputs } of beneath) {
    if (hasFailed) return true;
    if (storage === null) for (const input of inputs) beneath.add(input);
  }
  return false;
}

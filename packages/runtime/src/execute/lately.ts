import type { Value } from "../value.ts";

/** Uncomputed values of tensors that were made lately, while `unread.ts` looks at them. */
export const lately = new Set<Value>();

/** To be called after a computation: results are not held here. */
export function dropStored(): void {
  for (const value of lately) if (value.storage !== null) lately.delete(value);
}

import type { Value } from "../../value.ts";

/** Uncomputed values of tensors that were made lately, while `unread.ts` looks at them. */
export const lately = new Set<Value>();

/** To be called after a computation: results are not held here. */
export function dropStored(): void {
  for (const value of lately) if (value.storage !== null) lately.delete(value);
}

/** True if it is recorded and not computed. */
export const isPending = ({ storage, inputs }: Value): boolean => storage === null && inputs.length > 0;

/** True if a tensor stands for it, and nothing that was recorded reads it. */
export const isUnread = (value: Value): boolean => isPending(value) && value.handles > 0 && value.uses === 0;

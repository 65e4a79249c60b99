import type { Value } from "../value.ts";

/** Uncomputed values of tensors that were made lately, while `unread.ts` looks at them. */
export const lately = new Set<Value>();

/** To be called after a computation: results are not held here. */
export function dropStored(): void {
  for (const value of lately) if (value.storage !== null) lately.delete(value);
}

/** True if a tensor stands for it, and nothing that was recorded reads it. */
export const isUnread = ({ storage, inputs, handles, uses }: Value): boolean =>
  storage === null && inputs.length > 0 && handles > 0 && uses === 0;

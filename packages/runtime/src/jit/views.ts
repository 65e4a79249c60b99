/** Views that a jitted function is given: where it only reads them, a recording serves views of anything. */
import { aliasKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Entry, Known } from "./entry.ts";

/** It shows a part of what it shares, or all of it in another order, and has no derivatives. */
export function isView(tensor: AnyTensor): boolean {
  const value = unwrap(tensor);
  const alias = tensor[aliasKey];
  return (
    alias !== null && value !== alias.cell.value && value.step === null && alias.cell.value.step === null
  );
}

/**
 * True of a call that reads views which it is given, and nothing else that shares elements with them, then as with these tensors, of
 * which no others are views: so it does not matter what they are views of.
 */
export function readsViews({ inputs, order, writes, made }: Entry, given: readonly AnyTensor[]): boolean {
  const isRead = ({ where, window, leader }: Known, k: number): boolean =>
    window === null ||
    (where.is === "argument" &&
      leader === k &&
      inputs.filter((other) => other.leader === k).length === 1 &&
      !writes.some(({ input }) => input === k) &&
      !made.some((one) => one.is === "view" && one.input === k));
  const captured = inputs.flatMap(({ tensor }) => (tensor === null ? [] : [tensor]));
  const cells = [...new Set([...given, ...captured])].map((tensor) => tensor[aliasKey]?.cell);
  const isAlone = (tensor: AnyTensor, k: number): boolean =>
    !isView(tensor) ||
    (inputs[order[k]!]!.window !== null &&
      cells.filter((cell) => cell === tensor[aliasKey]?.cell).length === 1);
  return inputs.some(({ window }) => window !== null) && inputs.every(isRead) && given.every(isAlone);
}

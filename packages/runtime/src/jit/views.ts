/** Views among the arguments of a jitted function. If the function only reads them, one recording serves views of anything. */
import { aliasKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Entry, Known } from "./entry.ts";

/** True for a tensor without derivatives that shows a part of its cell, or all of it in another order. */
export function isView(tensor: AnyTensor): boolean {
  const value = unwrap(tensor);
  const alias = tensor[aliasKey];
  return (
    alias !== null && value !== alias.cell.value && value.step === null && alias.cell.value.step === null
  );
}

/**
 * True of a call that only reads the views that it is given, if nothing else that it uses shares elements with them, and if that is so with
 * these tensors too. Then it does not matter what they are views of.
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

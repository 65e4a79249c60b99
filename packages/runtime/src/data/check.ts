/** Refuses arguments of the wrong kind, and files that are invalid. */
import { showArgument } from "@fuseau/ir";
import { type AnyTensor, Tensor } from "../js.ts";

/** A file is damaged, or has something that this version cannot read. The message says which file, what is wrong, and at which byte. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

export const isTensor = (x: unknown): x is AnyTensor => x instanceof Tensor;

/** @throws TypeError unless it is a tensor. */
export function checkTensor(op: string, name: string, x: unknown): AnyTensor {
  if (isTensor(x)) return x;
  throw new TypeError(`${op}: ${name} must be a Tensor, but got ${showArgument(x)}`);
}

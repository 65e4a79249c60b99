/** What `tidy` needs: the tensors that were made, and those that were written, since the innermost scope began. */
import { noteDepth } from "../random/mapping.ts";
import { tracing } from "../tracing.ts";
import type { AnyTensor } from "./types.ts";

export interface Scope {
  readonly made: AnyTensor[];
  readonly written: AnyTensor[];
  readonly outer: Scope | null;
}

let current: Scope | null = null;

export function enterScope(): Scope {
  current = { made: [], written: [], outer: current };
  return current;
}

export function leaveScope(scope: Scope): void {
  current = scope.outer;
}

export function noteMade(tensor: AnyTensor): void {
  if (current !== null) current.made.push(tensor);
  if (tracing !== null) tracing.made(tensor);
  noteDepth(tensor);
}

export function noteWritten(tensor: AnyTensor): void {
  if (current !== null) current.written.push(tensor);
}

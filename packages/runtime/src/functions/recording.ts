/** Whether what is recorded can be differentiated. Source: torch.autograd.grad_mode on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { trimmed } from "../messages/stack.ts";
import { recomputing, recording, withRecording } from "../tape/step.ts";

/**
 * Calls `fn` and returns its result. What is recorded in it needs no gradient, and tensors that require one may be written in place.
 * @throws TypeError when `fn` is no function, or returns a promise.
 */
export const noGrad = <R>(fn: () => R): R => recordingIn("noGrad", false, fn, noGrad);

/** Calls `fn` with gradients recorded again, within {@link noGrad}. */
export const enableGrad = <R>(fn: () => R): R => recordingIn("enableGrad", true, fn, enableGrad);

/** True if operations on tensors that require gradients are recorded here. */
export const isGradEnabled = declareFunction("isGradEnabled()", (): boolean => recording.isOn);

function recordingIn<R>(op: string, isOn: boolean, fn: () => R, entered: unknown): R {
  if (typeof fn !== "function")
    throw trimmed(new TypeError(`${op}: fn must be a function, but got ${showArgument(fn)}`), entered);
  const result = withRecording(isOn, fn);
  if (result instanceof Promise)
    throw trimmed(
      new TypeError(`${op}: fn must not be async (what follows an await is not inside)`),
      entered,
    );
  return result;
}

/**
 * Calls `fn` and returns its result. Its intermediates are not kept for the backward pass, whatever they cost: they are recomputed there
 * (PyTorch: torch.utils.checkpoint). Gradients are the same, bit for bit.
 * @throws TypeError when `fn` is no function.
 */
export function checkpoint<A extends readonly unknown[], R>(fn: (...args: A) => R, ...args: A): R {
  if (typeof fn !== "function")
    throw trimmed(
      new TypeError(`checkpoint: fn must be a function, but got ${showArgument(fn)}`),
      checkpoint,
    );
  return recomputing(() => fn(...args));
}

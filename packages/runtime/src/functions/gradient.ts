/**
 * Derivatives as methods of tensors, as in PyTorch. Source: torch.autograd and torch.Tensor on pytorch.org/docs/stable;
 * docs/derivatives.md.
 */

import { backwardFrom } from "../autograd/from.ts";
import { type GradientHook, hookOf } from "../autograd/hooks.ts";
import { checkedFlag, detachInPlace, requireGradient, retainGradient } from "../autograd/leaf.ts";
import { declare } from "../declare/declaration.ts";
import { isOptions } from "../entry/inspect.ts";
import { GradientError } from "../tape/errors.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Options of a backward pass. */
export interface BackwardOptions {
  /** Keeps the graph, so that it can be run backward again. Default `createGraph`. */
  readonly retainGraph?: boolean;
  /** Makes gradients that can be differentiated themselves. Default false. */
  readonly createGraph?: boolean;
  /** The tensors whose `grad` is added to. Default: all leaves. */
  readonly inputs?: AnyTensor | readonly AnyTensor[];
}

/** What `registerHook` gives. */
export interface HookHandle {
  /** Stops calling the hook. */
  remove(): void;
}

/**
 * Asks that gradients with respect to x are recorded and added up in `x.grad`, or with false stops that; returns x. From then on operations
 * on x, and on what is computed from it, are recorded for {@link backward}.
 * @throws GradientError for an integer or bool tensor, or, with false, for one that was computed from others that require gradients.
 */
export const requiresGrad_ = declare(
  "requiresGrad_(requiresGrad)",
  <T extends AnyTensor>(input: T, requiresGrad = true): T => {
    requireGradient("requiresGrad_", input, checkedFlag(requiresGrad));
    return input;
  },
);

/**
 * Adds the gradient of x to the `grad` of every leaf that it was computed from. Nothing is computed yet: gradients are lazy, and are
 * computed with the loss, or with the update that reads them. `gradient` has x's shape and dtype. A scalar x needs none, and may be given
 * options alone.
 * @throws GradientError when x requires no gradient, is no scalar and has no `gradient`, or was run backward before without `retainGraph`;
 * ShapeError for a gradient of another shape.
 */
export const backward = declare(
  "backward({ retainGraph, createGraph, inputs } | gradient, { retainGraph, createGraph, inputs })",
  (input: AnyTensor, gradient?: AnyTensor | BackwardOptions | null, options: BackwardOptions = {}): void => {
    const [seed, how] = isOptions(gradient) ? [null, gradient as BackwardOptions] : [gradient, options];
    backwardFrom("backward", [input], [(seed as AnyTensor | null | undefined) ?? null], how);
  },
);

/** Keeps the gradient of x in `x.grad`, although x is no leaf. */
export const retainGrad = declare("retainGrad()", (input: AnyTensor): void => {
  retainGradient("retainGrad", input);
});

/**
 * Calls `hook` with the gradient of x in every backward pass. If it returns a tensor, that replaces the gradient.
 * @throws GradientError when x requires no gradient.
 */
export const registerHook = declare(
  "registerHook(hook)",
  (input: AnyTensor, hook: GradientHook): HookHandle => {
    const { step } = unwrap(input);
    if (step === null)
      throw new GradientError(
        "cannot register a hook on a tensor that doesn't require gradient (x.requiresGrad_() first)",
      );
    if (typeof hook !== "function") throw new TypeError("hook must be a function");
    step.hooks ??= new Set();
    const own = hookOf(hook);
    step.hooks.add(own);
    return { remove: () => void step.hooks?.delete(own) };
  },
);

/**
 * Makes x a leaf that requires no gradient, in place; returns x.
 * @throws GradientError for a view, whose base would not be detached.
 */
export const detach_ = declare("detach_()", <T extends AnyTensor>(input: T): T => {
  detachInPlace(input);
  return input;
});

/** Hooks: what users see of gradients, and put in their place. */
import { ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import { asUser } from "../entry/operation.ts";
import * as record from "../record.ts";
import { Tensor, tensorArgument } from "../tensor/handle.ts";
import type { Value } from "../value.ts";
import type { Step } from "./step.ts";

/** Shows a gradient to the hooks of its step. */
export function hooked(step: Step, gradient: Value): Value {
  let shown = gradient;
  for (const hook of step.hooks ?? []) {
    const given = asUser(() => hook(new Tensor(shown)));
    if (given === undefined || given === null) continue;
    const value = tensorArgument("hook", "gradient", given);
    if (!sameNumbers(value.node.shape, gradient.node.shape))
      throw new ShapeError(
        `hook: a hook has changed the size of value (from ${showShape(gradient.node.shape)} to ${showShape(value.node.shape)})`,
      );
    shown = record.cast(value, gradient.node.dtype);
  }
  return shown;
}


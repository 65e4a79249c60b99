/** Hooks: users see gradients with them, and may replace them. */
import { ShapeError, sameNumbers, showArgument, showShape } from "@fuseau/ir";
import { asUser } from "../entry/operation.ts";
import * as record from "../record.ts";
import type { Hook } from "../tape/step.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";

/** Called with each gradient of a tensor. If it returns a tensor, that replaces the gradient. */
export type GradientHook = (gradient: Tensor) => unknown;

export const hookOf =
  (hook: GradientHook): Hook =>
  (gradient) => {
    const given = asUser(() => hook(new Tensor(gradient)));
    if (given === undefined || given === null) return gradient;
    if (!(given instanceof Tensor))
      throw new TypeError(
        `expected a tensor, but hook returned ${showArgument(given)} (a hook that only looks gives nothing: (gradient) => { … })`,
      );
    const value = unwrap(given);
    const { dtype, shape } = gradient.node;
    if (!sameNumbers(value.node.shape, shape))
      throw new ShapeError(
        `hook: a hook has changed the size of value (from ${showShape(shape)} to ${showShape(value.node.shape)})`,
      );
    return record.cast(value, dtype);
  };

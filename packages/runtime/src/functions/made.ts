/** What all functions share that make tensors from nothing. */
import { requireGradient } from "../autograd/leaf.ts";
import { declareFunction, nameOf } from "../declare/declaration.ts";
import { isOptions } from "../entry/inspect.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Options of all of them. */
export interface MadeOptions {
  /** Records gradients with respect to the tensor, as after `requiresGrad_()`. Only for floats. Default false. */
  readonly requiresGrad?: boolean;
}

/** Declares a function that makes a tensor. If its call takes a dtype, it takes `requiresGrad` too. */
/* @__NO_SIDE_EFFECTS__ */
export function declareMade<F extends (...given: never[]) => AnyTensor>(call: string, run: F): F {
  const name = nameOf(call);
  const make = (...given: Parameters<F>): AnyTensor => {
    const made = run(...given);
    const options = (given as readonly unknown[]).filter((argument) => argument !== undefined).at(-1);
    const { requiresGrad = false } = isOptions(options) ? (options as MadeOptions) : {};
    if (requiresGrad) requireGradient(name, made, true);
    return made;
  };
  return declareFunction(call.replaceAll(/\{ (dtype[^}]*) \}/g, "{ $1, requiresGrad }"), make as F);
}

/** What users import as `autograd`. Source: torch.autograd on pytorch.org/docs/stable. */
import { showArgument } from "@fuseau/ir";
import { computeTensors } from "../alias/undo.ts";
import { gradientsFor } from "../autograd/from.ts";
import { declareFunction } from "../declare/declaration.ts";
import { optionsOf } from "../options.ts";
import { GradientError } from "../tape/errors.ts";
import { takePending } from "../tape/pending.ts";
import { Tensor, tensorArgument, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** How `autograd.grad` treats what was recorded. */
export interface GradOptions {
  /** One for each output, of its shape and dtype; null, or nothing at all, is 1 for a scalar. */
  readonly gradOutputs?: AnyTensor | readonly (AnyTensor | null)[];
  /** The graph stays, so that it can be run backward again. Default `createGraph`. */
  readonly retainGraph?: boolean;
  /** The gradients can be differentiated themselves. Default false. */
  readonly createGraph?: boolean;
  /** An input that the outputs do not depend on has the gradient null, and is no error. Default false. */
  readonly allowUnused?: boolean;
}

/** A gradient for each input, of its shape and dtype. */
export type Gradients<I, O> = I extends readonly AnyTensor[]
  ? { -readonly [K in keyof I]: OrNull<I[K], O> }
  : [OrNull<I, O>];
type OrNull<T, O> = O extends { readonly allowUnused: true } ? T | null : T;

/**
 * The gradients of the sum of `outputs` with respect to `inputs`, which may be leaves or anything between; no `grad` is touched.
 * @throws GradientError when an output or input requires no gradient, an input is not used, an output is no scalar and has no gradient,
 * or the graph is gone; ShapeError for a gradient of another shape.
 */
export const grad = declareFunction(
  "grad(outputs, inputs, { gradOutputs, retainGraph, createGraph, allowUnused })",
  <const I extends AnyTensor | readonly AnyTensor[], const O extends GradOptions = GradOptions>(
    outputs: AnyTensor | readonly AnyTensor[],
    inputs: I,
    options?: O,
  ): Gradients<I, O> => {
    const roots = listOf("outputs", outputs);
    const wanted = listOf("inputs", inputs);
    const given = options?.gradOutputs;
    const gradients = given === undefined || given === null ? roots.map(() => null) : [given].flat();
    const found = gradientsFor("grad", roots, wanted, gradients as (AnyTensor | null)[], options ?? {});
    return found.map((gradient, k) => {
      if (gradient !== null) return wrap(gradient);
      if (options?.allowUnused === true) return null;
      throw new GradientError(
        `grad: One of the differentiated Tensors appears to not have been used in the graph. Set { allowUnused: true } if this is the desired behavior. (inputs[${k}])`,
      );
    }) as Gradients<I, O>;
  },
);

/**
 * Computes what an optimizer has written, and with it all that backward passes began at, and what was written in place while
 * gradients were recorded: so that losses, gradients and the update are one program, and a forward pass runs once.
 * @throws what {@link Tensor.compute} throws. What was written is as it was before then.
 */
export const computeUpdate = declareFunction(
  "computeUpdate(tensors)",
  (tensors: readonly AnyTensor[]): void => {
    for (const [k, tensor] of tensors.entries()) tensorArgument("computeUpdate", `tensors[${k}]`, tensor);
    computeTensors(tensors, optionsOf("computeUpdate", undefined), takePending());
  },
);

function listOf(name: string, given: AnyTensor | readonly AnyTensor[]): readonly AnyTensor[] {
  if (given instanceof Tensor) return [given];
  if (Array.isArray(given)) return given;
  throw new TypeError(`grad: ${name} must be a tensor or a list of tensors, but got ${showArgument(given)}`);
}

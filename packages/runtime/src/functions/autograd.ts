/** What users import as `autograd`. Source: torch.autograd on pytorch.org/docs/stable. */
import { type DType, showArgument } from "@fuseau/ir";
import { computeAllOrNone } from "../alias/undo.ts";
import { withAnomalies } from "../autograd/anomaly.ts";
import { applyCustom, type CustomFunction } from "../autograd/custom.ts";
import { gradientsFor } from "../autograd/from.ts";
import { checkGradients } from "../autograd/gradcheck.ts";
import { borrowedGradient } from "../autograd/leaf.ts";
import { open } from "../autograd/open.ts";
import { leavesOf } from "../autograd/tree.ts";
import { declareFunction } from "../declare/declaration.ts";
import { asUser, callGiven, operation } from "../entry/operation.ts";
import { trimmed } from "../messages/stack.ts";
import { add, mul } from "../ops/pointwise.ts";
import { optionsOf } from "../options.ts";
import * as record from "../record.ts";
import { GradientError } from "../tape/errors.ts";
import { takePending } from "../tape/pending.ts";
import { withRecording } from "../tape/step.ts";
import { Tensor, unwrap, wrap } from "../tensor/handle.ts";
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
 * Calls `visit` with each tensor that has a gradient, and with that, in {@link noGrad}. The gradient is lent: `x.grad = null` gives its
 * memory back, unless somebody has read `x.grad`.
 */
export const visitGrads = declareFunction(
  "visitGrads(tensors, visit)",
  <T extends AnyTensor>(tensors: readonly T[], visit: (tensor: T, grad: AnyTensor) => void): void => {
    withRecording(false, () => {
      for (const tensor of tensors) {
        unwrap(tensor);
        const gradient = borrowedGradient(tensor);
        if (gradient !== null) asUser(() => visit(tensor, gradient));
      }
    });
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
    for (const tensor of tensors) unwrap(tensor);
    computeAllOrNone(tensors, takePending(), optionsOf("computeUpdate", undefined));
  },
);

function listOf(name: string, given: AnyTensor | readonly AnyTensor[]): readonly AnyTensor[] {
  if (given instanceof Tensor) return [given];
  if (Array.isArray(given)) return given;
  throw new TypeError(`grad: ${name} must be a tensor or a list of tensors, but got ${showArgument(given)}`);
}

/**
 * A function whose derivative you write: extend it with static `forward(ctx, ...args)` and `backward(ctx, ...gradients)`, and call
 * `apply(...args)`. Forward is not recorded; backward gets a gradient for each result and gives one for each argument, null for what needs
 * none. It may be differentiated again if it is made of tensor operations.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: it is PyTorch's way, and a subclass is the function
abstract class DifferentiableFunction {
  /** Calls forward, and has backward called when a gradient comes back. */
  static readonly apply: <A extends readonly unknown[], R>(this: CustomFunction<A, R>, ...args: A) => R =
    operation("apply", "...args", function (this: never, ...args: never[]): unknown {
      return applyCustom(this as CustomFunction<never[], unknown>, args);
    });
}

/** How gradients are held against differences: |a − b| ≤ atol + rtol·|b|. */
export interface GradcheckOptions {
  /** The step of the differences. Default 1e-6. */
  readonly eps?: number;
  /** Default 1e-5. */
  readonly atol?: number;
  /** Default 1e-3. */
  readonly rtol?: number;
  /** An error for gradients that differ; else false is given. Default true. */
  readonly raiseException?: boolean;
}

/**
 * True when the gradients of `fn` with respect to those inputs that require one are what central differences give. Inputs are float64.
 * @throws GradientError with the first element that differs, unless `raiseException` is false, and for inputs of another dtype.
 */
export function gradcheck(
  fn: (...inputs: AnyTensor[]) => unknown,
  inputs: AnyTensor | readonly AnyTensor[],
  options: GradcheckOptions = {},
): boolean {
  const { eps = 1e-6, atol = 1e-5, rtol = 1e-3, raiseException = true } = options;
  const differs = checkGradients(fn, [inputs].flat(), { eps, atol, rtol });
  if (differs !== null && raiseException)
    throw trimmed(new GradientError(`gradcheck: ${differs}`), gradcheck);
  return differs === null;
}

/** {@link gradcheck} of the gradients of `fn`: its second derivatives, along gradients of ones. */
export function gradgradcheck(
  fn: (...inputs: AnyTensor[]) => unknown,
  inputs: AnyTensor | readonly AnyTensor[],
  options: GradcheckOptions = {},
): boolean {
  const list = [inputs].flat();
  const places = list.flatMap((input, k) => (input.requiresGrad ? [k] : []));
  const first = (...given: AnyTensor[]): unknown =>
    withRecording(true, () => {
      const sources = open(places.map((k) => given[k] as AnyTensor)).map((source) => wrap(source));
      const own = given.map((input, k) =>
        places.includes(k) ? sources[places.indexOf(k)] : input,
      ) as AnyTensor[];
      const made = leavesOf("gradgradcheck", "what fn gives", callGiven(fn, own));
      const outputs = made.filter(({ requiresGrad }) => requiresGrad);
      // Along weights that differ, so that a gradient which is the same for all elements shows too.
      const gradOutputs = outputs.map(({ shape, dtype }) => weights(shape, dtype));
      const found = grad(outputs, sources, { gradOutputs, createGraph: true, allowUnused: true });
      return found.filter((gradient) => gradient !== null);
    });
  try {
    return gradcheck(first, list, options);
  } catch (error) {
    throw error instanceof GradientError
      ? trimmed(new GradientError(error.message.replace(/^gradcheck/, "gradgradcheck")), gradgradcheck)
      : error;
  }
}

const weights = (shape: readonly number[], dtype: DType): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  const value = record.cast(add(mul(record.iota("int64", count), 0.37), 0.5), dtype);
  return wrap(record.reshape(value, shape));
};

/**
 * Calls `fn`, in which every backward pass computes all that it passes through and looks for NaN: slow, and it says where the first one
 * comes from. Gives what `fn` gives.
 * @throws GradientError that names the op, and the line that recorded it.
 */
export function detectAnomaly<R>(fn: () => R): R {
  if (typeof fn !== "function")
    throw trimmed(
      new TypeError(`detectAnomaly: fn must be a function, but got ${showArgument(fn)}`),
      detectAnomaly,
    );
  return withAnomalies(fn);
}

export type { CustomFunction, FunctionContext } from "../autograd/custom.ts";
export { DifferentiableFunction as Function };

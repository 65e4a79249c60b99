/** The namespace `autograd`. Source: torch.autograd on pytorch.org/docs/stable. */
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
import { takeMadeBetween, watchBetweenUpdates } from "../execute/pending/made-meanwhile.ts";
import { add, mul } from "../ops/pointwise.ts";
import { optionsOf } from "../options.ts";
import * as record from "../record.ts";
import { GradientError } from "../tape/errors.ts";
import { takePending } from "../tape/pending.ts";
import { withRecording } from "../tape/step.ts";
import { Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** Options of `autograd.grad`. */
export interface GradOptions {
  /** By output: its gradient, of its shape and dtype. Null, or nothing at all, means 1 for a scalar. */
  readonly gradOutputs?: AnyTensor | readonly (AnyTensor | null)[];
  /** Keeps the graph, so that it can be run backward again. Default `createGraph`. */
  readonly retainGraph?: boolean;
  /** Makes gradients that can be differentiated themselves. Default false. */
  readonly createGraph?: boolean;
  /** If an input does not affect the outputs, its gradient is null, and no error is thrown. Default false. */
  readonly allowUnused?: boolean;
}

/** A gradient for each input, of its shape and dtype. */
export type Gradients<I, O> = I extends readonly AnyTensor[]
  ? { -readonly [K in keyof I]: OrNull<I[K], O> }
  : [OrNull<I, O>];
type OrNull<T, O> = O extends { readonly allowUnused: true } ? T | null : T;

/**
 * The gradients of the sum of `outputs` with respect to `inputs`, which may be leaves or intermediates. No `grad` is changed.
 * @throws GradientError when a list is empty, an output or input requires no gradient, an input is not used, an output is no scalar and has no gradient, or
 * the graph was freed; ShapeError for a gradient of another shape.
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
    if (roots.length === 0 || wanted.length === 0)
      throw new GradientError(
        `grad: grad requires non-empty inputs (${roots.length === 0 ? "outputs" : "inputs"} is an empty list)`,
      );
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
 * Calls `visit` with each tensor that has a gradient, and with the gradient, in {@link noGrad}. The gradient is lent: unless somebody has
 * read `x.grad`, `x.grad = null` gives its memory back.
 */
export const visitGrads = declareFunction(
  "visitGrads(tensors: list, visit: function)",
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
 * Computes what an optimizer has written, together with every value that a backward pass began at, and everything that was written in place
 * while gradients were recorded. So losses, gradients and the update are one program, and the forward pass runs once. What was made since
 * the last update and nothing has read, such as an average of parameters, is computed before: later, all parameters before it would be needed for it.
 * @throws what {@link Tensor.compute} throws; then all tensors that were written are as they were when they were last computed.
 */
export const computeUpdate = declareFunction(
  "computeUpdate(tensors: list)",
  (tensors: readonly AnyTensor[]): void => {
    for (const tensor of tensors) unwrap(tensor);
    computeAllOrNone(tensors, takePending(), takeMadeBetween(), optionsOf("computeUpdate", undefined));
    watchBetweenUpdates();
  },
);

function listOf(name: string, given: AnyTensor | readonly AnyTensor[]): readonly AnyTensor[] {
  if (given instanceof Tensor) return [given];
  if (Array.isArray(given)) return given;
  throw new TypeError(`grad: ${name} must be a tensor or a list of tensors, but got ${showArgument(given)}`);
}

/**
 * A function whose derivative you write. Extend it with static `forward(ctx, ...args)` and `backward(ctx, ...gradients)`, and call
 * `apply(...args)`. Forward is not recorded. Backward gets a gradient for each result and returns one for each argument, null for those
 * that need none. If it is made of tensor operations, it can be differentiated again.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: it is PyTorch's way, and a subclass is the function
abstract class DifferentiableFunction {
  /** Calls forward, and arranges that backward is called when a gradient arrives. */
  static readonly apply: <A extends readonly unknown[], R>(this: CustomFunction<A, R>, ...args: A) => R =
    operation("apply", "...args", function (this: never, ...args: never[]): unknown {
      return applyCustom(this as CustomFunction<never[], unknown>, args);
    });
}

/** Options of the comparison of gradients with differences: |a − b| ≤ atol + rtol·|b|. */
export interface GradcheckOptions {
  /** The step of the differences. Default 1e-6. */
  readonly eps?: number;
  /** Default 1e-5. */
  readonly atol?: number;
  /** Default 1e-3. */
  readonly rtol?: number;
  /** Throws an error if gradients differ; otherwise false is returned. Default true. */
  readonly raiseException?: boolean;
}

/**
 * True if the gradients of `fn` with respect to the inputs that require one agree with central differences. Inputs are float64.
 * @throws GradientError with the first element that differs, unless `raiseException` is false; also for inputs of another dtype.
 */
export const gradcheck = declareFunction(
  "gradcheck(fn: function, inputs: tensors, { eps, atol, rtol, raiseException })",
  (
    fn: (...inputs: AnyTensor[]) => unknown,
    inputs: AnyTensor | readonly AnyTensor[],
    options: GradcheckOptions = {},
  ): boolean => {
    const { eps = 1e-6, atol = 1e-5, rtol = 1e-3, raiseException = true } = options;
    const differs = checkGradients(fn, [inputs].flat(), { eps, atol, rtol });
    if (differs !== null && raiseException) throw new GradientError(differs);
    return differs === null;
  },
);

/** {@link gradcheck} of the gradients of `fn`: checks its second derivatives, along weights that differ. */
export const gradgradcheck = declareFunction(
  "gradgradcheck(fn: function, inputs: tensors, { eps, atol, rtol, raiseException })",
  (
    fn: (...inputs: AnyTensor[]) => unknown,
    inputs: AnyTensor | readonly AnyTensor[],
    options: GradcheckOptions = {},
  ): boolean => {
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
        if (outputs.length === 0 || sources.length === 0) return [];
        // The weights differ, so that a wrong gradient shows even if it is the same for all elements.
        const gradOutputs = outputs.map(({ shape, dtype }) => weights(shape, dtype));
        const found = grad(outputs, sources, { gradOutputs, createGraph: true, allowUnused: true });
        return found.filter((gradient) => gradient !== null);
      });
    return gradcheck(first, list, options);
  },
);

const weights = (shape: readonly number[], dtype: DType): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  const value = record.cast(add(mul(record.iota("int64", count), 0.37), 0.5), dtype);
  return wrap(record.reshape(value, shape));
};

/**
 * Calls `fn`. Every backward pass in it computes all its gradients and looks for NaN, which is slow, and says where the first one comes
 * from. Returns what `fn` returns.
 * @throws GradientError that names the op, and the line that recorded it.
 */
export const detectAnomaly = declareFunction(
  "detectAnomaly(fn: function)",
  <R>(fn: () => R): R => withAnomalies(() => callGiven(fn, [])),
);

export type { CustomFunction, FunctionContext } from "../autograd/custom.ts";
export { DifferentiableFunction as Function };

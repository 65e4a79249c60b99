/** Which tensors of a module it learns, and which it keeps besides: marks on plain tensors. */
import { declareFunction } from "../declare/declaration.ts";
import { type AnyTensor, compute, GradientError, Tensor } from "../js.ts";
import { markKept } from "../tape/pending.ts";

/** The dtypes that a gradient flows through. */
export type FloatDType = "float16" | "float32" | "float64";

/** A tensor that a module learns: of its shape, and a float. */
export type Parameter<S extends number[] = number[]> = Tensor<S, FloatDType>;

export interface ParameterOptions {
  /** Whether gradients are added up in it; true. A frozen one (false) is a parameter all the same. */
  readonly requiresGrad?: boolean;
}

export interface BufferOptions {
  /** Whether it is in the state dict; true. */
  readonly persistent?: boolean;
}

const parameters = new WeakSet<AnyTensor>();
/** With whether they are in the state dict. */
const buffers = new WeakMap<AnyTensor, boolean>();

/**
 * Marks a tensor as one that a module learns (PyTorch: `nn.Parameter(data)`), and gives it: `this.scale = parameter(ones([8]))`.
 * @throws TypeError for what is no tensor; GradientError for an integer tensor, or one that was computed from others that require
 * gradients.
 */
export const parameter = declareFunction(
  "parameter(data: tensor, { requiresGrad })",
  <T extends AnyTensor>(data: T, { requiresGrad = true }: ParameterOptions = {}): T => {
    if (!data.isLeaf)
      throw new GradientError(
        "a parameter is a leaf, and this tensor was computed from others that require gradients (x.detach().clone() has the same elements)",
      );
    if (requiresGrad || data.requiresGrad) data.requiresGrad_(requiresGrad);
    parameters.add(data);
    return data;
  },
);

/**
 * Marks a tensor as one that a module keeps and does not learn, such as a running mean, and gives it. It is computed now: the first step
 * that writes into it is the program of all later ones then.
 * @throws TypeError for what is no tensor.
 */
export const buffer = declareFunction(
  "buffer(data: tensor, { persistent })",
  <T extends AnyTensor>(data: T, { persistent = true }: BufferOptions = {}): T => {
    compute(data);
    markKept(data);
    buffers.set(data, persistent);
    return data;
  },
);

export const isParameter = (x: unknown): x is Parameter =>
  x instanceof Tensor && parameters.has(x as AnyTensor);

export const isBuffer = (x: unknown): x is AnyTensor => x instanceof Tensor && buffers.has(x);

/** False for a buffer that is no part of the state dict. */
export const isPersistent = (x: AnyTensor): boolean => buffers.get(x) !== false;

/** The same mark on another tensor, which takes its place. */
export function markAs(old: AnyTensor, made: AnyTensor): AnyTensor {
  return isParameter(old)
    ? parameter(made, { requiresGrad: old.requiresGrad })
    : buffer(made, { persistent: isPersistent(old) });
}

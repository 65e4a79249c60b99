/** Marks tensors as parameters, which a module learns, or as buffers, which it keeps otherwise. They stay plain tensors. */
import { declareFunction } from "../declare/declaration.ts";
import { type AnyTensor, compute, GradientError, Tensor } from "../js.ts";
import { markKept } from "../tape/pending.ts";

/** The dtypes that a gradient flows through. */
export type FloatDType = "float16" | "float32" | "float64";

/** The type of a tensor that a module learns: the same shape, and a floating dtype. */
export type Parameter<S extends number[] = number[]> = Tensor<S, FloatDType>;

export interface ParameterOptions {
  /** Records gradients with respect to it. Default true. If false it is frozen, and still a parameter. */
  readonly requiresGrad?: boolean;
}

export interface BufferOptions {
  /** Puts it into the state dict. Default true. */
  readonly persistent?: boolean;
}

const parameters = new WeakSet<AnyTensor>();
/** The marked buffers, and whether they are in the state dict. */
const buffers = new WeakMap<AnyTensor, boolean>();

/**
 * Marks a tensor as one that a module learns (PyTorch: `nn.Parameter(data)`), and returns it: `this.scale = parameter(ones([8]))`.
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
 * Marks a tensor as one that a module keeps and does not learn, such as a running mean, and returns it. It is computed now, so that the
 * first step that writes to it has the same program as all later ones.
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

/** The same for a tensor that is computed when it is needed. */
export function markedBuffer(data: AnyTensor): AnyTensor {
  buffers.set(data, true);
  return data;
}

export const isParameter = (x: unknown): x is Parameter =>
  x instanceof Tensor && parameters.has(x as AnyTensor);

export const isBuffer = (x: unknown): x is AnyTensor => x instanceof Tensor && buffers.has(x);

/** False for a buffer that is not in the state dict. */
export const isPersistent = (x: AnyTensor): boolean => buffers.get(x) !== false;

/** Puts the same mark on another tensor, which replaces it. */
export function markAs(old: AnyTensor, made: AnyTensor): AnyTensor {
  return isParameter(old)
    ? parameter(made, { requiresGrad: old.requiresGrad })
    : buffer(made, { persistent: isPersistent(old) });
}

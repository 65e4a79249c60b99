/** Works on all gradients or parameters at once. PyTorch's torch.nn.utils. */
import { declareFunction } from "../declare/declaration.ts";
import { checkKind } from "../entry/kinds.ts";
import { type AnyTensor, autograd, cat, noGrad, ShapeError, stack, Tensor, zeros } from "../js.ts";

export { updateBn } from "./averaged.ts";
export {
  removeSpectralNorm,
  removeWeightNorm,
  type SpectralNormOptions,
  spectralNorm,
  type WeightNormOptions,
  weightNorm,
} from "./reparametrise.ts";
export { type PadSequenceOptions, padSequence, unpadSequence } from "./sequences.ts";

export interface ClipNormOptions {
  /** Which norm; Infinity takes the largest element of any gradient. Default 2. */
  readonly normType?: number;
  /** Throws when the norm is NaN or infinite; then it is computed at the call. Default false. */
  readonly errorIfNonfinite?: boolean;
}

/**
 * Tensors from a list, or a single one.
 * @throws TypeError for what is no tensor.
 */
function listOf(parameters: AnyTensor | Iterable<AnyTensor>): readonly AnyTensor[] {
  const all: readonly AnyTensor[] = parameters instanceof Tensor ? [parameters] : [...parameters];
  for (const [k, item] of all.entries()) checkKind("parameters", `parameters[${k}]`, item, "tensor");
  return all;
}

type Norm = Tensor<[], "float32" | "float64" | "float16">;

/**
 * Scales all gradients down, in place, so that the norm of all of them together is at most `maxNorm`. Returns the norm before that. Nothing
 * is computed: it becomes part of the optimizer's step.
 * @throws RangeError with `errorIfNonfinite`.
 */
export const clipGradNorm_ = declareFunction(
  "clipGradNorm_(parameters: iterable, maxNorm: number, { normType, errorIfNonfinite })",
  (
    parameters: AnyTensor | Iterable<AnyTensor>,
    maxNorm: number,
    { normType = 2, errorIfNonfinite = false }: ClipNormOptions = {},
  ): Norm => {
    const all = listOf(parameters);
    const norms: AnyTensor[] = [];
    autograd.visitGrads(all, (_, grad) => norms.push(grad.norm(normType)));
    if (norms.length === 0) return noGrad(() => zeros([]));
    const total = noGrad(() => stack(norms).norm(normType)) as AnyTensor as Norm;
    if (errorIfNonfinite && !Number.isFinite(Number(total.item())))
      throw new RangeError(
        "The total norm for gradients from `parameters` is non-finite, so it cannot be clipped",
      );
    const share = noGrad(() => total.add(1e-6).reciprocal().mul(maxNorm).clamp(null, 1));
    autograd.visitGrads(all, (_, grad) => (grad as Norm).mul_(share));
    return total;
  },
);

/** Clamps every element of every gradient to ±clipValue, in place. */
export const clipGradValue_ = declareFunction(
  "clipGradValue_(parameters: iterable, clipValue: number)",
  (parameters: AnyTensor | Iterable<AnyTensor>, clipValue: number): void => {
    autograd.visitGrads(listOf(parameters), (_, grad) => grad.clamp_(-clipValue, clipValue));
  },
);

/** All parameters as one list, through which derivatives flow. */
export const parametersToVector = declareFunction(
  "parametersToVector(parameters: iterable)",
  (parameters: AnyTensor | Iterable<AnyTensor>): AnyTensor =>
    cat(
      listOf(parameters).map((item) => item.reshape([-1])),
      0,
    ),
);

/**
 * Writes a list over all parameters, in place.
 * @throws ShapeError unless it has as many elements.
 */
export const vectorToParameters = declareFunction(
  "vectorToParameters(vector: tensor, parameters: iterable)",
  (vector: AnyTensor, parameters: AnyTensor | Iterable<AnyTensor>): void => {
    const all = listOf(parameters);
    const count = all.reduce((sum, item) => sum + item.numel(), 0);
    if (vector.numel() !== count)
      throw new ShapeError(`the vector has ${vector.numel()} elements, and the parameters have ${count}`);
    noGrad(() => {
      let begin = 0;
      for (const item of all) {
        item.copy_(vector.slice([begin, begin + item.numel()]).reshape([...item.shape]));
        begin += item.numel();
      }
    });
  },
);

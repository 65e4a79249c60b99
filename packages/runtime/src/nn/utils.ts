/** Gradients and parameters all at once. PyTorch's torch.nn.utils. */
import { showArgument } from "@fuseau/ir";
import { type AnyTensor, autograd, cat, noGrad, ShapeError, stack, type Tensor, zeros } from "../js.ts";
import { trimmed } from "../messages/stack.ts";

export interface ClipNormOptions {
  /** Of which norm, 2; Infinity is the largest part of any gradient. */
  readonly normType?: number;
  /** Throws when the norm is NaN or infinite; it is computed at the call then. Default false. */
  readonly errorIfNonfinite?: boolean;
}

/**
 * Scales all gradients down, in place, so that the norm of all of them together is at most `maxNorm`; gives the norm as it was.
 * Nothing is computed: it is part of the optimizer's step. @throws RangeError with `errorIfNonfinite`.
 */
export function clipGradNorm_(
  parameters: Iterable<AnyTensor>,
  maxNorm: number,
  { normType = 2, errorIfNonfinite = false }: ClipNormOptions = {},
): Tensor<[], "float32" | "float64" | "float16"> {
  if (typeof maxNorm !== "number")
    throw trimmed(
      new TypeError(`clipGradNorm_: maxNorm must be a number, but got ${showArgument(maxNorm)}`),
      clipGradNorm_,
    );
  const all = [...parameters];
  const norms: AnyTensor[] = [];
  autograd.visitGrads(all, (_, grad) => norms.push(grad.norm(normType)));
  type Norm = Tensor<[], "float32" | "float64" | "float16">;
  if (norms.length === 0) return noGrad(() => zeros([]));
  const total = noGrad(() => stack(norms).norm(normType)) as AnyTensor as Norm;
  if (errorIfNonfinite && !Number.isFinite(Number(total.item())))
    throw new RangeError(
      "clipGradNorm_: The total norm for gradients from `parameters` is non-finite, so it cannot be clipped",
    );
  const share = noGrad(() => total.add(1e-6).reciprocal().mul(maxNorm).clamp(null, 1));
  autograd.visitGrads(all, (_, grad) => (grad as Norm).mul_(share));
  return total;
}

/** Keeps every part of every gradient within ±clipValue, in place. */
export function clipGradValue_(parameters: Iterable<AnyTensor>, clipValue: number): void {
  autograd.visitGrads([...parameters], (_, grad) => grad.clamp_(-clipValue, clipValue));
}

/** All parameters as one list, which is differentiated through. */
export function parametersToVector(parameters: Iterable<AnyTensor>): AnyTensor {
  return cat(
    [...parameters].map((item) => item.reshape([-1])),
    0,
  );
}

/** Writes a list over all parameters, in place. @throws ShapeError when it has not as many elements. */
export function vectorToParameters(vector: AnyTensor, parameters: Iterable<AnyTensor>): void {
  const all = [...parameters];
  const count = all.reduce((sum, item) => sum + item.numel(), 0);
  if (vector.numel() !== count)
    throw new ShapeError(
      `vectorToParameters: the vector has ${vector.numel()} elements, and the parameters have ${count}`,
    );
  noGrad(() => {
    let begin = 0;
    for (const item of all) {
      item.copy_(vector.slice([begin, begin + item.numel()]).reshape([...item.shape]));
      begin += item.numel();
    }
  });
}

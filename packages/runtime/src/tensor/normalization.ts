import type { CheckAxes, DType, MeanDType } from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import * as ops from "../ops/normalization.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Same } from "./types.ts";

/** The elements are cast to `dtype` first. */
export interface DTypeOptions<D extends DType = DType> {
  readonly dtype?: D;
}

/** What layer norm scales and shifts by, and what keeps its divisor from zero (1e-5). */
export interface LayerNormOptions {
  readonly weight?: AnyTensor | null;
  readonly bias?: AnyTensor | null;
  readonly eps?: number;
}

/**
 * Elements scaled by what an axis holds. Each is the function of that name in torch.nn.functional, and takes floats.
 * @throws DTypeError for integers and bools, unless a floating dtype is asked for; RangeError for an axis that does not exist.
 */
export interface NormalizationMethods {
  /** exp(x) / Σ exp(x) along an axis, without overflow. */
  softmax<T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  /** The logarithm of {@link softmax}, without overflow. */
  logSoftmax<T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  /** {@link softmax} of −x. */
  softmin<T extends AnyTensor, const A extends number, D extends DType = MeanDType<T["dtype"]>>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  /**
   * (x − mean) / √(variance + eps) over the last axes, whose sizes are `normalizedShape`, times `weight`, plus `bias`.
   * @throws ShapeError when the sizes are not those, or weight or bias have another shape.
   */
  layerNorm<T extends AnyTensor>(
    this: T,
    normalizedShape: readonly number[],
    options?: LayerNormOptions,
  ): Same<T>;
}

const asked = (op: string, options: DTypeOptions | undefined): DType | null =>
  options?.dtype === undefined ? null : checkDType(op, options.dtype);

export const normalizationMethods: Erased<NormalizationMethods> = {
  softmax(dim, options) {
    return wrap(ops.softmax("softmax", unwrap(this), dim, asked("softmax", options)));
  },
  logSoftmax(dim, options) {
    return wrap(ops.logSoftmax(unwrap(this), dim, asked("logSoftmax", options)));
  },
  softmin(dim, options) {
    return wrap(ops.softmin(unwrap(this), dim, asked("softmin", options)));
  },
  layerNorm(normalizedShape, options = {}) {
    const weight = options.weight == null ? null : tensorArgument("layerNorm", "weight", options.weight);
    const bias = options.bias == null ? null : tensorArgument("layerNorm", "bias", options.bias);
    return wrap(ops.layerNorm(unwrap(this), normalizedShape, weight, bias, options.eps ?? 1e-5));
  },
};

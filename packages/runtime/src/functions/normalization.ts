/**
 * Normalisation along an axis. Each is the function of that name in torch.nn.functional, and takes floats.
 * @throws DTypeError for integers and bools, unless a floating dtype is given; RangeError for an axis that does not exist.
 */
import { along } from "../declare/along.ts";
import { declare } from "../declare/declaration.ts";
import * as distances from "../ops/distance.ts";
import * as ops from "../ops/normalization.ts";
import { onlyFloat, wide } from "../ops/operand.ts";
import { add, map, mul, neg, sub } from "../ops/pointwise.ts";
import { varianceAndMean } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** exp(x) / Σ exp(x) along an axis, without overflow. */
export const softmax = along("mean", "softmax(dim, { dtype })", (x, dim, dtype) =>
  ops.softmax("softmax", x, dim, dtype),
);

/** The logarithm of {@link softmax}, without overflow. */
export const logSoftmax = along("mean", "logSoftmax(dim, { dtype })", ops.logSoftmax);

/** {@link softmax} of −x. */
export const softmin = along("mean", "softmin(dim, { dtype })", (x, dim, dtype) =>
  ops.softmax("softmin", neg(x), dim, dtype),
);

/** The scale and the shift of layer norm; and `eps`, which is added to the variance (1e-5). */
export interface LayerNormOptions {
  readonly weight?: AnyTensor | null;
  readonly bias?: AnyTensor | null;
  readonly eps?: number;
}

/**
 * (x − mean) / √(variance + eps) · weight + bias, over the last axes, whose sizes are `normalizedShape`.
 * @throws ShapeError when the sizes are not those, or weight or bias have another shape.
 */
export const layerNorm = declare(
  "layerNorm(normalizedShape, { weight, bias, eps })",
  <T extends AnyTensor>(
    input: T,
    normalizedShape: readonly number[],
    options?: LayerNormOptions,
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(input);
    const weight = optionalTensor(options?.weight);
    const bias = optionalTensor(options?.bias);
    const axes = ops.checkNormalized(x, normalizedShape, { weight, bias });
    const values = wide(onlyFloat(x));
    const [variance, mean] = varianceAndMean(values, axes, 0, true);
    const unit = mul(sub(values, mean), map("rsqrt", add(variance, options?.eps ?? 1e-5)));
    const scaled = weight === null ? unit : mul(unit, weight);
    return wrap(record.cast(bias === null ? scaled : add(scaled, bias), x.node.dtype));
  },
);

/** Every slice along `dim` scaled down to a p-norm of at most `maxnorm`. */
export const renorm = declare(
  "renorm(p, dim, maxnorm)",
  <T extends AnyTensor>(input: T, p: number, dim: number, maxnorm: number): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(distances.renorm(unwrap(input), p, dim, maxnorm)),
  true,
);

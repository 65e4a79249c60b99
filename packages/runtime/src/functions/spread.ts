/**
 * Standard deviations, and variances with their means, along axes or of all elements. The divisor is the count less `correction`
 * (1); `unbiased: false` is `correction: 0`. Each is PyTorch's op of the same name.
 * @throws DTypeError for integers and bools.
 */
import type { Axes, CheckAxes, MeanDType, Reduce } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { type FoldOptions, reduction } from "../declare/reductions.ts";
import * as ops from "../ops/reduction.ts";
import { type ShapeKey, type Tensor, unwrap, wrapEach } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The standard deviation. @throws DTypeError for integers and bools. */
export const std = reduction(
  "mean",
  "std(dim, { keepdim, correction, unbiased })",
  (x, dim, keepdim, options: ops.CorrectionOptions | undefined) =>
    ops.root(ops.variance(x, dim, keepdim, options)),
);

/** [variance, mean]. @throws DTypeError for integers and bools. */
export const varMean = declare(
  "varMean(dim, { keepdim, correction, unbiased })",
  <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K> & ops.CorrectionOptions,
  ): [
    variance: Tensor<Reduce<T[ShapeKey], A, K>, MeanDType<T["dtype"]>>,
    mean: Tensor<Reduce<T[ShapeKey], A, K>, MeanDType<T["dtype"]>>,
  ] => wrapEach(withMean(input, dim, options)),
);

/** [standard deviation, mean]. @throws DTypeError for integers and bools. */
export const stdMean = declare(
  "stdMean(dim, { keepdim, correction, unbiased })",
  <T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K> & ops.CorrectionOptions,
  ): [
    deviation: Tensor<Reduce<T[ShapeKey], A, K>, MeanDType<T["dtype"]>>,
    mean: Tensor<Reduce<T[ShapeKey], A, K>, MeanDType<T["dtype"]>>,
  ] => {
    const [squared, mean] = withMean(input, dim, options);
    return wrapEach([ops.root(squared), mean]);
  },
);

const withMean = (
  input: AnyTensor,
  dim: unknown,
  options: (FoldOptions & ops.CorrectionOptions) | undefined,
) => {
  const x = unwrap(input);
  return ops.varianceAndMean(x, (dim ?? null) as Axes, ops.correctionOf(options), options?.keepdim ?? false);
};

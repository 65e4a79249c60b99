/**
 * Reductions over axes: one, several, or all if `dim` is left out, `null` or an empty list. `{ keepdim: true }` keeps them with size 1. The
 * divisor of variances and standard deviations is the count less `correction` (1); `unbiased: false` means `correction: 0`. Each is
 * PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist, ShapeError for one given twice, DTypeError for dtypes that PyTorch refuses.
 */
import {
  type Axes,
  type CheckAxes,
  type DType,
  type FloatResult,
  type MeanDType,
  type Reduce,
  ShapeError,
  type SumDType,
  showArgument,
} from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import {
  askedDType,
  castReduction,
  type FoldOptions,
  reduction,
  type SumOptions,
} from "../declare/reductions.ts";
import { spectralNorm } from "../matrices/spectral.ts";
import * as distances from "../ops/distance.ts";
import { asked, roundedOnce, wide } from "../ops/operand.ts";
import { maximum, minimum } from "../ops/pointwise.ts";
import * as ops from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type ShapeKey, Tensor, unwrap, wrap, wrapAs, wrapEach } from "../tensor/handle.ts";
import type { AnyTensor, Fits, PairDType, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The sum; int64 for integers and bools, 0 for no elements. */
export const sum = castReduction("sum", "sum(dim, { keepdim, dtype })", ops.sum);

/** The product; int64 for integers and bools, 1 for no elements. */
export const prod = castReduction("sum", "prod(dim, { keepdim, dtype })", ops.prod);

/**
 * The mean; NaN for no elements.
 * @throws DTypeError for integers and bools, unless a floating dtype is given.
 */
export const mean = castReduction("mean", "mean(dim, { keepdim, dtype })", ops.mean);

/** The dtype of x summed to the sizes R: its own if nothing is summed. */
type SummedDType<T extends AnyTensor, R extends readonly number[]> = R extends readonly []
  ? SumDType<T["dtype"]>
  : number extends T[ShapeKey]["length"] | T[ShapeKey][number] | R["length"] | R[number]
    ? T["dtype"] | SumDType<T["dtype"]>
    : [T[ShapeKey], [...R]] extends [[...R], T[ShapeKey]]
      ? T["dtype"]
      : SumDType<T["dtype"]>;

/**
 * x summed over the axes along which `sizes` would broadcast to x's shape. It is x itself if the sizes are x's; otherwise integers and
 * bools give int64.
 * @throws ShapeError if they do not broadcast.
 */
export const sumToSize = declare(
  "sumToSize(sizes)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    sizes: R,
  ): Tensor<[...R], SummedDType<T, R>> => wrap(ops.sumToSize(unwrap(input), sizes)),
);

/** The extremes along an axis, and the first position of each. */
export interface Extremes<S extends number[], D extends DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, "int64">;
}

type CheckExtreme<T extends AnyTensor, A> = A extends AnyTensor ? Fits<T, A> : CheckAxes<T[ShapeKey], A>;

type ExtremeResult<T extends AnyTensor, A, K> = A extends number
  ? Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]>
  : A extends AnyTensor
    ? Tensor<PairShape<T, A>, PairDType<T, A>>
    : Tensor<[], T["dtype"]>;

/** `max` and `min` have three meanings in PyTorch: of all elements, along an axis, and of two tensors. */
function extreme<R>(op: "max" | "min", input: AnyTensor, by: unknown, options: FoldOptions | undefined): R {
  const x = unwrap(input);
  const keepdim = options?.keepdim ?? false;
  if (keepdim && typeof by !== "number")
    throw new TypeError(
      `keepdim is for the axis dim, and there is none (a${op}(null, { keepdim: true }) keeps all axes)`,
    );
  if (by instanceof Tensor) return wrapAs((op === "max" ? maximum : minimum)(x, unwrap(by)));
  if (by == null) return wrapAs(ops.extreme(op, op, x, null, false));
  return wrapAs(ops.extremeAndPosition(op, x, by as number, keepdim));
}

/**
 * The largest element; along one axis `{ values, indices }`; with a tensor, the larger elements of the two, as in PyTorch. NaN if there is
 * one. Of equal elements the first is taken.
 * @throws ShapeError or RangeError for no elements.
 */
export const max = declare(
  "max(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null | AnyTensor = null, const K extends boolean = false>(
    input: T,
    dim?: CheckExtreme<T, A>,
    options?: FoldOptions<K>,
  ): ExtremeResult<T, A, K> => extreme("max", input, dim, options),
);

/** The smallest element; see {@link max}. */
export const min: typeof max = declare("min(dim, { keepdim })", (input, dim, options) =>
  extreme("min", input, dim, options),
);

/**
 * The largest element along any axes; NaN if there is one.
 * @throws RangeError or ShapeError for no elements.
 */
export const amax = reduction("same", "amax(dim, { keepdim })", (x, dim, keepdim) =>
  ops.extreme("amax", "max", x, dim, keepdim),
);

/**
 * The smallest element along any axes; NaN if there is one.
 * @throws RangeError or ShapeError for no elements.
 */
export const amin = reduction("same", "amin(dim, { keepdim })", (x, dim, keepdim) =>
  ops.extreme("amin", "min", x, dim, keepdim),
);

/** The first position of the largest element along one axis, or in row-major order among all elements. NaN counts as the largest. */
export const argmax = reduction("int64", "argmax(dim, { keepdim })", (x, dim: number | null, keepdim) =>
  ops.position("argmax", x, dim, keepdim),
);

/** The first position of the smallest element along one axis, or in row-major order among all elements. NaN counts as the smallest. */
export const argmin = reduction("int64", "argmin(dim, { keepdim })", (x, dim: number | null, keepdim) =>
  ops.position("argmin", x, dim, keepdim),
);

/** True if any element is nonzero: bool, but uint8 for uint8. */
export const any = reduction("truth", "any(dim, { keepdim })", (x, dim, keepdim) =>
  ops.truth("any", x, dim, keepdim),
);

/** True if all elements are nonzero: bool, but uint8 for uint8. True for no elements. */
export const all = reduction("truth", "all(dim, { keepdim })", (x, dim, keepdim) =>
  ops.truth("all", x, dim, keepdim),
);

/**
 * The p-norm (Σ|x|^p)^(1/p), of which `"fro"` is that for 2, the default. ±Infinity gives the largest or smallest absolute value, 0 counts
 * nonzeros, and `"nuc"` sums the singular values of matrices. That of no elements is 0 (`linalg.vectorNorm` refuses those that have none).
 */
export const norm = declare(
  "norm(p, dim, { keepdim, dtype })",
  <
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = MeanDType<T["dtype"]>,
  >(
    input: T,
    p: number | "fro" | "nuc" = 2,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ): Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>> => {
    const x = unwrap(input);
    const exponent = p === "fro" ? 2 : p;
    if (exponent === "nuc") {
      const { shape } = x.node;
      if ((dim ?? null) === null && shape.length !== 2)
        throw new ShapeError(
          `Expected a tensor with 2 dimensions, but got a tensor with ${shape.length} dimensions instead.`,
        );
      const values = asked(x, askedDType(options));
      const axes = (dim ?? [0, 1]) as readonly number[];
      return wrap(spectralNorm(values, exponent, axes, options?.keepdim ?? false));
    }
    if (typeof exponent !== "number")
      throw new TypeError(`p is a number, "fro" or "nuc", but got ${showArgument(p)}`);
    // Of no elements each is the sum of their absolute values.
    const order = x.node.shape.includes(0) ? 1 : exponent;
    return wrap(ops.norm(x, order, (dim ?? null) as Axes, options?.keepdim ?? false, askedDType(options)));
  },
);

/**
 * The p-norm (2) of x − other, over all elements; 0 if there are none.
 * @throws DTypeError unless one of the two is a float.
 */
export const dist = declare(
  "dist(other, p)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: B,
    p: number = 2,
  ): Tensor<[], FloatResult<PairDType<T, B>>> => wrap(distances.dist(unwrap(input), unwrap(other), p)),
);

/** log Σ exp(x) without overflow, as float. */
export const logsumexp = declare(
  "logsumexp(dim, { keepdim })",
  <T extends AnyTensor, const A extends Axes, const K extends boolean = false>(
    input: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Tensor<Reduce<T[ShapeKey], A, K>, FloatResult<T["dtype"]>> =>
    wrap(ops.logsumexp(unwrap(input), (dim ?? null) as Axes, options?.keepdim ?? false)),
);

/** The standard deviation. @throws DTypeError for integers and bools. */
export const std = reduction(
  "mean",
  "std(dim, { keepdim, correction, unbiased })",
  (x, dim, keepdim, options: ops.CorrectionOptions | undefined) =>
    roundedOnce(x, (own) => ops.root(ops.variance(own, dim, keepdim, options))),
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
  ] => {
    const { correction, axes, keepdim } = ofMean(dim, options);
    return wrapEach(ops.varianceAndMean(unwrap(input), axes, correction, keepdim));
  },
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
    const x = unwrap(input);
    const { correction, axes, keepdim } = ofMean(dim, options);
    const [squared, mean] = ops.varianceAndMean(wide(x), axes, correction, keepdim);
    const narrow = (value: Value): Value => record.cast(value, x.node.dtype);
    return wrapEach([narrow(ops.root(squared)), narrow(mean)]);
  },
);

const ofMean = (dim: unknown, options: (FoldOptions & ops.CorrectionOptions) | undefined) => ({
  correction: ops.correctionOf(options),
  axes: (dim ?? null) as Axes,
  keepdim: options?.keepdim ?? false,
});

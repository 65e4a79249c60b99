/**
 * Statistics beyond the plain folds; `dim` and `keepdim` are as in those. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist, DTypeError for dtypes that PyTorch refuses.
 */
import type { CheckAxes, DType, FloatResult, Reduce } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { castReduction, type FoldOptions } from "../declare/reductions.ts";
import { type Interpolation, quantile as quantileOf } from "../ops/quantile.ts";
import * as ops from "../ops/statistics.ts";
import { type ShapeKey, Tensor, unwrap, wrap, wrapEach } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The sum, NaNs counting as 0. */
export const nansum = castReduction("sum", "nansum(dim, { keepdim, dtype })", ops.nansum);

/** The mean of what is not NaN; of nothing NaN. */
export const nanmean = castReduction("mean", "nanmean(dim, { keepdim, dtype })", ops.nanmean);

/** S less axis A; a 0-d tensor has one place along an axis that is named. */
type ReducedAlong<S extends number[], A, K> = [S, A, K] extends [[], number, true] ? [1] : Reduce<S, A, K>;

/** The two extremes. */
export interface MinMax<S extends number[], D extends DType> {
  readonly min: Tensor<S, D>;
  readonly max: Tensor<S, D>;
}

/** The smallest and the largest element of all, or along one axis; a 0-d tensor with `keepdim` gives [1] along it. NaN wins. */
export const aminmax = declare(
  "aminmax(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): MinMax<ReducedAlong<T[ShapeKey], A, K>, T["dtype"]> => {
    const x = unwrap(input);
    const [min, max] = ops.aminmax(x, (dim ?? null) as number | null, options?.keepdim ?? false);
    return wrapEach({ min, max });
  },
);

/** How to answer when a quantile lies between two elements: `"linear"` unless told. */
export interface QuantileOptions<K extends boolean = boolean> extends FoldOptions<K> {
  readonly interpolation?: Interpolation;
}

/** One quantile, a list of them, or a tensor with at most one axis. */
export type Quantiles = number | readonly number[] | AnyTensor;

/** The axis of the quantiles, if they have one, and the axes that are left. */
type QuantileShape<S extends number[], Q, A, K> =
  Reduce<S, A, K> extends infer Left extends number[]
    ? Q extends number
      ? Left
      : [...QuantileAxis<Q>, ...Left]
    : never;

type QuantileAxis<Q> = Q extends AnyTensor ? Q[ShapeKey] : Q extends readonly number[] ? [Q["length"]] : [];

function quantiles(
  op: "quantile" | "nanquantile",
  input: AnyTensor,
  q: Quantiles,
  dim: unknown,
  options: QuantileOptions | undefined,
): Value {
  const at = q instanceof Tensor ? unwrap(q) : q;
  const { keepdim = false, interpolation = "linear" } = options ?? {};
  const x = unwrap(input);
  return quantileOf(op, x, at, (dim ?? null) as number | null, { keepdim, interpolation });
}

/**
 * The quantiles `q`, each in [0, 1], of all elements or along an axis; with an axis of their own in front when there are
 * several. NaN when there is one. A tensor of quantiles is computed at the call.
 */
export const quantile = declare(
  "quantile(q, dim, { keepdim, interpolation })",
  <
    T extends AnyTensor,
    const Q extends Quantiles,
    const A extends number | null = null,
    const K extends boolean = false,
  >(
    input: T,
    q: Q,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: QuantileOptions<K>,
  ): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]> =>
    wrap(quantiles("quantile", input, q, dim, options)),
);

/** {@link quantile} of what is not NaN. */
export const nanquantile = declare(
  "nanquantile(q, dim, { keepdim, interpolation })",
  <
    T extends AnyTensor,
    const Q extends Quantiles,
    const A extends number | null = null,
    const K extends boolean = false,
  >(
    input: T,
    q: Q,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: QuantileOptions<K>,
  ): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]> =>
    wrap(quantiles("nanquantile", input, q, dim, options)),
);

/** The divisor is the weight of the observations less `correction` (1). */
export interface CovarianceOptions {
  readonly correction?: number;
  /** How often each observation occurs: integers. */
  readonly fweights?: AnyTensor | null;
  /** How much each observation counts: floats. */
  readonly aweights?: AnyTensor | null;
}

/** Rows by rows; 0-d for one row. */
type SquareShape<S extends number[]> = S extends [] | [number]
  ? []
  : S extends [infer Rows extends number, number]
    ? Rows extends 1
      ? []
      : number extends Rows
        ? number[]
        : [Rows, Rows]
    : number[];

/**
 * The covariances of the rows, whose columns are observations; of one row its variance. Weights are computed at the call.
 * @throws ShapeError for more than two axes, or weights that do not fit; RangeError for negative ones.
 */
export const cov = declare(
  "cov({ correction, fweights, aweights })",
  <T extends AnyTensor>(
    input: T,
    options?: CovarianceOptions,
  ): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> => {
    const { correction = 1, fweights, aweights } = options ?? {};
    return wrap(
      ops.cov(unwrap(input), correction, {
        fweights: optionalTensor(fweights),
        aweights: optionalTensor(aweights),
      }),
    );
  },
);

/** The correlations of the rows, whose columns are observations; of one row 1. */
export const corrcoef = declare(
  "corrcoef()",
  <T extends AnyTensor>(input: T): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> =>
    wrap(ops.corrcoef(unwrap(input))),
);

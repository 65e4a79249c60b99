import type { Axes, CheckAxes, DType, FloatResult, MeanDType, Reduce, SumDType } from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import { type Interpolation, quantile } from "../ops/quantile.ts";
import * as ops from "../ops/statistics.ts";
import { type ShapeKey, Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { Folded, FoldOptions, SumOptions } from "./reduction.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** How to answer when a quantile lies between two elements: `"linear"` unless told. */
export interface QuantileOptions<K extends boolean = boolean> extends FoldOptions<K> {
  readonly interpolation?: Interpolation;
}

/** The divisor is the weight of the observations less `correction` (1). */
export interface CovarianceOptions {
  readonly correction?: number;
  /** How often each observation occurs: integers. */
  readonly fweights?: AnyTensor | null;
  /** How much each observation counts: floats. */
  readonly aweights?: AnyTensor | null;
}

/** One quantile, a list of them, or a tensor with at most one axis. */
export type Quantiles = number | readonly number[] | AnyTensor;

/** The axis of the quantiles, if they have one, and the axes that are left. */
export type QuantileShape<S extends number[], Q, A, K> =
  Reduce<S, A, K> extends infer Left extends number[]
    ? Q extends number
      ? Left
      : [...QuantileAxis<Q>, ...Left]
    : never;

type QuantileAxis<Q> = Q extends AnyTensor ? Q[ShapeKey] : Q extends readonly number[] ? [Q["length"]] : [];

/** S less axis A; a 0-d tensor has one place along an axis that is named. */
export type ReducedAlong<S extends number[], A, K> = [S, A, K] extends [[], number, true]
  ? [1]
  : Reduce<S, A, K>;

/** The two extremes. */
export interface MinMax<S extends number[], D extends DType> {
  readonly min: Tensor<S, D>;
  readonly max: Tensor<S, D>;
}

/** Rows by rows; 0-d for one row. */
export type SquareShape<S extends number[]> = S extends [] | [number]
  ? []
  : S extends [infer Rows extends number, number]
    ? Rows extends 1
      ? []
      : number extends Rows
        ? number[]
        : [Rows, Rows]
    : number[];

/**
 * Statistics beyond the plain folds; `dim` and `keepdim` are as in those. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist, DTypeError for dtypes that PyTorch refuses.
 */
export interface StatisticsMethods {
  /** The sum, NaNs counting as 0. */
  nansum<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = SumDType<T["dtype"]>,
  >(this: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
  /** The mean of what is not NaN; of nothing NaN. */
  nanmean<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = MeanDType<T["dtype"]>,
  >(this: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
  /** The smallest and the largest element of all, or along one axis; a 0-d tensor with `keepdim` gives [1] along it. NaN wins. */
  aminmax<T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): MinMax<ReducedAlong<T[ShapeKey], A, K>, T["dtype"]>;
  /**
   * The quantiles `q`, each in [0, 1], of all elements or along an axis; with an axis of their own in front when there are
   * several. NaN when there is one. A tensor of quantiles is computed at the call.
   */
  quantile<
    T extends AnyTensor,
    const Q extends Quantiles,
    const A extends number | null = null,
    const K extends boolean = false,
  >(
    this: T,
    q: Q,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: QuantileOptions<K>,
  ): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]>;
  /** {@link quantile} of what is not NaN. */
  nanquantile<
    T extends AnyTensor,
    const Q extends Quantiles,
    const A extends number | null = null,
    const K extends boolean = false,
  >(
    this: T,
    q: Q,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: QuantileOptions<K>,
  ): Tensor<QuantileShape<T[ShapeKey], Q, A, K>, T["dtype"]>;
  /**
   * The covariances of the rows, whose columns are observations; of one row its variance. Weights are computed at the call.
   * @throws ShapeError for more than two axes, or weights that do not fit; RangeError for negative ones.
   */
  cov<T extends AnyTensor>(
    this: T,
    options?: CovarianceOptions,
  ): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>>;
  /** The correlations of the rows, whose columns are observations; of one row 1. */
  corrcoef<T extends AnyTensor>(this: T): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>>;
}

const asked = (op: string, options: SumOptions | undefined): DType | null =>
  options?.dtype === undefined ? null : checkDType(op, options.dtype);

function quantiles(
  op: "quantile" | "nanquantile",
  x: AnyTensor,
  q: Quantiles,
  dim: number | null,
  options: QuantileOptions | undefined,
): AnyTensor {
  const at = q instanceof Tensor ? unwrap(q) : q;
  const { keepdim = false, interpolation = "linear" } = options ?? {};
  return wrap(quantile(op, unwrap(x), at, dim, { keepdim, interpolation }));
}

export const statisticsMethods: Erased<StatisticsMethods> = {
  nansum(dim = null, options) {
    return wrap(ops.nansum(unwrap(this), dim, options?.keepdim ?? false, asked("nansum", options)));
  },
  nanmean(dim = null, options) {
    return wrap(ops.nanmean(unwrap(this), dim, options?.keepdim ?? false, asked("nanmean", options)));
  },
  aminmax(dim = null, options) {
    const [min, max] = ops.aminmax(unwrap(this), dim, options?.keepdim ?? false);
    return { min: wrap(min), max: wrap(max) };
  },
  quantile(q, dim = null, options) {
    return quantiles("quantile", this, q, dim, options);
  },
  nanquantile(q, dim = null, options) {
    return quantiles("nanquantile", this, q, dim, options);
  },
  cov(options = {}) {
    const { correction = 1, fweights, aweights } = options;
    return wrap(
      ops.cov(unwrap(this), correction, {
        fweights: fweights == null ? null : tensorArgument("cov", "fweights", fweights),
        aweights: aweights == null ? null : tensorArgument("cov", "aweights", aweights),
      }),
    );
  },
  corrcoef() {
    return wrap(ops.corrcoef(unwrap(this)));
  },
};

/**
 * Statistics beyond the plain reductions; `dim` and `keepdim` are as there. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist, DTypeError for dtypes that PyTorch refuses.
 */
import {
  type Axes,
  type CheckAxes,
  type DType,
  DTypeError,
  elementCount,
  type FloatResult,
  isFloat,
  isInt,
  type OptionOf,
  type Reduce,
  ShapeError,
  showShape,
} from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { castReduction, type FoldOptions } from "../declare/reductions.ts";
import { clamp } from "../ops/arithmetic.ts";
import { numbersNow } from "../ops/host.ts";
import { withAxis } from "../ops/indexing.ts";
import { withShape } from "../ops/movement.ts";
import { asked, roundedOnce, torchName, wide } from "../ops/operand.ts";
import { div, eq, mul, ne, sqrt, sub, where } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { type Interpolation, quantile as quantileOf } from "../ops/quantile.ts";
import { extreme, sum } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type ShapeKey, Tensor, unwrap, wrap, wrapEach } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, PairDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";

function nansumOf(x: Value, dims: Axes, keepdim: boolean, dtype: DType | null): Value {
  const values = asked(x, dtype);
  const counted = isFloat(values.node.dtype) ? where(ne(values, values), 0, values) : values;
  return sum(counted, dims, keepdim, dtype);
}

/** The sum; NaN counts as 0. */
export const nansum = castReduction("sum", "nansum(dim, { keepdim, dtype })", nansumOf);

/** The mean of the elements that are not NaN; NaN if there are none. */
export const nanmean = castReduction(
  "mean",
  "nanmean(dim, { keepdim, dtype })",
  (x, dims, keepdim, dtype) => {
    if (!isFloat(x.node.dtype))
      throw new DTypeError(
        `nanmean(): expected input to have floating point or complex dtype but got ${torchName[x.node.dtype]} (cast first, e.g. x.to("float32"))`,
      );
    const values = asked(x, dtype);
    const total = nansumOf(wide(values), dims, keepdim, null);
    return record.cast(div(total, sum(eq(x, x), dims, keepdim, null)), values.node.dtype);
  },
);

/** S without axis A. A 0-d tensor has one place along an axis that is given. */
type ReducedAlong<S extends number[], A, K> = [S, A, K] extends [[], number, true] ? [1] : Reduce<S, A, K>;

/** The two extremes. */
export interface MinMax<S extends number[], D extends DType> {
  readonly min: Tensor<S, D>;
  readonly max: Tensor<S, D>;
}

/** The smallest and the largest element of all, or along one axis; NaN if there is one. A 0-d tensor with `keepdim` gives [1] along it. */
export const aminmax = declare(
  "aminmax(dim, { keepdim })",
  <T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    input: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): MinMax<ReducedAlong<T[ShapeKey], A, K>, T["dtype"]> => {
    const x = unwrap(input);
    const [axis, keepdim] = [(dim ?? null) as number | null, options?.keepdim ?? false];
    if (axis === null && elementCount(x.node.shape) === 0)
      throw new ShapeError(
        `aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity. (shape ${showShape(x.node.shape)})`,
      );
    const along = axis !== null && keepdim ? withAxis(x) : x;
    const ofAll = (which: "min" | "max"): Value => extreme("aminmax", which, along, axis, keepdim);
    return wrapEach({ min: ofAll("min"), max: ofAll("max") });
  },
);

/** How to interpolate when a quantile is between two elements. Default `"linear"`. */
export interface QuantileOptions<K extends boolean = boolean> extends FoldOptions<K> {
  readonly interpolation?: Interpolation;
}

/** One quantile, a list of them, or a tensor with at most one axis. */
export type Quantiles = number | readonly number[] | AnyTensor;

/** The axis of the quantiles, if they have one, followed by the axes that are left. */
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
 * The quantiles `q`, each in [0, 1], of all elements or along an axis. Several quantiles have an axis in front. NaN if an element is NaN. A
 * tensor of quantiles is computed at the call.
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

/** {@link quantile} of the elements that are not NaN. */
export const nanquantile: typeof quantile = declare(
  "nanquantile(q, dim, { keepdim, interpolation })",
  (input, q, dim, options) => wrap(quantiles("nanquantile", input, q, dim, options)),
);

/** The divisor is the sum of the weights less `correction` (1). */
export interface CovarianceOptions {
  readonly correction?: number;
  /** How often each observation occurs: integers. */
  readonly fweights?: AnyTensor | null;
  /** How much each observation counts: floats. */
  readonly aweights?: AnyTensor | null;
}

/** [rows, rows]; 0-d for one row. */
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
 * The covariances of the rows, whose columns are observations; for one row its variance. Weights are computed at the call.
 * @throws ShapeError for more than two axes, or weights that do not fit; RangeError for negative ones.
 */
export const cov = declare(
  "cov({ correction, fweights, aweights })",
  <T extends AnyTensor, const O extends CovarianceOptions = object>(
    input: T,
    options?: O,
  ): Tensor<SquareShape<T[ShapeKey]>, FloatResult<PairDType<T, OptionOf<O, "aweights", T>>>> => {
    const { correction = 1, fweights, aweights }: CovarianceOptions = options ?? {};
    return wrap(covariance(unwrap(input), correction, optionalTensor(fweights), optionalTensor(aweights)));
  },
);

/**
 * The covariances of the rows of a matrix, whose columns are observations; for one row its variance, 0-d. Weights are read at the call,
 * since they are checked.
 */
function covariance(x: Value, correction: number, fweights: Value | null, aweights: Value | null): Value {
  const { dtype, shape } = x.node;
  if (shape.length > 2)
    throw new ShapeError(
      `cov(): expected input to have two or fewer dimensions but got an input with ${shape.length} dimensions (shape ${showShape(shape)})`,
    );
  if (dtype === "bool") throw new DTypeError("cov(): bool dtype is not supported for input");
  const rows = shape.length < 2 ? withShape(x, [1, elementCount(shape)]) : x;
  const count = rows.node.shape[1]!;
  const frequencies = fweights === null ? null : checkWeights("fweights", fweights, count);
  const amounts = aweights === null ? null : checkWeights("aweights", aweights, count);
  const weights =
    frequencies !== null && amounts !== null ? mul(frequencies, amounts) : (frequencies ?? amounts);
  const total = weights === null ? count : sum(weights, null, false, null);
  if (weights !== null && numbersNow("cov", sum(weights, null, false, null))[0] === 0)
    throw new RangeError("cov(): weights sum to zero, can't be normalized");
  const mean = div(sum(weights === null ? rows : mul(rows, weights), 1, true, null), total);
  const divisor =
    weights !== null && amounts !== null && correction !== 0
      ? sub(total, div(mul(sum(mul(weights, amounts), null, false, null), correction), total))
      : typeof total === "number"
        ? Math.max(0, total - correction)
        : sub(total, correction);
  const centered = sub(rows, mean);
  const weighted = weights === null ? centered : mul(centered, weights);
  const matched = record.cast(weighted, centered.node.dtype);
  const products = matmul(centered, record.permute(matched, [1, 0]));
  const result = div(products, typeof divisor === "number" ? divisor : clamp("cov", divisor, 0, null));
  return withShape(
    result,
    result.node.shape.filter((size) => size !== 1),
  );
}

function checkWeights(name: "fweights" | "aweights", weights: Value, count: number): Value {
  const { dtype, shape } = weights.node;
  if (shape.length > 1)
    throw new ShapeError(
      `cov(): expected ${name} to have one or fewer dimensions but got ${name} with ${shape.length} dimensions (shape ${showShape(shape)})`,
    );
  const [fits, kind] = name === "fweights" ? [isInt(dtype), "integral"] : [isFloat(dtype), "floating point"];
  if (!fits)
    throw new DTypeError(
      `cov(): expected ${name} to have ${kind} dtype but got ${name} with ${torchName[dtype]} dtype`,
    );
  if (elementCount(shape) !== count)
    throw new ShapeError(
      `cov(): expected ${name} to have the same numel as there are observations in the input but got ${elementCount(shape)} != ${count}`,
    );
  if (numbersNow("cov", weights).some((weight) => weight < 0))
    throw new RangeError(`cov(): ${name} cannot be negative`);
  return weights;
}

function correlations(x: Value): Value {
  const products = covariance(x, 1, null, null);
  if (products.node.shape.length === 0) return div(products, products);
  const deviation = sqrt(record.diagonal(products, 0, 0, 1));
  const size = deviation.node.shape[0]!;
  const scaled = div(div(products, record.reshape(deviation, [size, 1])), deviation);
  return clamp("corrcoef", scaled, -1, 1);
}

/** The correlations of the rows, whose columns are observations; 1 for one row. */
export const corrcoef = declare(
  "corrcoef()",
  <T extends AnyTensor>(input: T): Tensor<SquareShape<T[ShapeKey]>, FloatResult<T["dtype"]>> => {
    const x = unwrap(input);
    if (x.node.shape.length > 2)
      throw new ShapeError(
        `corrcoef(): expected input to have two or fewer dimensions but got an input with ${x.node.shape.length} dimensions (shape ${showShape(x.node.shape)})`,
      );
    return wrap(roundedOnce(x, correlations));
  },
);

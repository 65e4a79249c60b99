import {
  type Axes,
  type CheckAxes,
  type DType,
  type FloatResult,
  type MeanDType,
  type Reduce,
  type SumDType,
  showArgument,
  type TruthDType,
} from "@fuseau/ir";
import { checkDType } from "../ops/creation.ts";
import { maximum, minimum, sqrt } from "../ops/pointwise.ts";
import * as ops from "../ops/reduction.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Fits, Paired } from "./types.ts";

/** The extremes along an axis, and the first place of each. */
export interface Extremes<S extends number[], D extends DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, "int64">;
}

/** `keepdim` keeps the folded axes as size 1. */
export interface FoldOptions<K extends boolean = boolean> {
  readonly keepdim?: K;
}

/** The elements are cast to `dtype` before they are folded. */
export interface SumOptions<K extends boolean = boolean, D extends DType = DType> extends FoldOptions<K> {
  readonly dtype?: D;
}

/** The divisor is the count less `correction` (1); `unbiased: false` is `correction: 0`. */
export interface VarianceOptions<K extends boolean = boolean> extends FoldOptions<K> {
  readonly correction?: number;
  readonly unbiased?: boolean;
}

export type Folded<T extends AnyTensor, A, K, D extends DType> = Tensor<Reduce<T[ShapeKey], A, K>, D>;

/** The dtype of x summed to the sizes R: its own when nothing is summed. */
type SummedDType<T extends AnyTensor, R extends readonly number[]> = R extends readonly []
  ? SumDType<T["dtype"]>
  : number extends T[ShapeKey]["length"] | T[ShapeKey][number] | R["length"] | R[number]
    ? T["dtype"] | SumDType<T["dtype"]>
    : [T[ShapeKey], [...R]] extends [[...R], T[ShapeKey]]
      ? T["dtype"]
      : SumDType<T["dtype"]>;

export type ExtremeResult<T extends AnyTensor, A, K> = A extends number
  ? Extremes<Reduce<T[ShapeKey], A, K>, T["dtype"]>
  : A extends AnyTensor
    ? Paired<T, A>
    : Tensor<[], T["dtype"]>;

export type CheckExtreme<T extends AnyTensor, A> = A extends AnyTensor
  ? Fits<T, A>
  : CheckAxes<T[ShapeKey], A>;

/**
 * Axes folded away: one, several, or all when `dim` is left out, `null` or an empty list. `{ keepdim: true }` keeps them as
 * size 1. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist, ShapeError for one named twice, DTypeError for dtypes that PyTorch refuses.
 */
export interface ReductionMethods {
  /** The sum; of integers and bools as int64, of nothing 0. */
  sum<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = SumDType<T["dtype"]>,
  >(this: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
  /**
   * Summed down to `sizes`, which broadcast to x's own; x itself when they are, else integers and bools as int64.
   * @throws ShapeError when they do not.
   */
  sumToSize<T extends AnyTensor, const R extends readonly number[]>(
    this: T,
    sizes: R,
  ): Tensor<[...R], SummedDType<T, R>>;
  /** The product; of integers and bools as int64, of nothing 1. */
  prod<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = SumDType<T["dtype"]>,
  >(this: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
  /** The mean; of nothing NaN. @throws DTypeError for integers and bools, unless a floating dtype is asked for. */
  mean<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = MeanDType<T["dtype"]>,
  >(this: T, dim?: CheckAxes<T[ShapeKey], A>, options?: SumOptions<K, D>): Folded<T, A, K, NoInfer<D>>;
  /**
   * The largest element; of one axis `{ values, indices }`, and with a tensor the larger ones of the two, as in PyTorch.
   * NaN wins; of equal ones the first. @throws ShapeError or RangeError for nothing.
   */
  max<T extends AnyTensor, const A extends number | null | AnyTensor = null, const K extends boolean = false>(
    this: T,
    dim?: CheckExtreme<T, A>,
    options?: FoldOptions<K>,
  ): ExtremeResult<T, A, K>;
  /** The smallest element; see {@link max}. */
  min<T extends AnyTensor, const A extends number | null | AnyTensor = null, const K extends boolean = false>(
    this: T,
    dim?: CheckExtreme<T, A>,
    options?: FoldOptions<K>,
  ): ExtremeResult<T, A, K>;
  /** The largest element along any axes; NaN wins. @throws RangeError or ShapeError for nothing. */
  amax<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, T["dtype"]>;
  /** The smallest element along any axes; NaN wins. @throws RangeError or ShapeError for nothing. */
  amin<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, T["dtype"]>;
  /** The first place of the largest element along one axis, or in row-major order among all; NaN wins. */
  argmax<T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, "int64">;
  /** The first place of the smallest element along one axis, or in row-major order among all; NaN wins. */
  argmin<T extends AnyTensor, const A extends number | null = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, "int64">;
  /** Whether any element is nonzero: bool, but uint8 for uint8. */
  any<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, TruthDType<T["dtype"]>>;
  /** Whether all elements are nonzero: bool, but uint8 for uint8; of nothing true. */
  all<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, TruthDType<T["dtype"]>>;
  /** The variance. @throws DTypeError for integers and bools. */
  var<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: VarianceOptions<K>,
  ): Folded<T, A, K, MeanDType<T["dtype"]>>;
  /** The standard deviation. @throws DTypeError for integers and bools. */
  std<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: VarianceOptions<K>,
  ): Folded<T, A, K, MeanDType<T["dtype"]>>;
  /** [variance, mean]. @throws DTypeError for integers and bools. */
  varMean<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: VarianceOptions<K>,
  ): [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>];
  /** [standard deviation, mean]. @throws DTypeError for integers and bools. */
  stdMean<T extends AnyTensor, const A extends Axes = null, const K extends boolean = false>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: VarianceOptions<K>,
  ): [Folded<T, A, K, MeanDType<T["dtype"]>>, Folded<T, A, K, MeanDType<T["dtype"]>>];
  /** The p-norm (Σ|x|^p)^(1/p): 2 by default, which is `"fro"` too; ±Infinity gives the extreme magnitude, 0 counts nonzeros. */
  norm<
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = MeanDType<T["dtype"]>,
  >(
    this: T,
    p?: number | "fro",
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ): Folded<T, A, K, NoInfer<D>>;
  /** log Σ exp(x) without overflow, as float. */
  logsumexp<T extends AnyTensor, const A extends Axes, const K extends boolean = false>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: FoldOptions<K>,
  ): Folded<T, A, K, FloatResult<T["dtype"]>>;
}

const dtypeOf = (op: string, options: SumOptions | undefined): DType | null =>
  options?.dtype === undefined ? null : checkDType(op, options.dtype);

function correctionOf(op: string, options: VarianceOptions | undefined): number {
  const correction = options?.correction;
  if (typeof correction === "number") return correction;
  if (correction !== undefined) {
    throw new TypeError(`${op}: correction must be a number, but got ${showArgument(correction)}`);
  }
  return options?.unbiased === false ? 0 : 1;
}

/** `max` and `min` have three meanings in PyTorch: of all, along an axis, and of two tensors. */
function extreme(fn: "max" | "min", x: AnyTensor, by: number | null | AnyTensor, keepdim: boolean) {
  if (by instanceof Tensor) return wrap((fn === "max" ? maximum : minimum)(unwrap(x), unwrap(by)));
  if (by === null) return wrap(ops.extreme(fn, fn, unwrap(x), null, false));
  const [values, indices] = ops.extremeAndPosition(fn, unwrap(x), by, keepdim);
  return { values: wrap(values), indices: wrap(indices) };
}

const variance = (op: string, x: AnyTensor, dim: Axes | undefined, options: VarianceOptions | undefined) =>
  ops.varianceAndMean(op, unwrap(x), dim ?? null, correctionOf(op, options), options?.keepdim ?? false);

export const reductionMethods: Erased<ReductionMethods> = {
  sum(dim = null, options) {
    return wrap(ops.sum(unwrap(this), dim, options?.keepdim ?? false, dtypeOf("sum", options)));
  },
  sumToSize(sizes) {
    return wrap(ops.sumToSize(unwrap(this), sizes));
  },
  prod(dim = null, options) {
    return wrap(ops.prod(unwrap(this), dim, options?.keepdim ?? false, dtypeOf("prod", options)));
  },
  mean(dim = null, options) {
    return wrap(ops.mean(unwrap(this), dim, options?.keepdim ?? false, dtypeOf("mean", options)));
  },
  max(dim = null, options) {
    return extreme("max", this, dim, options?.keepdim ?? false);
  },
  min(dim = null, options) {
    return extreme("min", this, dim, options?.keepdim ?? false);
  },
  amax(dim = null, options) {
    return wrap(ops.extreme("amax", "max", unwrap(this), dim, options?.keepdim ?? false));
  },
  amin(dim = null, options) {
    return wrap(ops.extreme("amin", "min", unwrap(this), dim, options?.keepdim ?? false));
  },
  argmax(dim = null, options) {
    return wrap(ops.position("argmax", "argmax", unwrap(this), dim, options?.keepdim ?? false));
  },
  argmin(dim = null, options) {
    return wrap(ops.position("argmin", "argmin", unwrap(this), dim, options?.keepdim ?? false));
  },
  any(dim = null, options) {
    return wrap(ops.truth("any", unwrap(this), dim, options?.keepdim ?? false));
  },
  all(dim = null, options) {
    return wrap(ops.truth("all", unwrap(this), dim, options?.keepdim ?? false));
  },
  var(dim, options) {
    return wrap(variance("var", this, dim, options)[0]);
  },
  std(dim, options) {
    return wrap(sqrt(variance("std", this, dim, options)[0]));
  },
  varMean(dim, options) {
    return variance("varMean", this, dim, options).map(wrap);
  },
  stdMean(dim, options) {
    const [squared, mean] = variance("stdMean", this, dim, options);
    return [wrap(sqrt(squared)), wrap(mean)];
  },
  norm(p = 2, dim = null, options) {
    const exponent = p === "fro" ? 2 : p;
    if (typeof exponent !== "number")
      throw new TypeError(`norm: p is a number or "fro", but got ${showArgument(p)}`);
    return wrap(ops.norm(unwrap(this), exponent, dim, options?.keepdim ?? false, dtypeOf("norm", options)));
  },
  logsumexp(dim, options) {
    return wrap(ops.logsumexp(unwrap(this), dim, options?.keepdim ?? false));
  },
};

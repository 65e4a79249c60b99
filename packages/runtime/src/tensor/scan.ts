import type { CheckAxes, DType, ReplaceAt, SumDType, UnknownRank, WrapAxis } from "@fuseau/ir";
import { writeInto } from "../alias/alias.ts";
import { checkDType } from "../ops/creation.ts";
import { diff } from "../ops/difference.ts";
import * as ops from "../ops/scan.ts";
import { type ShapeKey, type Tensor, tensorArgument, unwrap, wrap } from "./handle.ts";
import type { DTypeOptions } from "./normalization.ts";
import type { Extremes } from "./reduction.ts";
import type { AnyTensor, Erased, Same } from "./types.ts";

/** What `diff` puts before and behind the elements first. */
export interface DiffOptions {
  readonly prepend?: AnyTensor;
  readonly append?: AnyTensor;
}

/** S with axis A of a size that is not known. */
export type Resized<S extends number[], A extends number> =
  UnknownRank<S> extends true
    ? number[]
    : WrapAxis<S, A> extends infer Axis extends number
      ? ReplaceAt<S, Axis, number>
      : number[];

/**
 * At every place, the fold of what stands along an axis up to there. Each is PyTorch's op of the same name.
 * @throws RangeError for an axis that does not exist.
 */
export interface ScanMethods {
  /** The running sum; of integers and bools as int64. */
  cumsum<T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  /** The running product; of integers and bools as int64. */
  cumprod<T extends AnyTensor, const A extends number, D extends DType = SumDType<T["dtype"]>>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
    options?: DTypeOptions<D>,
  ): Tensor<T[ShapeKey], NoInfer<D>>;
  /** {@link cumsum} in place, in x's own dtype. */
  cumsum_<T extends AnyTensor, const A extends number>(this: T, dim: CheckAxes<T[ShapeKey], A>): T;
  /** {@link cumprod} in place, in x's own dtype. */
  cumprod_<T extends AnyTensor, const A extends number>(this: T, dim: CheckAxes<T[ShapeKey], A>): T;
  /** The largest so far, and its place: of equal ones the last. NaN wins. */
  cummax<T extends AnyTensor, const A extends number>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Extremes<T[ShapeKey], T["dtype"]>;
  /** The smallest so far, and its place: of equal ones the last. NaN wins. */
  cummin<T extends AnyTensor, const A extends number>(
    this: T,
    dim: CheckAxes<T[ShapeKey], A>,
  ): Extremes<T[ShapeKey], T["dtype"]>;
  /** The logarithm of the running sum of exponentials, without overflow. @throws DTypeError for integers and bools. */
  logcumsumexp<T extends AnyTensor, const A extends number>(this: T, dim: CheckAxes<T[ShapeKey], A>): Same<T>;
  /**
   * Each place less the one before along `dim` (−1), `n` (1) times over; of bools whether they differ.
   * @throws ShapeError for a 0-d tensor, or for ends that do not fit.
   */
  diff<T extends AnyTensor, const A extends number = -1>(
    this: T,
    n?: number,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: DiffOptions,
  ): Tensor<Resized<T[ShapeKey], A>, T["dtype"]>;
}

const asked = (op: string, options: DTypeOptions | undefined): DType | null =>
  options?.dtype === undefined ? null : checkDType(op, options.dtype);

function runningExtreme(op: "cummax" | "cummin", x: AnyTensor, dim: number): Extremes<number[], DType> {
  const [values, indices] = ops.runningExtreme(op, unwrap(x), dim);
  return { values: wrap(values), indices: wrap(indices) as Tensor<number[], "int64"> };
}

export const scanMethods: Erased<ScanMethods> = {
  cumsum(dim, options) {
    return wrap(ops.running("cumsum", unwrap(this), dim, asked("cumsum", options)));
  },
  cumprod(dim, options) {
    return wrap(ops.running("cumprod", unwrap(this), dim, asked("cumprod", options)));
  },
  cumsum_(dim) {
    return writeInto("cumsum_", this, ops.running("cumsum", unwrap(this), dim, this.dtype));
  },
  cumprod_(dim) {
    return writeInto("cumprod_", this, ops.running("cumprod", unwrap(this), dim, this.dtype));
  },
  cummax(dim) {
    return runningExtreme("cummax", this, dim);
  },
  cummin(dim) {
    return runningExtreme("cummin", this, dim);
  },
  logcumsumexp(dim) {
    return wrap(ops.logcumsumexp(unwrap(this), dim));
  },
  diff(n = 1, dim = -1, options = {}) {
    const { prepend, append } = options;
    return wrap(
      diff(
        unwrap(this),
        n,
        dim,
        prepend == null ? null : tensorArgument("diff", "prepend", prepend),
        append == null ? null : tensorArgument("diff", "append", append),
      ),
    );
  },
};

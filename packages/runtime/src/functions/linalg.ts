/**
 * The namespace `linalg`, as far as it goes here: functions that differ from those of the same name elsewhere, and the other names. Source:
 * torch.linalg.
 */
import {
  type Axes,
  type CheckAxes,
  type Columns,
  checkInteger,
  type DType,
  type Reduce,
  ShapeError,
  showArgument,
  showShape,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import type { DTypeBy } from "../declare/dtype-rules.ts";
import { askedDType, type SumOptions } from "../declare/reductions.ts";
import { isOptions } from "../entry/inspect.ts";
import { spectralNorm } from "../matrices/spectral.ts";
import { powers } from "../ops/combination.ts";
import { withAxis } from "../ops/indexing.ts";
import * as linear from "../ops/linear.ts";
import * as matrices from "../ops/matrix-norm.ts";
import * as reduction from "../ops/reduction.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { multiDot, vecdot } from "./contraction.ts";
import {
  cholesky,
  cond,
  det,
  eigh,
  eigvalsh,
  householderProduct,
  inv,
  lstsq,
  matrixExp,
  matrixRank,
  pinv,
  qr,
  slogdet,
  solve,
  solveTriangular,
  svd,
  svdvals,
  tensorinv,
  tensorsolve,
} from "./decompositions.ts";
import { lu, luFactor, luSolve } from "./lu.ts";
import { matrixPower } from "./product.ts";

/**
 * The norm of a matrix: the root of the sum of squares ("fro"), the largest or smallest sum of a column (±1) or row (±Infinity), the
 * largest or smallest singular value (±2), or the sum of the singular values ("nuc").
 */
export type MatrixOrder = "fro" | "nuc" | 1 | -1 | number;

/** The norm of the elements along `dim`, or of all: (Σ|x|^ord)^(1/ord), ord 2 by default. */
const vectorNorm = declareFunction(
  "linalg.vectorNorm(input, ord, dim, { keepdim, dtype })",
  <
    T extends AnyTensor,
    const A extends Axes = null,
    const K extends boolean = false,
    D extends DType = T["dtype"],
  >(
    input: T,
    ord: number = 2,
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ): Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>> =>
    wrap(normOfVectors(unwrap(input), ord, (dim ?? null) as Axes, options)),
);

/**
 * The norm of matrices in two axes (the last two).
 * @throws ShapeError unless `dim` is two axes that differ; RangeError for an order that is not one of {@link MatrixOrder}.
 */
const matrixNorm = declareFunction(
  "linalg.matrixNorm(input, ord, dim, { keepdim, dtype })",
  <
    T extends AnyTensor,
    const A extends readonly number[] = [-2, -1],
    const K extends boolean = false,
    D extends DType = T["dtype"],
  >(
    input: T,
    ord: MatrixOrder = "fro",
    dim?: CheckAxes<T[ShapeKey], A>,
    options?: SumOptions<K, D>,
  ): Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>> =>
    wrap(normOfMatrices(unwrap(input), ord, (dim ?? [-2, -1]) as readonly number[], options)),
);

const normOfVectors = (x: Value, ord: number, dim: Axes, options: SumOptions | undefined): Value =>
  reduction.norm(x, ord, dim, options?.keepdim ?? false, askedDType(options));

function normOfMatrices(
  x: Value,
  ord: MatrixOrder,
  dim: readonly number[],
  options: SumOptions | undefined,
): Value {
  const dtype = askedDType(options);
  const keepdim = options?.keepdim ?? false;
  if (ord === 2 || ord === -2 || ord === "nuc")
    return spectralNorm(dtype === null ? x : record.cast(x, dtype), ord, dim, keepdim);
  return matrices.matrixNorm(x, ord, dim, keepdim, dtype);
}

export const linalg = {
  cholesky,
  cond,

  /**
   * The cross product of vectors of three along `dim` (−1).
   * @throws DTypeError for different dtypes, ShapeError for other sizes.
   */
  cross: declareFunction(
    "linalg.cross(input, other, { dim } | input, other, dim)",
    <const A extends AnyTensor, const B extends AnyTensor>(
      input: A,
      other: B,
      dim: number | { readonly dim?: number } = -1,
    ): Tensor<PairShape<A, B>, A["dtype"]> => {
      const axis = isOptions(dim) ? (dim.dim ?? -1) : dim;
      const b = unwrap(other);
      return wrap(linear.cross(unwrap(input), b, axis));
    },
  ),

  det,
  eigh,
  eigvalsh,
  householderProduct,
  inv,
  lstsq,
  lu,
  luFactor,
  luSolve,
  matrixExp,
  matrixNorm,

  /** {@link matrixPower}. */
  matrixPower: declareFunction("linalg.matrixPower(input, n)", matrixPower),

  matrixRank,

  /** {@link multiDot}. */
  multiDot: declareFunction("linalg.multiDot(tensors)", multiDot),

  /**
   * {@link matrixNorm} of two axes when an `ord` is given, else {@link vectorNorm}. Without `dim`, an `ord` is for vectors and matrices
   * alone; without both, the norm is that of all elements.
   * @throws ShapeError for a `dim` that is not one axis or two, and for another number of axes when `dim` is left out and `ord` is given.
   */
  norm: declareFunction(
    "linalg.norm(input, ord, dim, { keepdim, dtype })",
    <
      T extends AnyTensor,
      const A extends Axes = null,
      const K extends boolean = false,
      D extends DType = T["dtype"],
    >(
      input: T,
      ord: MatrixOrder | null = null,
      dim?: CheckAxes<T[ShapeKey], A>,
      options?: SumOptions<K, D>,
    ): Tensor<Reduce<T[ShapeKey], A, K>, NoInfer<D>> => {
      const x = unwrap(input);
      const given = (dim ?? null) as Axes;
      const axes = typeof given === "number" ? [given] : given;
      const { shape } = x.node;
      if (axes !== null && axes.length !== 1 && axes.length !== 2)
        throw new ShapeError(
          `If dim is specified, it must be of length 1 or 2. Got ${showArgument(axes)} (linalg.vectorNorm takes any axes)`,
        );
      const count = axes?.length ?? shape.length;
      if (ord !== null && axes === null && count !== 1 && count !== 2)
        throw new ShapeError(
          `If dim is not specified but ord is, the input must be 1D or 2D. Got ${count}D. (shape ${showShape(shape)}; linalg.vectorNorm takes all axes)`,
        );
      if (ord !== null && count === 2) return wrap(normOfMatrices(x, ord, axes ?? [-2, -1], options));
      if (typeof ord === "string")
        throw new TypeError(`linalg.norm: ord=${showArgument(ord)} is a norm of matrices`);
      return wrap(normOfVectors(x, ord ?? 2, axes, options));
    },
  ),

  pinv,
  qr,
  slogdet,
  solve,
  solveTriangular,
  svd,
  svdvals,
  tensorinv,
  tensorsolve,

  /**
   * The powers 0 to N − 1 of every element, along a new last axis; N is by default the size of the last axis. Bools and integers give
   * int64.
   */
  vander: declareFunction(
    "linalg.vander(input, n)",
    <T extends AnyTensor, const N extends number = Columns<T[ShapeKey]>>(
      input: T,
      n?: N,
    ): Tensor<[...T[ShapeKey], N], DTypeBy<T["dtype"]>["sum"]> => {
      const x = unwrap(input);
      const values = withAxis(x);
      const size = n ?? values.node.shape.at(-1)!;
      checkInteger("N", size);
      if (size < 2) throw new RangeError(`linalg.vander: N must be greater than 1. (got ${size})`);
      return wrap(powers(values, size));
    },
  ),

  /** {@link vecdot}. */
  vecdot: declareFunction("linalg.vecdot(x, y, { dim })", vecdot),

  vectorNorm,
} as const;

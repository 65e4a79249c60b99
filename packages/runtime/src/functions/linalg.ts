/**
 * The namespace `linalg`, as far as it goes here: functions that differ from those of the same name elsewhere, and the other names. Source:
 * torch.linalg.
 */
import { type Axes, checkInteger, type DType, ShapeError, showArgument, showShape } from "@fuseau/ir";
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
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairShape } from "../tensor/types.ts";
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
  <T extends AnyTensor, D extends DType = T["dtype"]>(
    input: T,
    ord: number = 2,
    dim: Axes = null,
    options?: SumOptions<boolean, D>,
  ): Tensor<number[], NoInfer<D>> => {
    const x = unwrap(input);
    const dtype = askedDType(options);
    return wrap(reduction.norm(x, ord, dim, options?.keepdim ?? false, dtype));
  },
);

/**
 * The norm of matrices in two axes (the last two).
 * @throws ShapeError unless `dim` is two axes that differ; RangeError for an order that is not one of {@link MatrixOrder}.
 */
const matrixNorm = declareFunction(
  "linalg.matrixNorm(input, ord, dim, { keepdim, dtype })",
  <T extends AnyTensor, D extends DType = T["dtype"]>(
    input: T,
    ord: MatrixOrder = "fro",
    dim: readonly number[] = [-2, -1],
    options?: SumOptions<boolean, D>,
  ): Tensor<number[], NoInfer<D>> => {
    const x = unwrap(input);
    const dtype = askedDType(options);
    const keepdim = options?.keepdim ?? false;
    if (ord === 2 || ord === -2 || ord === "nuc")
      return wrap(spectralNorm(dtype === null ? x : record.cast(x, dtype), ord, dim, keepdim));
    return wrap(matrices.matrixNorm(x, ord, dim, keepdim, dtype));
  },
);

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
    <T extends AnyTensor, D extends DType = T["dtype"]>(
      input: T,
      ord: MatrixOrder | null = null,
      dim: Axes = null,
      options?: SumOptions<boolean, D>,
    ): Tensor<number[], NoInfer<D>> => {
      const axes = typeof dim === "number" ? [dim] : dim;
      const { shape } = unwrap(input).node;
      if (axes !== null && axes.length !== 1 && axes.length !== 2)
        throw new ShapeError(
          `If dim is specified, it must be of length 1 or 2. Got ${showArgument(axes)} (linalg.vectorNorm takes any axes)`,
        );
      const count = axes?.length ?? shape.length;
      if (ord !== null && axes === null && count !== 1 && count !== 2)
        throw new ShapeError(
          `If dim is not specified but ord is, the input must be 1D or 2D. Got ${count}D. (shape ${showShape(shape)}; linalg.vectorNorm takes all axes)`,
        );
      if (ord !== null && count === 2) return matrixNorm<T, D>(input, ord, axes ?? [-2, -1], options);
      if (typeof ord === "string")
        throw new TypeError(`linalg.norm: ord=${showArgument(ord)} is a norm of matrices`);
      return vectorNorm<T, D>(input, ord ?? 2, axes, options);
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
    <T extends AnyTensor>(input: T, n?: number): Tensor<number[], DTypeBy<T["dtype"]>["sum"]> => {
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

/** Decompositions that PyTorch also has outside of torch.linalg, as functions and methods. They read their elements at the call. */
import type { Columns, DType, Leading, Rows } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { checkMatrices, checkSquare, mT } from "../matrices/decompose.ts";
import { exponential } from "../matrices/exponential.ts";
import * as factors from "../matrices/factors.ts";
import * as spectral from "../matrices/spectral.ts";
import { eq } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { cast } from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import {
  type LogDeterminant,
  type ToleranceOptions,
  tolerated,
  type UpperOptions,
} from "./decompositions.ts";

/**
 * The inverse of square matrices (PyTorch: `inverse`, `linalg.inv`).
 * @throws RangeError for a singular matrix.
 */
export const inverse = declare(
  "inverse()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> => wrap(factors.inverse(unwrap(input))),
);

/** The Moore–Penrose pseudo-inverse (PyTorch: `pinverse`, `linalg.pinv`). */
export const pinverse = declare(
  "pinverse({ atol, rtol, hermitian })",
  <T extends AnyTensor>(
    input: T,
    options?: ToleranceOptions,
  ): Tensor<[...Leading<T[ShapeKey]>, Columns<T[ShapeKey]>, Rows<T[ShapeKey]>], T["dtype"]> =>
    wrap(spectral.pseudoInverse(...tolerated(unwrap(input), options))),
);

/** The determinants of square matrices. */
export const det = declare(
  "det()",
  <T extends AnyTensor>(input: T): Tensor<Leading<T[ShapeKey]>, T["dtype"]> =>
    wrap(factors.determinant(unwrap(input))),
);

/** The logarithm of the determinant: NaN if the determinant is negative, −Infinity if it is 0. */
export const logdet = declare(
  "logdet()",
  <T extends AnyTensor>(input: T): Tensor<Leading<T[ShapeKey]>, T["dtype"]> =>
    wrap(factors.logOfDeterminant(unwrap(input))),
);

/** The sign of the determinant and the logarithm of its absolute value. */
export const slogdet = declare(
  "slogdet()",
  <T extends AnyTensor>(input: T): LogDeterminant<Leading<T[ShapeKey]>, T["dtype"] & DType> => {
    const [sign, logabsdet] = factors.logDeterminant(unwrap(input));
    return { sign: wrap(sign), logabsdet: wrap(logabsdet) };
  },
);

/**
 * The lower L of x = L·Lᵀ, or the upper Lᵀ (PyTorch: `cholesky`, `linalg.cholesky`).
 * @throws RangeError unless x is positive-definite.
 */
export const cholesky = declare(
  "cholesky({ upper })",
  <T extends AnyTensor>(input: T, options?: UpperOptions): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(input);
    checkMatrices(x);
    return wrap(options?.upper === true ? mT(factors.cholesky(mT(x))) : factors.cholesky(x));
  },
);

/** The X of A·X = x, from A's Cholesky factor L (PyTorch: `cholesky_solve`). */
export const choleskySolve = declare(
  "choleskySolve(L, { upper })",
  <const T extends AnyTensor>(
    input: T,
    L: AnyTensor,
    options?: UpperOptions,
  ): Tensor<T[ShapeKey], T["dtype"]> => {
    const [b, factor] = [unwrap(input), unwrap(L)];
    checkMatrices(factor, "L");
    const lower = options?.upper === true ? mT(factor) : factor;
    const half = factors.solveTriangular(lower, b, false, false);
    return wrap(factors.solveTriangular(mT(lower), half, true, false));
  },
);

/** exp(x) = Σ xᵏ / k! of square matrices (PyTorch: `matrix_exp`, `linalg.matrix_exp`). */
export const matrixExp = declare(
  "matrixExp()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> => wrap(exponential(unwrap(input))),
);

/** The inverse of A = x·xᵀ, where x is A's lower Cholesky factor; with `upper`, of xᵀ·x (PyTorch: `cholesky_inverse`). */
export const choleskyInverse = declare(
  "choleskyInverse({ upper })",
  <T extends AnyTensor>(input: T, options?: UpperOptions): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(input);
    checkSquare(x);
    const lower = options?.upper === true ? mT(x) : x;
    const unit = cast(eq(factors.offsets(x), 0), x.node.dtype);
    const inverted = factors.solveTriangular(lower, unit, false, false);
    return wrap(matmul(mT(inverted), inverted));
  },
);

/** LU factors of matrices, and systems that are solved with them (PyTorch: torch.linalg.lu and its like). */
import type { Columns, DType, Leading, Rows, Smaller } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { checkMatrices, checkSquare, mT } from "../matrices/decompose.ts";
import { checkPair } from "../matrices/factors.ts";
import { packed, solvePacked, triangularFactors } from "../matrices/lu.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Solved, SolveOptions } from "./decompositions.ts";

/** A = P·L·U: a permutation, a lower triangle with ones on its diagonal, and an upper triangle. */
export interface LU<S extends number[], D extends DType> {
  readonly P: Tensor<[...Leading<S>, Rows<S>, Rows<S>], D>;
  readonly L: Tensor<[...Leading<S>, Rows<S>, Smaller<S>], D>;
  readonly U: Tensor<[...Leading<S>, Smaller<S>, Columns<S>], D>;
}

/** A = P·L·U with partial pivoting. */
export const lu = declareFunction(
  "linalg.lu(A)",
  <const T extends AnyTensor>(A: T): LU<T[ShapeKey], T["dtype"]> => {
    const [P, L, U] = triangularFactors(unwrap(A));
    return { P: wrap(P), L: wrap(L), U: wrap(U) };
  },
);

/** The factors of {@link lu} in the form that {@link luSolve} takes. */
export interface LUFactors<S extends number[], D extends DType> {
  /** L below the diagonal, U above. */
  readonly LU: Tensor<S, D>;
  /** By step: the row, counted from 1, that was swapped with the row of that step. */
  readonly pivots: Tensor<[...Leading<S>, Smaller<S>], "int32">;
}

/** {@link lu} as one matrix, with the rows that were swapped. */
export const luFactor = declareFunction(
  "linalg.luFactor(A)",
  <const T extends AnyTensor>(A: T): LUFactors<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(A);
    const [, l, u, pivots] = triangularFactors(x);
    const [m, n] = x.node.shape.slice(-2) as [number, number];
    return { LU: wrap(packed(l, u, m, n)), pivots: wrap(pivots) };
  },
);

/** Which system is solved. */
export interface LuSolveOptions extends SolveOptions {
  /** Solves Aᵀ·X = B instead of A·X = B. Default false. */
  readonly adjoint?: boolean;
}

/**
 * The X of A·X = B, or X·A = B where `left` is false, from A's {@link luFactor}. B is matrices.
 * @throws ShapeError when the sizes do not fit, DTypeError for different dtypes or pivots that are not int32, RangeError for a pivot that is no row.
 */
export const luSolve = declareFunction(
  "linalg.luSolve(LU, pivots, B, { left, adjoint })",
  <const T extends AnyTensor, const U extends AnyTensor>(
    LU: T,
    pivots: AnyTensor,
    B: U,
    options?: LuSolveOptions,
  ): Tensor<Solved<T[ShapeKey], U[ShapeKey]>, T["dtype"]> => {
    const { left = true, adjoint = false } = options ?? {};
    const [lu, b] = [unwrap(LU), unwrap(B)];
    checkSquare(lu, "LU");
    checkMatrices(b, "B");
    checkPair(lu, b, left);
    const x = solvePacked(lu, unwrap(pivots), left ? b : mT(b), adjoint === left);
    return wrap(left ? x : mT(x));
  },
);

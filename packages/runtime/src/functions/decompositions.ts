/**
 * Matrix decompositions, and what is solved with them: PyTorch's torch.linalg. The last two axes of a float32 or float64 tensor are
 * matrices. Elements are read at the call and decomposed in float64 on the host; derivatives are recorded as those of any other operation.
 * @throws ShapeError, DTypeError; RangeError for a matrix that is singular, or not positive-definite, where it must not be.
 */
import {
  type Accept,
  type Broadcast,
  type Columns,
  type DType,
  elementCount,
  type Leading,
  movedAxes,
  type Rows,
  type Shape,
  ShapeError,
  type Smaller,
  sameNumbers,
  showArgument,
  showShape,
  type UnknownRank,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { checkMatrices, checkSquare, mT } from "../matrices/decompose.ts";
import { exponential } from "../matrices/exponential.ts";
import * as factors from "../matrices/factors.ts";
import * as spectral from "../matrices/spectral.ts";
import { expand, permute, select, unsqueeze, withShape } from "../ops/movement.ts";
import { checkNamedDTypes } from "../ops/operand.ts";
import { add, div, eq, lt, mul, sub } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { sum } from "../ops/reduction.ts";
import { cast } from "../record.ts";
import { filled } from "../tape/constants.ts";
import { withoutSlope } from "../tape/rule.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** S, or the message if its last two sizes are known to differ. */
type SquareOrFail<S extends number[]> =
  UnknownRank<S> extends true
    ? S
    : S extends [...number[], infer Rows extends number, infer Columns extends number]
      ? number extends Rows | Columns
        ? S
        : [Rows] extends [Columns]
          ? S
          : `A must be batches of square matrices, but they are ${Rows} by ${Columns} matrices`
      : `The input tensor A must have at least 2 dimensions. (it has ${S["length"]})`;

/** Square matrices, or the message. */
type FitsSquare<T extends AnyTensor> = Accept<SquareOrFail<T[ShapeKey]>, T>;

/** Which triangle is read. */
export interface UpperOptions {
  readonly upper?: boolean;
}

/** The lower L of A = L·Lᵀ, or the upper Lᵀ. Only the lower triangle of A is read, or with `upper` only the upper one. */
export const cholesky = declareFunction(
  "linalg.cholesky(A, { upper })",
  <const T extends AnyTensor>(A: FitsSquare<T>, options?: UpperOptions): Tensor<T[ShapeKey], T["dtype"]> => {
    const x = unwrap(A as T);
    if (options?.upper !== true) return wrap(factors.cholesky(x));
    checkMatrices(x);
    return wrap(mT(factors.cholesky(mT(x))));
  },
);

/** The side of X on which the matrix stands. */
export interface SolveOptions {
  /** Solves A·X = B; if false, X·A = B. Default true. */
  readonly left?: boolean;
}

/** The shape of X: B's, with the leading axes of both broadcast. A B with fewer axes is vectors. */
export type Solved<A extends number[], B extends number[]> = [UnknownRank<A>, UnknownRank<B>] extends [
  false,
  false,
]
  ? B extends [number]
    ? [...Leading<A>, ...B]
    : A extends [number, number]
      ? B
      : B["length"] extends A["length"]
        ? [...Broadcast<Leading<A>, Leading<B>>, Rows<B>, Columns<B>]
        : number[]
  : number[];

/**
 * The X of A·X = B, or X·A = B where `left` is false. B is matrices, one vector for each matrix, or one vector for all matrices. A B of the
 * shape of A without its last axis is vectors. A vector is a column, on either side.
 * @throws ShapeError when the sizes do not fit, DTypeError for different dtypes, RangeError for a singular matrix.
 */
export const solve = declareFunction(
  "linalg.solve(A, B, { left })",
  <const T extends AnyTensor, const U extends AnyTensor>(
    A: FitsSquare<T>,
    B: U,
    options?: SolveOptions,
  ): Tensor<Solved<T[ShapeKey], U[ShapeKey]>, T["dtype"]> =>
    wrap(factors.solveAny(unwrap(A as T), unwrap(B), options?.left ?? true)),
);

/** Which triangle is read, on which side it is, and whether its diagonal counts as 1 and is not read. */
export interface TriangularOptions extends SolveOptions {
  readonly upper: boolean;
  readonly unitriangular?: boolean;
}

/** The X of A·X = B, where A is its upper or lower triangle. A zero on the diagonal gives infinities. */
export const solveTriangular = declareFunction(
  "linalg.solveTriangular(A, B, { upper, left, unitriangular })",
  <const T extends AnyTensor, const U extends AnyTensor>(
    A: FitsSquare<T>,
    B: U,
    options: TriangularOptions,
  ): Tensor<Solved<T[ShapeKey], U[ShapeKey]>, T["dtype"]> => {
    const [a, b] = [unwrap(A as T), unwrap(B)];
    const { upper, left = true, unitriangular = false } = options ?? {};
    if (typeof upper !== "boolean")
      throw new TypeError(
        `missing option "upper" (say which triangle of A: { upper: true } or { upper: false })`,
      );
    checkMatrices(b, "B");
    if (left) return wrap(factors.solveTriangular(a, b, upper, unitriangular));
    checkSquare(a);
    factors.checkPair(a, b, false);
    return wrap(mT(factors.solveTriangular(mT(a), mT(b), !upper, unitriangular)));
  },
);

/** The inverse. {@link solve} is quicker and more accurate than a product with it. */
export const inv = declareFunction(
  "linalg.inv(A)",
  <const T extends AnyTensor>(A: FitsSquare<T>): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(factors.inverse(unwrap(A as T))),
);

/** The determinant. */
export const det = declareFunction(
  "linalg.det(A)",
  <const T extends AnyTensor>(A: FitsSquare<T>): Tensor<Leading<T[ShapeKey]>, T["dtype"]> =>
    wrap(factors.determinant(unwrap(A as T))),
);

/** A determinant as sign · exp(logabsdet). */
export interface LogDeterminant<S extends number[], D extends DType> {
  readonly sign: Tensor<S, D>;
  readonly logabsdet: Tensor<S, D>;
}

/** The sign of the determinant (0 for a singular matrix) and the logarithm of its absolute value. */
export const slogdet = declareFunction(
  "linalg.slogdet(A)",
  <const T extends AnyTensor>(A: FitsSquare<T>): LogDeterminant<Leading<T[ShapeKey]>, T["dtype"]> => {
    const [sign, logabsdet] = factors.logDeterminant(unwrap(A as T));
    return { sign: wrap(sign), logabsdet: wrap(logabsdet) };
  },
);

/** The size of Q: as many columns as A's smaller size, a square matrix, or nothing. */
export type QrMode = "reduced" | "complete" | "r";

/** By mode, the shape of Q; that of several modes is not known. */
type QShape<S extends number[], M extends QrMode> = [M] extends ["r"]
  ? [0]
  : "r" extends M
    ? number[]
    : [...Leading<S>, Rows<S>, Kept<S, M extends "complete" ? true : false, Rows<S>>];

/**
 * How many columns a factor has: all (`Whole`) in a complete QR or with full singular matrices, else the less of rows and columns; unknown if
 * either may be asked for.
 */
type Kept<S extends number[], IsWhole extends boolean, Whole extends number> = boolean extends IsWhole
  ? number
  : IsWhole extends true
    ? Whole
    : Smaller<S>;

/** A = Q·R. */
export interface QR<S extends number[], D extends DType, M extends QrMode = "reduced" | "complete"> {
  readonly Q: Tensor<QShape<S, M>, D>;
  readonly R: Tensor<[...Leading<S>, Kept<S, M extends "complete" ? true : false, Rows<S>>, Columns<S>], D>;
}

/** A = Q·R, where Q has orthonormal columns and R is an upper triangle. With mode "r", Q is empty. */
export const qr = declareFunction(
  "linalg.qr(A, { mode } | A, mode)",
  <const T extends AnyTensor, const M extends QrMode = "reduced">(
    A: T,
    mode?: M | { readonly mode?: M },
  ): QR<T[ShapeKey], T["dtype"], M> => {
    const x = unwrap(A);
    const asked: QrMode = typeof mode === "string" ? mode : (mode?.mode ?? "reduced");
    if (asked !== "reduced" && asked !== "complete" && asked !== "r")
      throw new TypeError(
        `qr received unrecognized mode ${showArgument(asked)} but expected one of "reduced" (default), "r", or "complete"`,
      );
    const [q, r] = spectral.orthogonal(x, asked === "complete");
    const Q = asked === "r" ? spectral.nothing(x) : q;
    return { Q: wrap(Q), R: wrap(r) };
  },
);

/** Which triangle of a symmetric matrix is read. */
export interface TriangleOptions {
  readonly UPLO?: "L" | "U";
}

const isUpper = (options: TriangleOptions | undefined): boolean => {
  const { UPLO = "L" } = options ?? {};
  if (UPLO === "L" || UPLO === "U") return UPLO === "U";
  throw new TypeError(`Expected UPLO argument to be "L" or "U", but got ${showArgument(UPLO)}`);
};

/** A = V·diag(w)·Vᵀ. */
export interface Eigen<S extends number[], D extends DType> {
  readonly eigenvalues: Tensor<[...Leading<S>, Columns<S>], D>;
  readonly eigenvectors: Tensor<S, D>;
}

/** The eigenvalues of symmetric matrices, ascending, and the eigenvectors as columns, whose signs are not determined. */
export const eigh = declareFunction(
  "linalg.eigh(A, { UPLO })",
  <const T extends AnyTensor>(
    A: FitsSquare<T>,
    options?: TriangleOptions,
  ): Eigen<T[ShapeKey], T["dtype"]> => {
    const [values, vectors] = spectral.symmetric(unwrap(A as T), isUpper(options));
    return { eigenvalues: wrap(values), eigenvectors: wrap(vectors) };
  },
);

/** The eigenvalues of symmetric matrices, ascending. */
export const eigvalsh = declareFunction(
  "linalg.eigvalsh(A, { UPLO })",
  <const T extends AnyTensor>(
    A: FitsSquare<T>,
    options?: TriangleOptions,
  ): Tensor<[...Leading<T[ShapeKey]>, Columns<T[ShapeKey]>], T["dtype"]> =>
    wrap(spectral.eigenvalues(unwrap(A as T), isUpper(options))),
);

/** Makes U and Vh square. Default true. */
export interface SvdOptions<Whole extends boolean = boolean> {
  readonly fullMatrices?: Whole;
}

/** A = U·diag(S)·Vh. */
export interface SVD<S extends number[], D extends DType, Whole extends boolean = boolean> {
  readonly U: Tensor<[...Leading<S>, Rows<S>, Kept<S, Whole, Rows<S>>], D>;
  readonly S: Tensor<[...Leading<S>, Smaller<S>], D>;
  readonly Vh: Tensor<[...Leading<S>, Kept<S, Whole, Columns<S>>, Columns<S>], D>;
}

/** Singular values, descending, and singular vectors, as columns of U and rows of Vh, whose signs are not determined. */
export const svd = declareFunction(
  "linalg.svd(A, { fullMatrices } | A, fullMatrices)",
  <const T extends AnyTensor, const W extends boolean = true>(
    A: T,
    options?: SvdOptions<W> | W,
  ): SVD<T[ShapeKey], T["dtype"], W> => {
    const isWhole = typeof options === "boolean" ? options : (options?.fullMatrices ?? true);
    const [u, s, vh] = spectral.singularValues(unwrap(A), isWhole);
    return { U: wrap(u), S: wrap(s), Vh: wrap(vh) };
  },
);

/** Singular values, descending. */
export const svdvals = declareFunction(
  "linalg.svdvals(A)",
  <const T extends AnyTensor>(A: T): Tensor<[...Leading<T[ShapeKey]>, Smaller<T[ShapeKey]>], T["dtype"]> =>
    wrap(spectral.singularValuesAlone(unwrap(A))),
);

/**
 * Singular values of at most max(atol, rtol · the largest) count as 0. The default of rtol is the larger size times the dtype's epsilon, or
 * 0 if atol is given.
 */
export interface ToleranceOptions {
  readonly atol?: number | null;
  readonly rtol?: number | null;
  /** The matrices are symmetric, and their lower triangles are read. */
  readonly hermitian?: boolean;
}

/** Which matrices they are, and what counts as 0. */
export const tolerated = (x: Value, options: ToleranceOptions = {}): [Value, ToleranceOptions] => [
  options.hermitian === true ? spectral.symmetrised(x) : x,
  options,
];

/** The number of singular values that do not count as 0. */
export const matrixRank = declareFunction(
  "linalg.matrixRank(A, { atol, rtol, hermitian })",
  <const T extends AnyTensor>(A: T, options?: ToleranceOptions): Tensor<Leading<T[ShapeKey]>, "int64"> => {
    const [x, tolerance] = tolerated(unwrap(A), options);
    return wrap(spectral.rankOf(x, spectral.singularValuesAlone(x), tolerance));
  },
);

/** The Moore–Penrose pseudo-inverse. */
export const pinv = declareFunction(
  "linalg.pinv(A, { atol, rtol, hermitian })",
  <const T extends AnyTensor>(
    A: T,
    options?: ToleranceOptions,
  ): Tensor<[...Leading<T[ShapeKey]>, Columns<T[ShapeKey]>, Rows<T[ShapeKey]>], T["dtype"]> =>
    wrap(spectral.pseudoInverse(...tolerated(unwrap(A), options))),
);

/** The shape of X: vectors where B has fewer axes than A. */
type LeastSolution<A extends number[], B extends number[]> = [UnknownRank<A>, UnknownRank<B>] extends [
  false,
  false,
]
  ? B extends [number]
    ? [...Leading<A>, Columns<A>]
    : A extends [number, number]
      ? [...Leading<B>, Columns<A>, Columns<B>]
      : B["length"] extends A["length"]
        ? [...Broadcast<Leading<A>, Leading<B>>, Columns<A>, Columns<B>]
        : number[]
  : number[];

/** What least squares give. */
export interface LeastSquares<A extends number[], B extends number[], D extends DType> {
  readonly solution: Tensor<LeastSolution<A, B>, D>;
  /** By column, the sum of squares of A·X − B, if A has more rows than columns; otherwise empty. */
  readonly residuals: Tensor<number[], D>;
  readonly rank: Tensor<Leading<A>, "int64">;
  readonly singularValues: Tensor<number[], D>;
}

/**
 * The X with the least ‖A·X − B‖; of several, the one with the least norm. B is matrices, one vector for each matrix, or one vector for all
 * matrices. A B of the shape of A without its last axis is vectors.
 * @throws ShapeError when B has another number of rows than A, DTypeError for different dtypes.
 */
export const lstsq = declareFunction(
  "linalg.lstsq(A, B, { rcond })",
  <const T extends AnyTensor, const U extends AnyTensor>(
    A: T,
    B: U,
    options?: { readonly rcond?: number | null },
  ): LeastSquares<T[ShapeKey], U[ShapeKey], T["dtype"]> => {
    const [a, given] = [unwrap(A), unwrap(B)];
    checkMatrices(a);
    const isVector = factors.isOfVectors(a, given);
    const b = isVector ? unsqueeze(given, -1) : given;
    checkMatrices(b, "B");
    checkNamedDTypes(["A", "B"], a, b);
    const [m, n] = a.node.shape.slice(-2) as [number, number];
    if (b.node.shape.at(-2) !== m)
      throw new ShapeError(
        `input.size(-2) should match other.size(-2) (A has ${m} rows, B ${b.node.shape.at(-2)})`,
      );
    const rcond = options?.rcond ?? null;
    if (rcond !== null && !(rcond >= 0))
      throw new RangeError(`rcond must be a number that is not negative, but got ${showArgument(rcond)}`);
    const x = spectral.leastSquares(a, b, rcond);
    const difference = sub(matmul(a, x), b);
    const residuals = m > n ? sum(mul(difference, difference), -2, false, null) : spectral.nothing(a);
    // They take another decomposition, which few ask for.
    let known: AnyTensor | null = null;
    const values = (): AnyTensor => (known ??= wrap(spectral.singularValuesAlone(a)));
    return {
      solution: wrap(isVector ? withShape(x, x.node.shape.slice(0, -1)) : x),
      residuals: wrap(residuals),
      get rank() {
        return wrap(spectral.rankOf(a, unwrap(values()), { rtol: rcond })) as never;
      },
      get singularValues() {
        return values() as never;
      },
    };
  },
);

/**
 * ‖A‖·‖A⁻¹‖ in the spectral norm: the largest singular value divided by the smallest (2), or the smallest by the largest (−2). 0 for a
 * matrix without elements.
 * @throws RangeError for another p.
 */
export const cond = declareFunction(
  "linalg.cond(A, p)",
  <const T extends AnyTensor>(A: T, p: 2 | -2 | null = null): Tensor<Leading<T[ShapeKey]>, T["dtype"]> => {
    if (p !== null && p !== 2 && p !== -2)
      throw new RangeError(
        `p must be 2 or -2, but got ${showArgument(p)} (take linalg.norm of A and of its inverse)`,
      );
    const x = unwrap(A);
    const s = spectral.singularValuesAlone(x);
    if (elementCount(x.node.shape) === 0)
      return wrap(withoutSlope("cond", [x], filled(x.node.dtype, s.node.shape.slice(0, -1), 0)));
    const [most, least] = [spectral.at(s, 0), spectral.at(s, -1)] as [Value, Value];
    return wrap(p === -2 ? div(least, most) : div(most, least));
  },
);

/** exp(A) = Σ Aᵏ / k!. */
export const matrixExp = declareFunction(
  "linalg.matrixExp(A)",
  <const T extends AnyTensor>(A: FitsSquare<T>): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(exponential(unwrap(A as T))),
);

/**
 * The first columns of the product of all I − τᵢ·vᵢ·vᵢᵀ, where vᵢ has 1 at place i, and below it the elements of column i of A. PyTorch:
 * `householder_product`.
 * @throws ShapeError unless tau has the shape of A without its rows, or fewer of the last.
 */
export const householderProduct = declareFunction(
  "linalg.householderProduct(A, tau)",
  <const T extends AnyTensor>(A: T, tau: AnyTensor): Tensor<T[ShapeKey], T["dtype"]> => {
    const [x, scales] = [unwrap(A), unwrap(tau)];
    const { shape } = x.node;
    checkMatrices(x, "A");
    const batch = scales.node.shape.slice(0, -1);
    if (scales.node.shape.length !== shape.length - 1)
      throw new ShapeError(
        `torch.linalg.householder_product: Expected tau to have one dimension less than input, but got tau.ndim equal to ${scales.node.shape.length} and input.ndim is equal to ${shape.length}`,
      );
    if (!sameNumbers(batch, shape.slice(0, -2)))
      throw new ShapeError(
        `torch.linalg.householder_product: Expected batch dimensions of tau to be equal to input.shape[:-2], but got ${showShape(batch)}`,
      );
    const [n, k] = [shape.at(-1) as number, scales.node.shape.at(-1) as number];
    if ((shape.at(-2) as number) < n)
      throw new ShapeError(
        "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]",
      );
    if (n < k)
      throw new ShapeError(
        "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]",
      );
    const unit = cast(eq(factors.offsets(x), 0), x.node.dtype);
    const below = factors.banded(x, (offset) => lt(offset, 0));
    let product = grownTo(unit, shape);
    for (let i = k - 1; i >= 0; i--) {
      const v = unsqueeze(add(select(below, -1, i), select(unit, -1, i)), -1);
      const scale = unsqueeze(unsqueeze(select(scales, -1, i), -1), -1);
      product = sub(product, mul(scale, matmul(v, matmul(mT(v), product))));
    }
    return wrap(product);
  },
);

const grownTo = (x: Value, shape: Shape): Value =>
  x.node.shape.length === shape.length ? x : expand(x, shape);

/** A reshaped to a square matrix. */
function squared(a: Value, rows: number, columns: number): Value {
  if (rows !== columns)
    throw new ShapeError(
      `Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got ${columns} != ${rows}`,
    );
  return withShape(a, [rows, columns]);
}

/** The X with tensordot(A, X, X.ndim) = B. PyTorch: `linalg.tensorsolve`. */
export const tensorsolve = declareFunction(
  "linalg.tensorsolve(A, B, { dims } | A, B, dims)",
  (
    A: AnyTensor,
    B: AnyTensor,
    dims: readonly number[] | { readonly dims?: readonly number[] } = [],
  ): Tensor => {
    const [given, b] = [unwrap(A), unwrap(B)];
    const moved = Array.isArray(dims) ? dims : ((dims as { dims?: readonly number[] }).dims ?? []);
    const last = moved.map((_, k) => given.node.shape.length - moved.length + k);
    const a = permute(given, movedAxes(given.node.shape, moved, last));
    const rest = a.node.shape.slice(b.node.shape.length);
    const size = elementCount(b.node.shape);
    const x = factors.solve(squared(a, size, elementCount(rest)), withShape(b, [size, 1]));
    return wrap(withShape(x, rest));
  },
);

/** The tensor whose tensordot with A over `ind` axes is the identity. PyTorch: `linalg.tensorinv`. */
export const tensorinv = declareFunction(
  "linalg.tensorinv(A, { ind } | A, ind)",
  (A: AnyTensor, ind: number | { readonly ind?: number } = 2): Tensor => {
    const a = unwrap(A);
    const count = typeof ind === "number" ? ind : (ind.ind ?? 2);
    if (!(count > 0)) throw new RangeError("Expected a strictly positive integer for 'ind'");
    const [front, rest] = [a.node.shape.slice(0, count), a.node.shape.slice(count)];
    const inverted = factors.inverse(squared(a, elementCount(front), elementCount(rest)));
    return wrap(withShape(inverted, [...rest, ...front]));
  },
);

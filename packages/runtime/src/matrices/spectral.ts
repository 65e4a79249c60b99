/** QR decompositions, eigenvalues of symmetric matrices, singular values, and what follows from them. Derivatives are PyTorch's. */
import { showArgument } from "@fuseau/ir";
import { matrixAxes } from "../ops/matrix-norm.ts";
import { narrowed, select, unsqueeze } from "../ops/movement.ts";
import { add, and, div, eq, ge, gt, le, mul, neg, sub, where } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import { extreme, sum } from "../ops/reduction.ts";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import type { Value } from "../value.ts";
import {
  checkMatrices,
  checkSquare,
  copyMatrix,
  decompose,
  forEachMatrix,
  Gathered,
  matricesOf,
  mT,
} from "./decompose.ts";
import { aligned, banded, offsets, solveTriangular } from "./factors.ts";
import { LeastSquares } from "./least-squares.ts";
import { Reflections } from "./reflections.ts";
import { Singular } from "./singular.ts";
import { diagonalise } from "./symmetric.ts";

/** Repeats a vector in every row: x[..., i] in column i. */
const asRows = (x: Value): Value => unsqueeze(x, -2);
const asColumns = (x: Value): Value => unsqueeze(x, -1);

/** 1 / x off the diagonal, 0 on it. */
const reciprocalOff = (x: Value): Value => {
  const isOn = eq(offsets(x), 0);
  return where(isOn, 0, div(1, where(isOn, 1, x)));
};

/** Q and R, with as many columns and rows as the smaller size of A. If `isWhole`, Q is square. */
export function orthogonal(x: Value, isWhole: boolean): readonly [q: Value, r: Value] {
  checkMatrices(x);
  const [m, n] = x.node.shape.slice(-2) as [number, number];
  const compute = (a: Value): readonly [Value, Value] => {
    const matrices = matricesOf(a);
    const columns = isWhole ? m : Math.min(m, n);
    const results = [
      new Gathered(a, matrices.leading, [m, columns]),
      new Gathered(a, matrices.leading, [columns, n]),
    ] as const;
    const reflections = new Reflections(m, n);
    const [q, r] = [new Float64Array(m * columns), new Float64Array(columns * n)];
    forEachMatrix(matrices, (matrix) => {
      reflections.make(matrix);
      reflections.orthogonal(q, columns);
      reflections.triangular(r, columns);
      results[0].add(q);
      results[1].add(r);
    });
    return [results[0].toValue(), results[1].toValue()];
  };
  return decompose("qr", [x], compute, () => [
    (g, [q, r]) => [ofFactors(q, r, g, null)],
    (g, [q, r]) => [ofFactors(q, r, null, g)],
  ]);
}

/** The first `count` columns of a matrix, or those after them. */
function part(x: Value, count: number, isRest: boolean): Value {
  const last = x.node.shape.length - 1;
  return narrowed(x, last, isRest ? count : 0, isRest ? (x.node.shape[last] as number) - count : count);
}

/** The upper triangle, mirrored below the diagonal. */
const mirrored = (x: Value): Value =>
  add(
    banded(x, (offset) => ge(offset, 0)),
    mT(banded(x, (offset) => ge(offset, 1))),
  );

/**
 * The gradient of A = Q·R: (gQ + Q·mirrored(gR·Rᵀ − Qᵀ·gQ))·R⁻ᵀ where R is square. Columns beyond those of Q are Qᵀ·A.
 * Source: Walter and Lehmann, Walter's algorithmic differentiation of linear algebra (2018).
 */
function ofFactors(q: Value, r: Value, gq: Value | null, gr: Value | null): Value {
  const [m, n] = [q.node.shape.at(-1) as number, r.node.shape.at(-1) as number];
  if ((q.node.shape.at(-2) as number) < m || (r.node.shape.at(-2) as number) > n)
    throw new RangeError(
      'The QR decomposition is not differentiable when mode="complete" and nrows > ncols (mode "reduced" is)',
    );
  if (m < n) {
    const [own, rest] = [gr && part(gr, m, false), gr && part(gr, m, true)];
    const beyond = rest && matmul(q, matmul(part(r, m, true), mT(rest)));
    const onQ = gq && beyond ? add(gq, beyond) : (gq ?? beyond);
    const left = ofFactors(q, part(r, m, false), onQ, own);
    const right =
      rest === null ? filled(q.node.dtype, [...r.node.shape.slice(0, -1), n - m], 0) : matmul(q, rest);
    return record.concat([left, right], left.node.shape.length - 1);
  }
  const inside = gr && matmul(gr, mT(r));
  const outside = gq && neg(matmul(mT(q), gq));
  const onR = matmul(q, mirrored(inside && outside ? add(inside, outside) : ((inside ?? outside) as Value)));
  return mT(solveTriangular(r, mT(gq === null ? onR : add(gq, onR)), true, false));
}

/** Calls a function with the eigenvalues of each matrix, and its eigenvectors as columns if they are wanted. One triangle is read. */
function forEachSymmetric(
  a: Value,
  isUpper: boolean,
  hasVectors: boolean,
  call: (values: Float64Array, vectors: Float64Array) => void,
): void {
  const matrices = matricesOf(a);
  const n = matrices.rows;
  const [values, beside] = [new Float64Array(n), new Float64Array(n)];
  forEachMatrix(matrices, (matrix) => {
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++)
        if (isUpper) matrix[i * n + j] = matrix[j * n + i]!;
        else matrix[j * n + i] = matrix[i * n + j]!;
    diagonalise(matrix, n, values, beside, hasVectors);
    call(values, matrix);
  });
}

const leadingOf = (x: Value): readonly number[] => x.node.shape.slice(0, -2);

const ofEigenvalues = (g: Value, vectors: Value): Value => matmul(mul(vectors, asRows(g)), mT(vectors));

/** Eigenvalues of symmetric matrices, ascending, and eigenvectors as columns. One triangle of the matrices is read. */
export function symmetric(x: Value, isUpper: boolean): readonly [values: Value, vectors: Value] {
  checkSquare(x);
  const n = x.node.shape.at(-1) as number;
  const compute = (a: Value): readonly [Value, Value] => {
    const [values, vectors] = [new Gathered(a, leadingOf(a), [n]), new Gathered(a, leadingOf(a), [n, n])];
    forEachSymmetric(a, isUpper, true, (own, ownVectors) => {
      values.add(own);
      vectors.add(ownVectors);
    });
    return [values.toValue(), vectors.toValue()];
  };
  return decompose("eigh", [x], compute, () => [
    (g, [, v]) => [ofEigenvalues(g, v)],
    (g, [w, v]) => {
      const between = reciprocalOff(sub(asRows(w), asColumns(w)));
      return [matmul(matmul(v, mul(matmul(mT(v), g), between)), mT(v))];
    },
  ]);
}

/** The eigenvalues alone. Eigenvectors are computed for the derivative. */
export function eigenvalues(x: Value, isUpper: boolean): Value {
  checkSquare(x);
  const compute = (a: Value): readonly [Value] => {
    const values = new Gathered(a, leadingOf(a), [a.node.shape.at(-1) as number]);
    forEachSymmetric(a, isUpper, false, (own) => values.add(own));
    return [values.toValue()];
  };
  return decompose("eigvalsh", [x], compute, (a) => [(g) => [ofEigenvalues(g, symmetric(a, isUpper)[1])]])[0];
}

/** Calls a function with each matrix decomposed; the transpose of one that is wide. */
function forEachSingular(
  a: Value,
  columns: number,
  hasVectors: boolean,
  call: (singular: Singular) => void,
): void {
  const matrices = matricesOf(a);
  const { rows: m, columns: n } = matrices;
  const singular = new Singular(Math.max(m, n), Math.min(m, n), columns, hasVectors);
  const tall = new Float64Array(m < n ? m * n : 0);
  forEachMatrix(matrices, (matrix) => {
    if (m < n) for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) tall[j * m + i] = matrix[i * n + j]!;
    singular.decompose(m < n ? tall : matrix);
    call(singular);
  });
}

/** U, singular values (descending), and Vᵀ. U and V have as many columns as the smaller size, or all if `whole`. */
export function singularValues(x: Value, isWhole: boolean): readonly [u: Value, s: Value, vh: Value] {
  checkMatrices(x);
  const [m, n] = x.node.shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  const compute = (a: Value): readonly [Value, Value, Value] => {
    const [rows, columns] = isWhole ? [m, n] : [k, k];
    // `u` has the columns of U as rows, so it is transposed; `v` is Vᵀ already.
    const turned = new Gathered(a, leadingOf(a), [rows, m]);
    const [values, vectors] = [
      new Gathered(a, leadingOf(a), [k]),
      new Gathered(a, leadingOf(a), [columns, n]),
    ];
    forEachSingular(a, Math.max(rows, columns), true, ({ u, s, v }) => {
      turned.add(m < n ? v : u);
      values.add(s);
      vectors.add(m < n ? u : v);
    });
    return [mT(turned.toValue()), values.toValue(), vectors.toValue()];
  };
  const noWhole = (): never => {
    throw new RangeError(
      "The singular vectors in the case m != n are not differentiable with fullMatrices: true (give { fullMatrices: false })",
    );
  };
  return decompose("svd", [x], compute, () => [
    (g, [u, s, vh]) => {
      if (isWhole && m !== n) noWhole();
      const inner = mul(mul(skew(matmul(mT(u), g)), squares(s)), asRows(s));
      const own = matmul(matmul(u, inner), vh);
      if (m <= k) return [own];
      const rest = div(sub(g, matmul(u, matmul(mT(u), g))), asRows(s));
      return [add(own, matmul(rest, vh))];
    },
    (g, [u, , vh]) => [ofSingularValues(g, part(u, k, false), mT(part(mT(vh), k, false)))],
    (g, [u, s, vh]) => {
      if (isWhole && m !== n) noWhole();
      const inner = mul(asColumns(s), mul(skew(matmul(vh, mT(g))), squares(s)));
      const own = matmul(matmul(u, inner), vh);
      if (n <= k) return [own];
      const rest = div(sub(g, matmul(matmul(g, mT(vh)), vh)), asColumns(s));
      return [add(own, matmul(u, rest))];
    },
  ]);
}

const ofSingularValues = (g: Value, u: Value, vh: Value): Value => matmul(mul(u, asRows(g)), vh);

/** The singular values alone. Singular vectors are computed for the derivative. */
export function singularValuesAlone(x: Value): Value {
  checkMatrices(x);
  const compute = (a: Value): readonly [Value] => {
    const k = Math.min(...(a.node.shape.slice(-2) as [number, number]));
    const values = new Gathered(a, leadingOf(a), [k]);
    forEachSingular(a, k, false, ({ s }) => values.add(s));
    return [values.toValue()];
  };
  const derivative = (g: Value, a: Value): Value => {
    const [u, , vh] = singularValues(a, false);
    return ofSingularValues(g, u, vh);
  };
  return decompose("svdvals", [x], compute, (a) => [(g) => [derivative(g, a)]])[0];
}

const skew = (x: Value): Value => sub(x, mT(x));

/** 1 / (s_j² − s_i²) off the diagonal. */
const squares = (s: Value): Value => {
  const square = mul(s, s);
  return reciprocalOff(sub(asRows(square), asColumns(square)));
};

/** Which singular values count as 0. */
export interface Tolerance {
  readonly atol?: number | null;
  readonly rtol?: number | null;
}

/** The symmetric matrix whose lower triangle is given. */
export function symmetrised(x: Value): Value {
  checkSquare(x);
  return where(le(offsets(x), 0), x, mT(x));
}

const epsilon = { float32: 2 ** -23, float64: 2 ** -52 } as const;

/** The tolerances with the default of rtol: the larger size times the epsilon of x's dtype, unless atol is given. */
function relative(x: Value, { atol, rtol }: Tolerance): Tolerance {
  const [m, n] = x.node.shape.slice(-2) as [number, number];
  const usual = Math.max(m, n) * epsilon[x.node.dtype as keyof typeof epsilon];
  return { atol: atol ?? 0, rtol: rtol ?? ((atol ?? 0) === 0 ? usual : 0) };
}

/** True for the singular values above max(atol, rtol · the largest). */
function counted(x: Value, s: Value, tolerance: Tolerance): Value {
  for (const name of ["atol", "rtol"] as const) {
    const value = tolerance[name];
    if (value != null && !(typeof value === "number" && value >= 0))
      throw new RangeError(`${name} must be a number that is not negative, but got ${showArgument(value)}`);
  }
  const { atol, rtol } = relative(x, tolerance) as { atol: number; rtol: number };
  const largest = part(s, Math.min(1, s.node.shape.at(-1) as number), false);
  return and(gt(s, mul(largest, rtol)), gt(s, atol));
}

/** The number of the singular values s of x that do not count as 0, as int64. */
export const rankOf = (x: Value, s: Value, tolerance: Tolerance): Value =>
  sum(counted(x, s, tolerance), -1, false, null);

/** The Moore–Penrose inverse. */
export function pseudoInverse(x: Value, tolerance: Tolerance): Value {
  checkMatrices(x);
  const compute = (a: Value): readonly [Value] => {
    const [u, s, vh] = singularValues(record.cast(a, "float64"), false);
    const inverted = where(counted(a, s, tolerance), div(1, s), 0);
    return [record.cast(matmul(mul(mT(vh), asRows(inverted)), mT(u)), a.node.dtype)];
  };
  const [result] = decompose("pinv", [x], compute, (a) => [
    (g, [p]) => {
      // Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems (1973).
      const turned = mT(g);
      const outer = matmul(sub(turned, matmul(a, matmul(p, turned))), matmul(p, mT(p)));
      const inner = matmul(matmul(mT(p), p), sub(turned, matmul(matmul(turned, p), a)));
      return [add(sub(outer, matmul(mT(p), matmul(g, mT(p)))), inner)];
    },
  ]);
  return result;
}

/**
 * The X with the least ‖A·X − B‖; of several, the one with the least norm. Singular values up to `rcond` times the largest count as 0.
 * Its derivative is that of A⁺·B: {@link pseudoInverse}.
 */
export function leastSquares(a: Value, b: Value, rcond: number | null): Value {
  const { rtol } = relative(a, { rtol: rcond }) as { rtol: number };
  const [left, right] = aligned(a, b);
  const compute = (whole: Value, sides: Value): readonly [Value] => {
    const [matrices, given] = [matricesOf(whole), matricesOf(sides)];
    const { rows: m, columns: n } = matrices;
    const solved = new Gathered(sides, given.leading, [n, given.columns]);
    const least = new LeastSquares(m, n, given.columns, rtol);
    const side = new Float64Array(m * given.columns);
    forEachMatrix(matrices, (matrix, k) => {
      copyMatrix(given, k, side);
      least.solve(matrix, side);
      solved.add(least.x);
    });
    return [solved.toValue()];
  };
  const [x] = decompose("lstsq", [left, right], compute, (own, sides) => [
    (g, [solved]) => {
      const inverse = pseudoInverse(own, { rtol });
      const onSides = matmul(mT(inverse), g);
      const rest = sub(sides, matmul(own, solved));
      const beyond = sub(g, matmul(mT(own), onSides));
      const outer = matmul(rest, mT(matmul(inverse, onSides)));
      const inner = matmul(mT(inverse), matmul(solved, mT(beyond)));
      return [add(sub(outer, matmul(onSides, mT(solved))), inner), onSides];
    },
  ]);
  return x;
}

/** An empty tensor of x's dtype. */
export const nothing = (x: Value): Value => filled(x.node.dtype, [0], 0);

/** The first element along the last axis, or the last one. */
export const at = (x: Value, place: 0 | -1): Value => select(x, -1, place);

/** The largest (2) or the smallest (−2) singular value of the matrices in two axes, or the sum of all. */
export function spectralNorm(
  x: Value,
  order: 2 | -2 | "nuc",
  dims: readonly number[],
  keepdim: boolean,
): Value {
  const [rows, columns] = matrixAxes(dims, x.node.shape);
  const others = x.node.shape.flatMap((_, axis) => (axis === rows || axis === columns ? [] : [axis]));
  const s = singularValuesAlone(record.permute(x, [...others, rows, columns]));
  // If several are largest, each has a share of the gradient.
  const norm =
    order === "nuc"
      ? sum(s, -1, false, null)
      : extreme("linalg.matrixNorm", order === 2 ? "max" : "min", s, -1, false);
  if (!keepdim) return norm;
  return record.reshape(
    norm,
    x.node.shape.map((size, axis) => (others.includes(axis) ? size : 1)),
  );
}

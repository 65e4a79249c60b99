/** Cholesky factors, linear systems, inverses and determinants. */
import { broadcastShapes, ShapeError, sameNumbers } from "@fuseau/ir";
import { expand, unsqueeze, withShape } from "../ops/movement.ts";
import { checkNamedDTypes } from "../ops/operand.ts";
import { add, ge, le, lt, mul, neg, sub, where } from "../ops/pointwise.ts";
import { matmul } from "../ops/product.ts";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import type { Value } from "../value.ts";
import {
  batchElement,
  checkMatrices,
  checkSquare,
  copyMatrix,
  decompose,
  forEachMatrix,
  Gathered,
  matricesOf,
  mT,
} from "./decompose.ts";
import { Elimination, eliminate, solveEliminated } from "./elimination.ts";
import { Singular } from "./singular.ts";
import { factorSymmetric, solveTriangle } from "./triangles.ts";

/** At each place of a matrix, column − row. */
export function offsets(x: Value): Value {
  const [rows, columns] = x.node.shape.slice(-2) as [number, number];
  const row = record.reshape(record.iota("int32", rows), [rows, 1]);
  return sub(record.iota("int32", columns), row);
}

/** x where `keep` is true of column − row, and 0 elsewhere. */
export const banded = (x: Value, keep: (offset: Value) => Value): Value => where(keep(offsets(x)), x, 0);

/** L of A = L·Lᵀ, which reads the lower triangle of A. */
export function cholesky(x: Value): Value {
  checkSquare(x);
  const compute = (a: Value): readonly [Value] => {
    const matrices = matricesOf(a);
    const n = matrices.rows;
    const lower = new Gathered(a, matrices.leading, [n, n]);
    forEachMatrix(matrices, (matrix, k) => {
      const minor = factorSymmetric(matrix, n);
      if (minor !== 0)
        throw new RangeError(
          `${batchElement(matrices, k)}The factorization could not be completed because the input is not positive-definite (the leading minor of order ${minor} is not positive-definite).`,
        );
      lower.add(matrix);
    });
    return [lower.toValue()];
  };
  const [result] = decompose("cholesky", [x], compute, () => [
    (g, [l]) => {
      const phi = matmul(mT(l), g);
      const lower = banded(phi, (offset) => le(offset, 0));
      const half = mul(add(lower, mT(banded(phi, (offset) => le(offset, -1)))), 0.5);
      const left = solveTriangular(mT(l), half, true, false);
      return [mT(solveTriangular(mT(l), mT(left), true, false))];
    },
  ]);
  return result;
}

/** Both, with their leading axes broadcast. */
export function aligned(a: Value, b: Value): [Value, Value] {
  const leading = broadcastShapes(a.node.shape.slice(0, -2), b.node.shape.slice(0, -2));
  return [a, b].map((x) => {
    const shape = [...leading, ...x.node.shape.slice(-2)];
    return sameNumbers(shape, x.node.shape) ? x : expand(x, shape);
  }) as [Value, Value];
}

/**
 * Whether A·X = B, or X·A = B, can be.
 * @throws ShapeError, DTypeError.
 */
export function checkPair(a: Value, b: Value, isLeft: boolean): void {
  checkNamedDTypes(["A", "B"], a, b);
  const n = a.node.shape.at(-1);
  if (n !== b.node.shape.at(isLeft ? -2 : -1))
    throw new ShapeError(
      `Incompatible shapes of A and B for the equation ${isLeft ? "AX = B" : "XA = B"} (${a.node.shape.slice(-2).join("x")} and ${b.node.shape.slice(-2).join("x")})`,
    );
}

/** X of A·X = B, where A is its upper or its lower triangle. */
export function solveTriangular(a: Value, b: Value, isUpper: boolean, isUnit: boolean): Value {
  checkSquare(a);
  checkMatrices(b, "B");
  checkPair(a, b, true);
  const [left, right] = aligned(a, b);
  const compute = (whole: Value, sides: Value): readonly [Value] => {
    const [matrices, right] = [matricesOf(whole), matricesOf(sides)];
    const { rows, columns } = right;
    const solved = new Gathered(sides, right.leading, [rows, columns]);
    const x = new Float64Array(rows * columns);
    forEachMatrix(matrices, (matrix, k) => {
      copyMatrix(right, k, x);
      solveTriangle(matrix, rows, x, columns, isUpper, isUnit);
      solved.add(x);
    });
    return [solved.toValue()];
  };
  const within = (offset: Value): Value =>
    isUpper ? ge(offset, isUnit ? 1 : 0) : le(offset, isUnit ? -1 : 0);
  const [x] = decompose("solveTriangular", [left, right], compute, (own) => [
    (g, [solved]) => {
      const back = solveTriangular(mT(own), g, !isUpper, isUnit);
      return [banded(neg(matmul(back, mT(solved))), within), back];
    },
  ]);
  return x;
}

/** X of A·X = B. B is matrices. */
export function solve(a: Value, b: Value): Value {
  checkSquare(a);
  checkMatrices(b, "B");
  checkPair(a, b, true);
  const [left, right] = aligned(a, b);
  const compute = (whole: Value, sides: Value): readonly [Value] => {
    const [matrices, right] = [matricesOf(whole), matricesOf(sides)];
    const { rows: n, columns } = right;
    const solved = new Gathered(sides, right.leading, [n, columns]);
    const found = new Elimination(n, n);
    const [b, x] = [new Float64Array(n * columns), new Float64Array(n * columns)];
    forEachMatrix(matrices, (matrix, k) => {
      eliminate(matrix, n, n, found);
      if (found.zero !== 0)
        throw new RangeError(
          `${batchElement(matrices, k)}The solver failed because the input matrix is singular.`,
        );
      copyMatrix(right, k, b);
      solveEliminated(matrix, found, n, b, x, columns);
      solved.add(x);
    });
    return [solved.toValue()];
  };
  const [x] = decompose("solve", [left, right], compute, (own) => [
    (g, [solved]) => {
      const back = solve(mT(own), g);
      return [neg(matmul(back, mT(solved))), back];
    },
  ]);
  return x;
}

/** Whether B is a vector, or a batch of vectors beside a batch of matrices: it has the shape of A without its last axis. */
export const isOfVectors = (a: Value, b: Value): boolean =>
  b.node.shape.length === 1 || sameNumbers(b.node.shape, a.node.shape.slice(0, -1));

/** {@link solve} for B that may be vectors, and on either side. A vector is a column. */
export function solveAny(a: Value, b: Value, isLeft: boolean): Value {
  checkSquare(a);
  const isVector = isOfVectors(a, b);
  const columns = isVector ? unsqueeze(b, -1) : b;
  checkMatrices(columns, "B");
  checkPair(a, columns, isLeft);
  const x = isLeft ? solve(a, columns) : mT(solve(mT(a), mT(columns)));
  return isVector ? withShape(x, x.node.shape.slice(0, -1)) : x;
}

export function inverse(x: Value): Value {
  checkSquare(x);
  const compute = (a: Value): readonly [Value] => {
    const matrices = matricesOf(a);
    const n = matrices.rows;
    const inverses = new Gathered(a, matrices.leading, [n, n]);
    const found = new Elimination(n, n);
    const [unit, inverted] = [new Float64Array(n * n), new Float64Array(n * n)];
    for (let i = 0; i < n; i++) unit[i * n + i] = 1;
    forEachMatrix(matrices, (matrix, k) => {
      eliminate(matrix, n, n, found);
      if (found.zero !== 0)
        throw new RangeError(
          `${batchElement(matrices, k)}The diagonal element ${found.zero} is zero, the inversion could not be completed because the input matrix is singular.`,
        );
      solveEliminated(matrix, found, n, unit, inverted, n);
      inverses.add(inverted);
    });
    return [inverses.toValue()];
  };
  const [result] = decompose("inv", [x], compute, () => [(g, [y]) => [neg(matmul(mT(y), matmul(g, mT(y))))]]);
  return result;
}

const cell = (x: Value): Value => record.reshape(x, [...x.node.shape, 1, 1]);

/** The cofactor matrix, which exists whatever the rank. */
function cofactors(x: Value): Value {
  const compute = (a: Value): readonly [Value] => {
    const matrices = matricesOf(a);
    const n = matrices.rows;
    const found = new Gathered(a, matrices.leading, [n, n]);
    const adjugate = adjugates(n);
    const singular = new Singular(n, n, n);
    forEachMatrix(matrices, (matrix) => {
      let own = adjugate(matrix);
      if (own === null) {
        singular.decompose(matrix);
        own = cofactorsOf(singular, n);
      }
      found.add(own);
    });
    return [found.toValue()];
  };
  // Computed when it is needed: its own derivative is that of det·A⁻ᵀ.
  return decompose("det", [x], compute, (a) => [
    (g) => {
      const inverted = mT(inverse(a));
      const det = cell(determinant(a));
      const along = record.reduce("sum", mul(g, inverted), lastTwo(g));
      const spread = mul(det, mul(cell(along), inverted));
      return [add(spread, neg(mul(det, matmul(inverted, matmul(mT(g), inverted)))))];
    },
  ])[0];
}

const lastTwo = (x: Value): number[] => [x.node.shape.length - 2, x.node.shape.length - 1];

/** Pivots this much smaller than others may have lost digits. */
const SMALL_PIVOT = 2 ** -10;
/** Products of numbers within these bounds neither overflow nor lose digits. */
const [LEAST, MOST] = [2 ** -500, 2 ** 500];
const isMiddling = (x: number): boolean => x > LEAST && x < MOST;

/** Makes det·A⁻ᵀ of matrices, one after another, in one array; null for one that is near to a singular one, or is very large or small. */
function adjugates(n: number): (matrix: Float64Array) => Float64Array | null {
  const [factors, unit] = [new Float64Array(n * n), new Float64Array(n * n)];
  const [inverted, result] = [new Float64Array(n * n), new Float64Array(n * n)];
  for (let i = 0; i < n; i++) unit[i * n + i] = 1;
  const found = new Elimination(n, n);
  return (matrix) => {
    factors.set(matrix);
    eliminate(factors, n, n, found);
    let [det, least, most] = [found.sign, Infinity, 0];
    for (let i = 0; i < n; i++) {
      const pivot = factors[i * n + i]!;
      det *= pivot;
      least = Math.min(least, Math.abs(pivot));
      most = Math.max(most, Math.abs(pivot));
    }
    if (!(least > SMALL_PIVOT * most && [least, most, Math.abs(det)].every(isMiddling))) return null;
    solveEliminated(factors, found, n, unit, inverted, n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) result[i * n + j] = det * inverted[j * n + i]!;
    return result;
  };
}

/** det(U)·det(V)·U·diag(∏ of the other singular values)·Vᵀ. */
function cofactorsOf({ u, s, v }: Singular, n: number): Float64Array {
  const sign = signOf(u, n) * signOf(v, n);
  const result = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const others = s.reduce((product, value, at) => (at === k ? product : product * value), sign);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) result[i * n + j]! += u[k * n + i]! * others * v[k * n + j]!;
  }
  return result;
}

function signOf(orthogonal: Float64Array, n: number): number {
  const factors = orthogonal.slice();
  const found = new Elimination(n, n);
  eliminate(factors, n, n, found);
  let { sign } = found;
  for (let i = 0; i < n; i++) sign *= Math.sign(factors[i * n + i]!);
  return sign;
}

export function determinant(x: Value): Value {
  checkSquare(x);
  const compute = (a: Value): readonly [Value] => {
    const matrices = matricesOf(a);
    const n = matrices.rows;
    const products = new Gathered(a, matrices.leading, []);
    const found = new Elimination(n, n);
    forEachMatrix(matrices, (matrix) => {
      eliminate(matrix, n, n, found);
      let product = found.sign;
      for (let i = 0; i < n; i++) product *= matrix[i * n + i]!;
      products.add([product]);
    });
    return [products.toValue()];
  };
  const [result] = decompose("det", [x], compute, (a) => [(g) => [mul(cell(g), cofactors(a))]]);
  return result;
}

/** The determinant's sign, and the logarithm of its absolute value. */
export function logDeterminant(x: Value): readonly [sign: Value, logabsdet: Value] {
  checkSquare(x);
  const compute = (a: Value): readonly [Value, Value] => {
    const matrices = matricesOf(a);
    const n = matrices.rows;
    const signs = new Gathered(a, matrices.leading, []);
    const logs = new Gathered(a, matrices.leading, []);
    const found = new Elimination(n, n);
    forEachMatrix(matrices, (matrix) => {
      eliminate(matrix, n, n, found);
      let { sign } = found;
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const pivot = matrix[i * n + i]!;
        sign *= Math.sign(pivot);
        sum += Math.log(Math.abs(pivot));
      }
      signs.add([sign]);
      logs.add([sum]);
    });
    return [signs.toValue(), logs.toValue()];
  };
  return decompose("slogdet", [x], compute, (a) => [
    () => [filled(a.node.dtype, a.node.shape, 0)],
    (g) => [mul(cell(g), mT(inverse(a)))],
  ]);
}

/** log(det), NaN where the determinant is negative. */
export function logOfDeterminant(x: Value): Value {
  const [sign, log] = logDeterminant(x);
  return where(lt(sign, 0), Number.NaN, log);
}

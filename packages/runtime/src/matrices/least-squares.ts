/**
 * The X with the least ‖A·X − B‖, and of several the one with the least norm. Matrices are float64, row-major.
 *
 * Where A has full rank, Q·R of A, or of Aᵀ if A is wide, gives it (Golub, Numerical methods for solving linear least squares problems, 1965).
 * That is seen without singular values: the smallest is at least 1 / ‖R⁻¹‖, and the largest at most ‖R‖, in Frobenius norms.
 */
import { Reflections } from "./reflections.ts";
import { Singular } from "./singular.ts";
import { solveTriangle } from "./triangles.ts";

/** Solves systems with matrices [m, n] and right sides [m, columns], one after another. */
export class LeastSquares {
  /** X of the last system: [n, columns]. */
  readonly x: Float64Array;
  readonly #m: number;
  readonly #n: number;
  readonly #columns: number;
  /** Singular values up to this part of the largest count as 0. */
  readonly #tolerance: number;
  readonly #reflections: Reflections;
  /** A, or Aᵀ if A is wide, of which the reflections are made. */
  readonly #tall: Float64Array;
  readonly #right: Float64Array;
  /** R, or Rᵀ if A is wide. */
  readonly #triangle: Float64Array;
  readonly #inverse: Float64Array;
  #singular: Singular | null = null;

  constructor(m: number, n: number, columns: number, tolerance: number) {
    [this.#m, this.#n, this.#columns, this.#tolerance] = [m, n, columns, tolerance];
    const [long, short] = [Math.max(m, n), Math.min(m, n)];
    this.#reflections = new Reflections(long, short);
    this.x = new Float64Array(n * columns);
    this.#tall = new Float64Array(m * n);
    this.#right = new Float64Array(long * columns);
    [this.#triangle, this.#inverse] = [new Float64Array(short * short), new Float64Array(short * short)];
  }

  solve(a: Float64Array, b: Float64Array): void {
    const [m, n, columns] = [this.#m, this.#n, this.#columns];
    const [short, isWide] = [Math.min(m, n), m < n];
    if (isWide) transpose(a, m, n, this.#tall);
    else this.#tall.set(a);
    this.#reflections.make(this.#tall);
    const triangle = this.#triangle;
    this.#reflections.triangular(triangle, short);
    invertUpper(triangle, short, this.#inverse);
    if (!(1 / frobenius(this.#inverse) > this.#tolerance * frobenius(triangle))) {
      this.#solveDeficient(a, b);
      return;
    }
    const right = this.#right;
    right.fill(0);
    right.set(b);
    if (isWide) {
      transposeSquare(triangle, short);
      solveTriangle(triangle, short, right, columns, false, false);
    }
    this.#reflections.apply(right, columns, isWide);
    if (!isWide) solveTriangle(triangle, short, right, columns, true, false);
    this.x.set(right.subarray(0, n * columns));
  }

  /** By singular values: A⁺·B. */
  #solveDeficient(a: Float64Array, b: Float64Array): void {
    const [m, n, columns, x] = [this.#m, this.#n, this.#columns, this.x];
    const [long, short, isWide] = [Math.max(m, n), Math.min(m, n), m < n];
    if (isWide) transpose(a, m, n, this.#tall);
    this.#singular ??= new Singular(long, short, short);
    const { u, s, v } = this.#singular;
    this.#singular.decompose(isWide ? this.#tall : a);
    const [left, right] = isWide ? [v, u] : [u, v];
    x.fill(0);
    for (let k = 0; k < short; k++) {
      // Not a comparison that NaN would fail: it must reach the result.
      if (s[k]! <= this.#tolerance * s[0]!) continue;
      for (let column = 0; column < columns; column++) {
        let along = 0;
        for (let i = 0; i < m; i++) along += left[k * m + i]! * b[i * columns + column]!;
        along /= s[k]!;
        for (let i = 0; i < n; i++) x[i * columns + column]! += along * right[k * n + i]!;
      }
    }
  }
}

function transpose(a: Float64Array, rows: number, columns: number, to: Float64Array): void {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) to[j * rows + i] = a[i * columns + j]!;
}

function transposeSquare(a: Float64Array, n: number): void {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) [a[i * n + j], a[j * n + i]] = [a[j * n + i]!, a[i * n + j]!];
}

/** The inverse of an upper triangle, which is not finite where the diagonal has a 0. */
function invertUpper(r: Float64Array, n: number, inverse: Float64Array): void {
  inverse.fill(0);
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) {
      const factor = r[i * n + k]!;
      for (let j = k; j < n; j++) inverse[i * n + j]! -= factor * inverse[k * n + j]!;
    }
    inverse[i * n + i] = 1;
    for (let j = i; j < n; j++) inverse[i * n + j]! /= r[i * n + i]!;
  }
}

/** The root of the sum of squares. Where these overflow or underflow, that is Infinity or too small. */
function frobenius(a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * a[i]!;
  return Math.sqrt(sum);
}

/**
 * A = U·diag(s)·Vᵀ by rotations that make columns orthogonal. Source: Hestenes, Inversion of matrices by biorthogonalization (1958); Demmel
 * and Veselić, Jacobi's method is more accurate than QR (1992). Small singular values are as accurate as large ones.
 */

import { largestOf, lengthOf } from "./lengths.ts";
import { Reflections } from "./reflections.ts";

/** Columns that are shorter, beside elements of 1, count as 0: the squares of their elements do. */
const SHORTEST = 2 ** -500;
/** The most sweeps over all pairs of columns; six to ten are enough in practice. */
const MOST_SWEEPS = 60;

/**
 * Decomposes matrices [m, n] with m ≥ n, one after another. U has `columns` columns, at least n; those beyond n complete the basis. The
 * rotations work on Rᵀ of the columns in descending order, whose columns are nearly orthogonal already: Drmač and Veselić, New fast and
 * accurate Jacobi SVD algorithm (2008).
 */
export class Singular {
  /** The columns of U, stored as rows: [columns, m]. */
  readonly u: Float64Array;
  /** Descending. */
  readonly s: Float64Array;
  /** Vᵀ: [n, n]. */
  readonly v: Float64Array;
  readonly #m: number;
  readonly #n: number;
  readonly #columns: number;
  readonly #reflections: Reflections;
  readonly #turned: Float64Array;
  readonly #rotations: Float64Array;
  /** R of the reflections, without the rows below. */
  readonly #r: Float64Array;
  readonly #norms: Float64Array;
  readonly #sorted: Int32Array;
  readonly #order: Int32Array;

  constructor(m: number, n: number, columns: number) {
    [this.#m, this.#n, this.#columns] = [m, n, columns];
    this.u = new Float64Array(columns * m);
    this.s = new Float64Array(n);
    this.v = new Float64Array(n * n);
    this.#reflections = new Reflections(m, n, columns);
    this.#turned = new Float64Array(m * n);
    this.#rotations = new Float64Array(n * n);
    this.#r = this.#reflections.r.subarray(0, n * n);
    this.#norms = new Float64Array(n);
    this.#sorted = new Int32Array(n);
    this.#order = new Int32Array(n);
  }

  decompose(a: Float64Array): void {
    const { u, s, v } = this;
    const [m, n, columns, turned, r] = [this.#m, this.#n, this.#columns, this.#turned, this.#r];
    const [rotations, norms, sorted, order] = [this.#rotations, this.#norms, this.#sorted, this.#order];
    const largest = largestOf(a);
    const scale = largest > 0 && largest < Infinity ? largest : 1;
    for (let i = 0; i < a.length; i++) turned[i] = a[i]! / scale;
    norms.fill(0);
    for (let i = 0, at = 0; i < m; i++)
      for (let j = 0; j < n; j++, at++) norms[j]! += turned[at]! * turned[at]!;
    sortDown(norms, sorted);
    for (let i = 0; i < m; i++)
      for (let to = 0; to < n; to++) turned[i * n + to] = a[i * n + sorted[to]!]! / scale;
    this.#reflections.decompose(turned);
    rotations.fill(0);
    for (let j = 0; j < n; j++) rotations[j * n + j] = 1;
    for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) if (!rotateAll(r, rotations, norms, n)) break;
    for (let j = 0; j < n; j++) norms[j] = lengthOf(r, j * n, n, 1);
    sortDown(norms, order);
    const { q } = this.#reflections;
    v.fill(0);
    let found = 0;
    for (let to = 0; to < n; to++) {
      const from = order[to]!;
      const norm = norms[from]!;
      s[to] = norm * scale;
      for (let i = 0; i < m; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += q[i * columns + j]! * rotations[from * n + j]!;
        u[to * m + i] = sum;
      }
      if (norm < SHORTEST) continue;
      for (let j = 0; j < n; j++) v[to * n + sorted[j]!] = r[from * n + j]! / norm;
      found++;
    }
    complete(v, found, n);
    // What Q has beyond R is orthogonal to the others already.
    for (let to = n; to < columns; to++) for (let i = 0; i < m; i++) u[to * m + i] = q[i * columns + to]!;
  }
}

/** Fills `order` with the places of `x`, largest element first. Of equal ones, the first comes first. */
function sortDown(x: Float64Array, order: Int32Array): void {
  for (let k = 0; k < order.length; k++) {
    let to = k;
    for (; to > 0 && x[order[to - 1]!]! < x[k]!; to--) order[to] = order[to - 1]!;
    order[to] = k;
  }
}

/** Rotates all pairs of rows of w, and those of v with them; `squares` is overwritten. False if all pairs were orthogonal. */
function rotateAll(w: Float64Array, v: Float64Array, squares: Float64Array, n: number): boolean {
  for (let p = 0; p < n; p++) squares[p] = dot(w, p * n, p * n, n);
  let isRotated = false;
  for (let p = 0; p < n - 1; p++)
    for (let q = p + 1; q < n; q++) {
      const [pp, qq, pq] = [squares[p]!, squares[q]!, dot(w, p * n, q * n, n)];
      if (!(Math.abs(pq) > Number.EPSILON * Math.sqrt(pp * qq))) continue;
      isRotated = true;
      const zeta = (qq - pp) / (2 * pq);
      // Where the square of zeta overflows, t is 0.
      const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t);
      turn(w, p * n, q * n, n, c, c * t);
      turn(v, p * n, q * n, n, c, c * t);
      squares[p] = Math.max(0, pp - t * pq);
      squares[q] = Math.max(0, qq + t * pq);
    }
  return isRotated;
}

/** In four sums: each waits for its last addition. */
function dot(x: Float64Array, p: number, q: number, length: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = length - (length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[p + i]! * x[q + i]!;
    b += x[p + i + 1]! * x[q + i + 1]!;
    c += x[p + i + 2]! * x[q + i + 2]!;
    d += x[p + i + 3]! * x[q + i + 3]!;
  }
  for (let i = whole; i < length; i++) a += x[p + i]! * x[q + i]!;
  return a + b + (c + d);
}

function turn(x: Float64Array, p: number, q: number, length: number, c: number, s: number): void {
  for (let i = 0; i < length; i++) {
    const a = x[p + i]!;
    const b = x[q + i]!;
    x[p + i] = c * a - s * b;
    x[q + i] = s * a + c * b;
  }
}

/** Completes the rows from `found` on, so that all n rows of length n are orthonormal. */
function complete(v: Float64Array, found: number, n: number): void {
  for (let row = found; row < n; row++) {
    // Begins with the unit vector that is farthest from the span of the rows so far.
    let [best, least] = [0, Infinity];
    for (let i = 0; i < n; i++) {
      let inside = 0;
      for (let k = 0; k < row; k++) inside += v[k * n + i]! ** 2;
      if (inside < least) [best, least] = [i, inside];
    }
    v[row * n + best] = 1;
    for (const _ of [1, 2])
      for (let k = 0; k < row; k++) {
        const along = dot(v, k * n, row * n, n);
        for (let i = 0; i < n; i++) v[row * n + i]! -= along * v[k * n + i]!;
      }
    const length = lengthOf(v, row * n, n, 1);
    for (let i = 0; i < n; i++) v[row * n + i]! /= length;
  }
}

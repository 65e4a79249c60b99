/**
 * A = U·diag(s)·Vᵀ by rotations that make columns orthogonal. Source: Hestenes, Inversion of matrices by biorthogonalization (1958); Demmel
 * and Veselić, Jacobi's method is more accurate than QR (1992). Small singular values are as accurate as large ones.
 */

import { reflect } from "./reflections.ts";

/** The most sweeps over all pairs of columns; six to ten are enough in practice. */
const MOST_SWEEPS = 60;

export interface Singular {
  /** The columns of U, stored as rows: [columns, m]. */
  readonly u: Float64Array;
  /** Descending. */
  readonly s: Float64Array;
  /** Vᵀ: [n, n]. */
  readonly v: Float64Array;
}

/**
 * Decomposes a matrix [m, n] with m ≥ n. Columns of U beyond n, up to `columns`, complete the basis. The rotations work on Rᵀ of the
 * columns in descending order, whose columns are nearly orthogonal already: Drmač and Veselić, New fast and accurate Jacobi SVD algorithm
 * (2008).
 */
export function singular(a: Float64Array, m: number, n: number, columns: number): Singular {
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const scale = largest > 0 && largest < Infinity ? largest : 1;
  const squares = new Float64Array(n);
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) squares[j]! += (a[i * n + j]! / scale) ** 2;
  const sorted = Array.from(squares.keys()).sort((p, q) => squares[q]! - squares[p]!);
  const turned = new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    for (const [to, from] of sorted.entries()) turned[i * n + to] = a[i * n + from]! / scale;
  const { q, r } = reflect(turned, m, n, n);
  const rotations = new Float64Array(n * n);
  for (let j = 0; j < n; j++) rotations[j * n + j] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) if (!rotateAll(r, rotations, n)) break;
  const norms = Float64Array.from({ length: n }, (_, j) => lengthOf(r.subarray(j * n, (j + 1) * n)));
  const order = Array.from(norms.keys()).sort((x, y) => norms[y]! - norms[x]!);
  const [u, s, v] = [new Float64Array(columns * m), new Float64Array(n), new Float64Array(n * n)];
  let found = 0;
  for (const [to, from] of order.entries()) {
    s[to] = norms[from]! * scale;
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += q[i * n + j]! * rotations[from * n + j]!;
      u[to * m + i] = sum;
    }
    if (norms[from]! <= Number.MIN_VALUE) continue;
    for (const [j, place] of sorted.entries()) v[to * n + place] = r[from * n + j]! / norms[from]!;
    found++;
  }
  complete(v, found, n, n);
  complete(u, n, columns, m);
  return { u, s, v };
}

/** Requires elements of at most 1 in absolute value. */
const lengthOf = (x: Float64Array): number =>
  Math.sqrt(x.reduce((sum, element) => sum + element * element, 0));

/** Rotates all pairs of rows of w, and those of v with them. False if all pairs were orthogonal. */
function rotateAll(w: Float64Array, v: Float64Array, n: number): boolean {
  const squares = new Float64Array(n);
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

/** Completes the rows from `found` on, so that all `count` rows of length m are orthonormal. */
function complete(u: Float64Array, found: number, count: number, m: number): void {
  for (let row = found; row < count; row++) {
    // Begins with the unit vector that is farthest from the span of the rows so far.
    let [best, least] = [0, Infinity];
    for (let i = 0; i < m; i++) {
      let inside = 0;
      for (let k = 0; k < row; k++) inside += u[k * m + i]! ** 2;
      if (inside < least) [best, least] = [i, inside];
    }
    const own = u.subarray(row * m, (row + 1) * m);
    own[best] = 1;
    for (const _ of [1, 2])
      for (let k = 0; k < row; k++) {
        const along = dot(u, k * m, row * m, m);
        for (let i = 0; i < m; i++) own[i]! -= along * u[k * m + i]!;
      }
    const length = lengthOf(own);
    for (let i = 0; i < m; i++) own[i]! /= length;
  }
}

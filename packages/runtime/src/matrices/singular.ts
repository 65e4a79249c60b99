/**
 * a = U·diag(s)·Vᵀ by rotations that make the columns orthogonal. Source: Hestenes, Inversion of matrices by biorthogonalization (1958); Demmel
 * and Veselić, Jacobi's method is more accurate than QR (1992). Small singular values come out as exact as large ones.
 */

/** Sweeps over all pairs of columns; six to ten are enough. */
const MOST_SWEEPS = 60;

export interface Singular {
  /** Columns of U as rows: [columns, m]. */
  readonly u: Float64Array;
  /** Descending. */
  readonly s: Float64Array;
  /** Vᵀ: [n, n]. */
  readonly v: Float64Array;
}

/** Of a [m, n] with m ≥ n. Columns of U beyond n, up to `columns`, complete the basis. */
export function singular(a: Float64Array, m: number, n: number, columns: number): Singular {
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const scale = largest > 0 && largest < Infinity ? largest : 1;
  const w = new Float64Array(n * m);
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) w[j * m + i] = a[i * n + j]! / scale;
  const v = new Float64Array(n * n);
  for (let j = 0; j < n; j++) v[j * n + j] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) if (!rotateAll(w, v, m, n)) break;
  const norms = Float64Array.from({ length: n }, (_, j) => lengthOf(w.subarray(j * m, (j + 1) * m)));
  const order = Array.from(norms.keys()).sort((p, q) => norms[q]! - norms[p]!);
  const [u, s, turned] = [new Float64Array(columns * m), new Float64Array(n), new Float64Array(n * n)];
  let found = 0;
  for (const [to, from] of order.entries()) {
    s[to] = norms[from]! * scale;
    turned.set(v.subarray(from * n, (from + 1) * n), to * n);
    if (norms[from]! <= Number.MIN_VALUE) continue;
    for (let i = 0; i < m; i++) u[to * m + i] = w[from * m + i]! / norms[from]!;
    found++;
  }
  complete(u, found, columns, m);
  return { u, s, v: turned };
}

/** Elements are at most 1. */
const lengthOf = (x: Float64Array): number =>
  Math.sqrt(x.reduce((sum, element) => sum + element * element, 0));

/** One sweep; false when all pairs were orthogonal. */
function rotateAll(w: Float64Array, v: Float64Array, m: number, n: number): boolean {
  let isRotated = false;
  for (let p = 0; p < n - 1; p++)
    for (let q = p + 1; q < n; q++) {
      let [pp, qq, pq] = [0, 0, 0];
      for (let i = 0; i < m; i++) {
        const [x, y] = [w[p * m + i]!, w[q * m + i]!];
        pp += x * x;
        qq += y * y;
        pq += x * y;
      }
      if (!(Math.abs(pq) > Number.EPSILON * Math.sqrt(pp * qq))) continue;
      isRotated = true;
      const zeta = (qq - pp) / (2 * pq);
      const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
      const c = 1 / Math.hypot(1, t);
      turn(w, p * m, q * m, m, c, c * t);
      turn(v, p * n, q * n, n, c, c * t);
    }
  return isRotated;
}

function turn(x: Float64Array, p: number, q: number, length: number, c: number, s: number): void {
  for (let i = 0; i < length; i++) {
    const [a, b] = [x[p + i]!, x[q + i]!];
    x[p + i] = c * a - s * b;
    x[q + i] = s * a + c * b;
  }
}

/** Rows from `found` on such that all `count` rows of length m are orthonormal. */
function complete(u: Float64Array, found: number, count: number, m: number): void {
  for (let row = found; row < count; row++) {
    // The unit vector that is farthest from what there is.
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
        let dot = 0;
        for (let i = 0; i < m; i++) dot += u[k * m + i]! * own[i]!;
        for (let i = 0; i < m; i++) own[i]! -= dot * u[k * m + i]!;
      }
    const length = lengthOf(own);
    for (let i = 0; i < m; i++) own[i]! /= length;
  }
}

/**
 * Eigenvalues of a symmetric matrix, ascending, and its eigenvectors: Householder reflections make it tridiagonal, then QL steps with
 * implicit shifts. Source: Bowdler, Martin, Reinsch and Wilkinson, tred2 and tql2, Numerische Mathematik 11 (1968).
 */

import { hypot, largestOf } from "./lengths.ts";
import { turnEach } from "./rotations.ts";

/**
 * Puts the eigenvalues into `d` [n]. `v` [n, n] is overwritten, by the eigenvectors as columns if they are wanted. `e` [n] is overwritten.
 */
export function diagonalise(
  v: Float64Array,
  n: number,
  d: Float64Array,
  e: Float64Array,
  hasVectors: boolean,
): void {
  if (n === 0) return;
  const scale = scaleOf(v);
  if (scale !== 1) for (let i = 0; i < v.length; i++) v[i]! /= scale;
  e.fill(0);
  tridiagonalise(v, d, e, n);
  if (hasVectors) gatherReflections(v, d, n);
  else for (let i = 0; i < n; i++) d[i] = v[i * n + i]!;
  e[0] = 0;
  // The vectors are rows until here, since rows lie together.
  const rows = hasVectors ? v : null;
  reduce(rows, d, e, n);
  sort(rows, d, n);
  if (hasVectors) transpose(v, n);
  if (scale !== 1) for (let i = 0; i < n; i++) d[i]! *= scale;
}

/** A power of two by which to divide a matrix whose squares overflow or underflow, 1 for any other. */
function scaleOf(matrix: Float64Array): number {
  const largest = largestOf(matrix);
  if (largest > 2 ** 400 && largest < Infinity) return 2 ** 600;
  return largest > 0 && largest < 2 ** -400 ? 2 ** -600 : 1;
}

function tridiagonalise(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) d[j] = v[j * n + n - 1]!;
  for (let i = n - 1; i > 0; i--) {
    let scale = 0;
    let h = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(d[k]!);
    if (scale === 0) {
      e[i] = d[i - 1]!;
      for (let j = 0; j < i; j++) {
        d[j] = v[j * n + i - 1]!;
        v[j * n + i] = 0;
        v[i * n + j] = 0;
      }
    } else {
      for (let k = 0; k < i; k++) {
        d[k]! /= scale;
        h += d[k]! * d[k]!;
      }
      let f = d[i - 1]!;
      const g = f > 0 ? -Math.sqrt(h) : Math.sqrt(h);
      e[i] = scale * g;
      h -= f * g;
      d[i - 1] = f - g;
      e.fill(0, 0, i);
      for (let j = 0; j < i; j++) {
        f = d[j]!;
        v[i * n + j] = f;
        let sum = e[j]! + v[j * n + j]! * f;
        for (let k = j + 1; k < i; k++) {
          sum += v[j * n + k]! * d[k]!;
          e[k]! += v[j * n + k]! * f;
        }
        e[j] = sum;
      }
      f = 0;
      for (let j = 0; j < i; j++) {
        e[j]! /= h;
        f += e[j]! * d[j]!;
      }
      const half = f / (h + h);
      for (let j = 0; j < i; j++) e[j]! -= half * d[j]!;
      for (let j = 0; j < i; j++) {
        f = d[j]!;
        const shift = e[j]!;
        for (let k = j; k < i; k++) v[j * n + k]! -= f * e[k]! + shift * d[k]!;
        d[j] = v[j * n + i - 1]!;
        v[j * n + i] = 0;
      }
    }
    d[i] = h;
  }
}

/** The product of the reflections, as rows of `v`; the diagonal goes to `d`. */
function gatherReflections(v: Float64Array, d: Float64Array, n: number): void {
  for (let i = 0; i < n - 1; i++) {
    v[i * n + n - 1] = v[i * n + i]!;
    v[i * n + i] = 1;
    const h = d[i + 1]!;
    if (h !== 0) {
      for (let k = 0; k <= i; k++) d[k] = v[(i + 1) * n + k]! / h;
      for (let j = 0; j <= i; j++) {
        let g = 0;
        for (let k = 0; k <= i; k++) g += v[(i + 1) * n + k]! * v[j * n + k]!;
        for (let k = 0; k <= i; k++) v[j * n + k]! -= g * d[k]!;
      }
    }
    for (let k = 0; k <= i; k++) v[(i + 1) * n + k] = 0;
  }
  for (let j = 0; j < n; j++) {
    d[j] = v[j * n + n - 1]!;
    v[j * n + n - 1] = 0;
  }
  v[n * n - 1] = 1;
}

/** The QL steps. They rotate the rows of `v`, if it is not null. */
function reduce(v: Float64Array | null, d: Float64Array, e: Float64Array, n: number): void {
  const [cosines, sines] = [new Float64Array(n), new Float64Array(n)];
  e.copyWithin(0, 1);
  e[n - 1] = 0;
  let shifted = 0;
  let largest = 0;
  for (let l = 0; l < n; l++) {
    largest = Math.max(largest, Math.abs(d[l]!) + Math.abs(e[l]!));
    let m = l;
    while (m < n - 1 && Math.abs(e[m]!) > Number.EPSILON * largest) m++;
    // Each step makes the off-diagonal element smaller. A NaN ends the loop too.
    while (m > l && Math.abs(e[l]!) > Number.EPSILON * largest) {
      shifted += shift(d, e, l, n);
      step(d, e, l, m, cosines, sines);
      if (v !== null) turnEach(v, n, m, l, cosines, sines);
    }
    d[l]! += shifted;
    e[l] = 0;
  }
}

/** Subtracts the implicit shift from the diagonal, and returns it. */
function shift(d: Float64Array, e: Float64Array, l: number, n: number): number {
  const g = d[l]!;
  const p = (d[l + 1]! - g) / (2 * e[l]!);
  const r = p < 0 ? -hypot(p, 1) : hypot(p, 1);
  d[l] = e[l]! / (p + r);
  d[l + 1] = e[l]! * (p + r);
  const h = g - d[l]!;
  for (let i = l + 2; i < n; i++) d[i]! -= h;
  return h;
}

/** One step over elements l to m. The k-th rotation is that of m − k and the one before. */
function step(
  d: Float64Array,
  e: Float64Array,
  l: number,
  m: number,
  cosines: Float64Array,
  sines: Float64Array,
): void {
  const next = d[l + 1]!;
  const beside = e[l + 1]!;
  let p = d[m]!;
  let [c, c2, c3] = [1, 1, 1];
  let [s, s2] = [0, 0];
  for (let i = m - 1; i >= l; i--) {
    c3 = c2;
    c2 = c;
    s2 = s;
    const g = c * e[i]!;
    const h = c * p;
    const r = hypot(p, e[i]!);
    e[i + 1] = s * r;
    s = e[i]! / r;
    c = p / r;
    p = c * d[i]! - s * g;
    d[i + 1] = h + s * (c * g + s * d[i]!);
    cosines[m - 1 - i] = c;
    sines[m - 1 - i] = s;
  }
  p = (-s * s2 * c3 * beside * e[l]!) / next;
  e[l] = s * p;
  d[l] = c * p;
}

/** Sorts the eigenvalues, and their vectors with them. */
function sort(v: Float64Array | null, d: Float64Array, n: number): void {
  for (let to = 0; to < n - 1; to++) {
    let least = to;
    for (let k = to + 1; k < n; k++) if (d[k]! < d[least]!) least = k;
    if (least === to) continue;
    const value = d[least]!;
    d[least] = d[to]!;
    d[to] = value;
    for (let k = 0; v !== null && k < n; k++) {
      const element = v[least * n + k]!;
      v[least * n + k] = v[to * n + k]!;
      v[to * n + k] = element;
    }
  }
}

function transpose(v: Float64Array, n: number): void {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const element = v[i * n + j]!;
      v[i * n + j] = v[j * n + i]!;
      v[j * n + i] = element;
    }
}

/**
 * Eigenvalues of a symmetric matrix, ascending, and its eigenvectors: Householder reflections make it tridiagonal, then QL steps with
 * implicit shifts. Source: Bowdler, Martin, Reinsch and Wilkinson, tred2 and tql2, Numerische Mathematik 11 (1968).
 */

import { hypot, largestOf } from "./lengths.ts";

/** Puts the eigenvalues into `d` [n]. The eigenvectors overwrite `v` [n, n], as columns; `e` [n] is overwritten. */
export function eigenvectors(v: Float64Array, n: number, d: Float64Array, e: Float64Array): void {
  if (n === 0) return;
  const scale = scaleOf(v);
  if (scale !== 1) for (let i = 0; i < v.length; i++) v[i]! /= scale;
  e.fill(0);
  tridiagonalise(v, d, e, n);
  diagonalise(v, d, e, n);
  if (scale !== 1) for (let i = 0; i < n; i++) d[i]! *= scale;
}

/** A power of two by which to divide a matrix whose squares overflow or underflow, 1 for any other. */
function scaleOf(matrix: Float64Array): number {
  const largest = largestOf(matrix);
  if (largest > 2 ** 400 && largest < Infinity) return 2 ** 600;
  return largest > 0 && largest < 2 ** -400 ? 2 ** -600 : 1;
}

function tridiagonalise(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) d[j] = v[(n - 1) * n + j]!;
  for (let i = n - 1; i > 0; i--) {
    let scale = 0;
    let h = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(d[k]!);
    if (scale === 0) {
      e[i] = d[i - 1]!;
      for (let j = 0; j < i; j++) {
        d[j] = v[(i - 1) * n + j]!;
        v[i * n + j] = 0;
        v[j * n + i] = 0;
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
        v[j * n + i] = f;
        let sum = e[j]! + v[j * n + j]! * f;
        for (let k = j + 1; k < i; k++) {
          sum += v[k * n + j]! * d[k]!;
          e[k]! += v[k * n + j]! * f;
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
        for (let k = j; k < i; k++) v[k * n + j]! -= f * e[k]! + shift * d[k]!;
        d[j] = v[(i - 1) * n + j]!;
        v[i * n + j] = 0;
      }
    }
    d[i] = h;
  }
  gatherReflections(v, d, n);
  e[0] = 0;
}

/** The product of the reflections, as columns of `v`; the diagonal goes to `d`. */
function gatherReflections(v: Float64Array, d: Float64Array, n: number): void {
  for (let i = 0; i < n - 1; i++) {
    v[(n - 1) * n + i] = v[i * n + i]!;
    v[i * n + i] = 1;
    const h = d[i + 1]!;
    if (h !== 0) {
      for (let k = 0; k <= i; k++) d[k] = v[k * n + i + 1]! / h;
      for (let j = 0; j <= i; j++) {
        let g = 0;
        for (let k = 0; k <= i; k++) g += v[k * n + i + 1]! * v[k * n + j]!;
        for (let k = 0; k <= i; k++) v[k * n + j]! -= g * d[k]!;
      }
    }
    for (let k = 0; k <= i; k++) v[k * n + i + 1] = 0;
  }
  for (let j = 0; j < n; j++) {
    d[j] = v[(n - 1) * n + j]!;
    v[(n - 1) * n + j] = 0;
  }
  v[n * n - 1] = 1;
}

function diagonalise(v: Float64Array, d: Float64Array, e: Float64Array, n: number): void {
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
      rotate(v, d, e, l, m, n);
    }
    d[l]! += shifted;
    e[l] = 0;
  }
  sortColumns(v, d, n);
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

function rotate(v: Float64Array, d: Float64Array, e: Float64Array, l: number, m: number, n: number): void {
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
    for (let k = 0; k < n; k++) {
      const upper = v[k * n + i + 1]!;
      v[k * n + i + 1] = s * v[k * n + i]! + c * upper;
      v[k * n + i] = c * v[k * n + i]! - s * upper;
    }
  }
  p = (-s * s2 * c3 * beside * e[l]!) / next;
  e[l] = s * p;
  d[l] = c * p;
}

function sortColumns(v: Float64Array, d: Float64Array, n: number): void {
  for (let to = 0; to < n - 1; to++) {
    let least = to;
    for (let k = to + 1; k < n; k++) if (d[k]! < d[least]!) least = k;
    if (least === to) continue;
    const value = d[least]!;
    d[least] = d[to]!;
    d[to] = value;
    for (let k = 0; k < n * n; k += n) {
      const element = v[k + least]!;
      v[k + least] = v[k + to]!;
      v[k + to] = element;
    }
  }
}

/** Cholesky factors, and triangular systems. Matrices are float64, row-major, and are overwritten. */

/**
 * Computes L of a = L·Lᵀ in the lower triangle of `a`, and zeros the upper one. Returns the order of the first leading minor that is not
 * positive, or 0 if there is none.
 */
export function factorSymmetric(a: Float64Array, n: number): number {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= a[i * n + k]! * a[j * n + k]!;
      if (i > j) a[i * n + j] = sum / a[j * n + j]!;
      else if (sum > 0) a[i * n + i] = Math.sqrt(sum);
      else return i + 1;
    }
    a.fill(0, i * n + i + 1, (i + 1) * n);
  }
  return 0;
}

/**
 * Computes X of a·X = b in place of `b` [n, columns]. Only the upper or the lower triangle of a is read; if `isUnit`, its diagonal counts
 * as ones.
 */
export function solveTriangle(
  a: Float64Array,
  n: number,
  b: Float64Array,
  columns: number,
  isUpper: boolean,
  isUnit: boolean,
): void {
  for (let step = 0; step < n; step++) {
    const i = isUpper ? n - 1 - step : step;
    const [from, to] = isUpper ? [i + 1, n] : [0, i];
    for (let k = from; k < to; k++) {
      const factor = a[i * n + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < columns; j++) b[i * columns + j]! -= factor * b[k * columns + j]!;
    }
    if (isUnit) continue;
    const pivot = a[i * n + i]!;
    for (let j = 0; j < columns; j++) b[i * columns + j]! /= pivot;
  }
}

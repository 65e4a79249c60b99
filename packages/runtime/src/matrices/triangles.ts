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
    for (let j = i + 1; j < n; j++) a[i * n + j] = 0;
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
    subtractRows(a, i * n, b, columns, i, from, to);
    if (isUnit) continue;
    const pivot = a[i * n + i]!;
    for (let j = i * columns; j < (i + 1) * columns; j++) b[j]! /= pivot;
  }
}

/**
 * Subtracts rows `from` to `to` of b from its row i, times the numbers from `row` on in a. Four rows at a time, so that an element of row i is
 * loaded and stored once for them; the order is that of one by one. Rows times 0 are left out.
 */
function subtractRows(
  a: Float64Array,
  row: number,
  b: Float64Array,
  columns: number,
  i: number,
  from: number,
  to: number,
): void {
  const [first, end] = [i * columns, (i + 1) * columns];
  let k = from;
  while (k < to) {
    const factor = a[row + k]!;
    let other = k * columns;
    if (columns > 1 && k + 4 <= to) {
      const second = a[row + k + 1]!;
      const third = a[row + k + 2]!;
      const fourth = a[row + k + 3]!;
      if (factor !== 0 && second !== 0 && third !== 0 && fourth !== 0) {
        for (let j = first; j < end; j++, other++) {
          let left = b[j]! - factor * b[other]!;
          left -= second * b[other + columns]!;
          left -= third * b[other + 2 * columns]!;
          b[j] = left - fourth * b[other + 3 * columns]!;
        }
        k += 4;
        continue;
      }
    }
    if (factor !== 0) for (let j = first; j < end; j++, other++) b[j]! -= factor * b[other]!;
    k++;
  }
}

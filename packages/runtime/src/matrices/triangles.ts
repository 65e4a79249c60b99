/** Cholesky factors, and triangular systems. Matrices are float64, row-major, and are overwritten. */

/**
 * Computes L of a = L·Lᵀ in the lower triangle of `a`, and zeros the upper one. Returns the order of the first leading minor that is not
 * positive, or 0 if there is none.
 */
export function factorSymmetric(a: Float64Array, n: number): number {
  for (let j = 0; j < n; j++) {
    const row = j * n;
    let square = a[row + j]!;
    for (let k = 0; k < j; k++) square -= a[row + k]! * a[row + k]!;
    if (!(square > 0)) return j + 1;
    const pivot = Math.sqrt(square);
    a[row + j] = pivot;
    // Four rows at a time: each waits for its last subtraction.
    let i = j + 1;
    for (; i + 4 <= n; i += 4) {
      const own = i * n;
      let first = a[own + j]!;
      let second = a[own + n + j]!;
      let third = a[own + 2 * n + j]!;
      let fourth = a[own + 3 * n + j]!;
      for (let k = 0; k < j; k++) {
        const element = a[row + k]!;
        first -= a[own + k]! * element;
        second -= a[own + n + k]! * element;
        third -= a[own + 2 * n + k]! * element;
        fourth -= a[own + 3 * n + k]! * element;
      }
      a[own + j] = first / pivot;
      a[own + n + j] = second / pivot;
      a[own + 2 * n + j] = third / pivot;
      a[own + 3 * n + j] = fourth / pivot;
    }
    for (; i < n; i++) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= a[i * n + k]! * a[row + k]!;
      a[i * n + j] = sum / pivot;
    }
    a.fill(0, row + j + 1, row + n);
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
    subtractRows(a, i * n + from, b, columns, 0, i, from, to);
    if (isUnit) continue;
    const pivot = a[i * n + i]!;
    for (let j = i * columns; j < (i + 1) * columns; j++) b[j]! /= pivot;
  }
}

/**
 * Subtracts rows `from` to `to` of b [.., columns] from its row i, each times the next of the numbers that begin at `at` in a, in the columns
 * from `first` on. Four rows at a time, so that an element of row i is loaded and stored once for them; the order is that of one by one.
 * Rows times 0 are left out.
 */
export function subtractRows(
  a: Float64Array,
  at: number,
  b: Float64Array,
  columns: number,
  first: number,
  i: number,
  from: number,
  to: number,
): void {
  const [begin, end] = [i * columns + first, (i + 1) * columns];
  let k = from;
  while (k < to) {
    const place = at + k - from;
    const factor = a[place]!;
    let other = k * columns + first;
    if (end - begin > 1 && k + 4 <= to) {
      const second = a[place + 1]!;
      const third = a[place + 2]!;
      const fourth = a[place + 3]!;
      if (factor !== 0 && second !== 0 && third !== 0 && fourth !== 0) {
        for (let j = begin; j < end; j++, other++) {
          let left = b[j]! - factor * b[other]!;
          left -= second * b[other + columns]!;
          left -= third * b[other + 2 * columns]!;
          b[j] = left - fourth * b[other + 3 * columns]!;
        }
        k += 4;
        continue;
      }
    }
    if (factor !== 0) for (let j = begin; j < end; j++, other++) b[j]! -= factor * b[other]!;
    k++;
  }
}

/** Gaussian elimination with partial pivoting. Matrices are float64, row-major, and are overwritten. */
import { solveTriangle } from "./triangles.ts";

export interface Elimination {
  /** Row i of P·a is row `rows[i]` of a. */
  readonly rows: Int32Array;
  /** By step: the row, counted from 1, that was swapped with the row of that step. */
  readonly pivots: Int32Array;
  /** The sign of the permutation: 1 or −1. */
  readonly sign: number;
  /** The position of the first zero on U's diagonal, counted from 1; 0 if there is none. */
  readonly zero: number;
}

/** Computes L (with ones on its diagonal) and U of P·a = L·U in place of `a` [n, columns]. */
export function eliminate(a: Float64Array, n: number, columns = n): Elimination {
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  let sign = 1;
  let zero = 0;
  const pivots = new Int32Array(Math.min(n, columns));
  for (let k = 0; k < pivots.length; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++)
      if (Math.abs(a[i * columns + k]!) > Math.abs(a[best * columns + k]!)) best = i;
    pivots[k] = best + 1;
    if (best !== k) {
      for (let j = 0; j < columns; j++)
        [a[k * columns + j], a[best * columns + j]] = [a[best * columns + j]!, a[k * columns + j]!];
      [rows[k], rows[best]] = [rows[best]!, rows[k]!];
      sign = -sign;
    }
    const pivot = a[k * columns + k]!;
    if (pivot === 0) {
      if (zero === 0) zero = k + 1;
      continue;
    }
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * columns + k]! / pivot;
      a[i * columns + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < columns; j++) a[i * columns + j]! -= factor * a[k * columns + j]!;
    }
  }
  return { rows, pivots, sign, zero };
}

/** X [n, columns] of a·X = b, from the result of {@link eliminate} for a. */
export function solveEliminated(
  factors: Float64Array,
  { rows }: Elimination,
  n: number,
  b: Float64Array,
  columns: number,
): Float64Array {
  const x = new Float64Array(n * columns);
  for (let i = 0; i < n; i++) x.set(b.subarray(rows[i]! * columns, (rows[i]! + 1) * columns), i * columns);
  solveTriangle(factors, n, x, columns, false, true);
  solveTriangle(factors, n, x, columns, true, false);
  return x;
}

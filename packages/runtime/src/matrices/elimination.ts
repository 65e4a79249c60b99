/** Gaussian elimination with partial pivoting. Matrices are float64, row-major, and written over. */
import { solveTriangle } from "./triangles.ts";

export interface Elimination {
  /** Row i of P·a is row `rows[i]` of a. */
  readonly rows: Int32Array;
  /** Of the permutation: 1 or −1. */
  readonly sign: number;
  /** The place of the first zero on U's diagonal, counted from 1; 0 when there is none. */
  readonly zero: number;
}

/** L (ones on its diagonal) and U of P·a = L·U, over `a`. */
export function eliminate(a: Float64Array, n: number): Elimination {
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  let sign = 1;
  let zero = 0;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]!) > Math.abs(a[best * n + k]!)) best = i;
    if (best !== k) {
      for (let j = 0; j < n; j++) [a[k * n + j], a[best * n + j]] = [a[best * n + j]!, a[k * n + j]!];
      [rows[k], rows[best]] = [rows[best]!, rows[k]!];
      sign = -sign;
    }
    const pivot = a[k * n + k]!;
    if (pivot === 0) {
      if (zero === 0) zero = k + 1;
      continue;
    }
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k]! / pivot;
      a[i * n + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[i * n + j]! -= factor * a[k * n + j]!;
    }
  }
  return { rows, sign, zero };
}

/** X [n, columns] of a·X = b, from what {@link eliminate} made of a. */
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

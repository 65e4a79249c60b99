/** Gaussian elimination with partial pivoting. Matrices are float64, row-major, and are overwritten. */
import { solveTriangle, subtractRows } from "./triangles.ts";

/** What {@link eliminate} found in a matrix [n, columns]. One is used for one matrix after another. */
export class Elimination {
  /** Row i of P·a is row `rows[i]` of a. */
  readonly rows: Int32Array;
  /** By step: the row, counted from 1, that was swapped with the row of that step. */
  readonly pivots: Int32Array;
  /** The sign of the permutation: 1 or −1. */
  sign = 1;
  /** The position of the first zero on U's diagonal, counted from 1; 0 if there is none. */
  zero = 0;

  constructor(n: number, columns: number) {
    this.rows = new Int32Array(n);
    this.pivots = new Int32Array(Math.min(n, columns));
  }
}

/** Columns of which the factors are found before the columns behind them are touched. */
const PANEL = 4;

/** Computes L (with ones on its diagonal) and U of P·a = L·U in place of `a` [n, columns]. */
export function eliminate(a: Float64Array, n: number, columns: number, found: Elimination): void {
  const { rows, pivots } = found;
  for (let i = 0; i < n; i++) rows[i] = i;
  found.sign = 1;
  found.zero = 0;
  for (let first = 0; first < pivots.length; first += PANEL) {
    const end = Math.min(first + PANEL, pivots.length);
    for (let k = first; k < end; k++) eliminateColumn(a, n, columns, found, k, end);
    if (end < columns)
      for (let i = first + 1; i < n; i++)
        subtractRows(a, i * columns + first, a, columns, end, i, first, Math.min(i, end));
  }
}

/** Finds the pivot and the factors of column k, and subtracts its row from those below, up to column `end`. */
function eliminateColumn(
  a: Float64Array,
  n: number,
  columns: number,
  found: Elimination,
  k: number,
  end: number,
): void {
  const { rows, pivots } = found;
  let best = k;
  for (let i = k + 1; i < n; i++)
    if (Math.abs(a[i * columns + k]!) > Math.abs(a[best * columns + k]!)) best = i;
  pivots[k] = best + 1;
  if (best !== k) {
    for (let j = 0; j < columns; j++) swap(a, k * columns + j, best * columns + j);
    swap(rows, k, best);
    found.sign = -found.sign;
  }
  const pivot = a[k * columns + k]!;
  if (pivot === 0) {
    if (found.zero === 0) found.zero = k + 1;
    return;
  }
  for (let i = k + 1; i < n; i++) {
    const factor = a[i * columns + k]! / pivot;
    a[i * columns + k] = factor;
    if (factor === 0) continue;
    for (let j = k + 1; j < end; j++) a[i * columns + j]! -= factor * a[k * columns + j]!;
  }
}

function swap(x: Float64Array | Int32Array, i: number, j: number): void {
  const own = x[i]!;
  x[i] = x[j]!;
  x[j] = own;
}

/** Computes X [n, columns] of a·X = b, from what {@link eliminate} made of a and has found. `b` is left as it is. */
export function solveEliminated(
  factors: Float64Array,
  { rows }: Elimination,
  n: number,
  b: Float64Array,
  x: Float64Array,
  columns: number,
): void {
  for (let i = 0, to = 0; i < n; i++)
    for (let j = 0, from = rows[i]! * columns; j < columns; j++) x[to++] = b[from++]!;
  solveTriangle(factors, n, x, columns, false, true);
  solveTriangle(factors, n, x, columns, true, false);
}

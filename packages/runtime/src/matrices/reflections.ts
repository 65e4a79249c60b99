/** A = Q·R by Householder reflections, with LAPACK's signs (dgeqrf). Matrices are float64, row-major. */
import { hypot, lengthOf } from "./lengths.ts";

/** Decomposes matrices [m, n], one after another. `columns` is min(m, n), or m for the complete Q. */
export class Reflections {
  /** [m, columns], of the last matrix. */
  readonly q: Float64Array;
  /** [columns, n], of the last matrix. */
  readonly r: Float64Array;
  readonly #m: number;
  readonly #n: number;
  readonly #columns: number;
  readonly #factors: Float64Array;
  readonly #sums: Float64Array;

  constructor(m: number, n: number, columns: number) {
    this.q = new Float64Array(m * columns);
    this.r = new Float64Array(columns * n);
    [this.#m, this.#n, this.#columns] = [m, n, columns];
    this.#factors = new Float64Array(Math.min(m, n));
    this.#sums = new Float64Array(Math.max(n, columns));
  }

  /** Decomposes `a`, which is overwritten. */
  decompose(a: Float64Array): void {
    const { q, r } = this;
    const [m, n, columns, factors, sums] = [this.#m, this.#n, this.#columns, this.#factors, this.#sums];
    for (let k = 0; k < factors.length; k++) {
      factors[k] = 0;
      const below = lengthOf(a, (k + 1) * n + k, m - k - 1, n);
      const alpha = a[k * n + k]!;
      if (below === 0) continue;
      const beta = -Math.sign(alpha || 1) * hypot(alpha, below);
      factors[k] = (beta - alpha) / beta;
      for (let i = k + 1; i < m; i++) a[i * n + k]! /= alpha - beta;
      a[k * n + k] = beta;
      applyReflection(a, n, k, factors[k]!, a, n, k + 1, m, sums);
    }
    for (let i = 0; i < columns; i++) for (let j = 0; j < n; j++) r[i * n + j] = j < i ? 0 : a[i * n + j]!;
    q.fill(0);
    for (let i = 0; i < columns; i++) q[i * columns + i] = 1;
    for (let k = factors.length - 1; k >= 0; k--)
      applyReflection(a, n, k, factors[k]!, q, columns, k, m, sums);
  }
}

/** Multiplies the columns of `x` from `first` on by I − factor·v·vᵀ. v has 1 in row k, and below it the elements of column k of `a`. */
function applyReflection(
  a: Float64Array,
  n: number,
  k: number,
  factor: number,
  x: Float64Array,
  width: number,
  first: number,
  m: number,
  sums: Float64Array,
): void {
  if (factor === 0) return;
  for (let j = first; j < width; j++) sums[j] = x[k * width + j]!;
  for (let i = k + 1; i < m; i++) {
    const v = a[i * n + k]!;
    for (let j = first; j < width; j++) sums[j]! += v * x[i * width + j]!;
  }
  for (let j = first; j < width; j++) x[k * width + j]! -= factor * sums[j]!;
  for (let i = k + 1; i < m; i++) {
    const v = factor * a[i * n + k]!;
    for (let j = first; j < width; j++) x[i * width + j]! -= v * sums[j]!;
  }
}

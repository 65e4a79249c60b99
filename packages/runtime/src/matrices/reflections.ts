/** A = Q·R by Householder reflections, with LAPACK's signs (dgeqrf). Matrices are float64, row-major. */
import { hypot, lengthOf } from "./lengths.ts";

/** What makes matrices [m, n] triangular, one after another. */
export class Reflections {
  readonly #m: number;
  readonly #n: number;
  /** R on and above the diagonal of the last matrix, and below it the vectors of the reflections without their first element, which is 1. */
  #packed: Float64Array = new Float64Array(0);
  readonly #factors: Float64Array;
  #sums: Float64Array;

  constructor(m: number, n: number) {
    [this.#m, this.#n] = [m, n];
    this.#factors = new Float64Array(Math.min(m, n));
    this.#sums = new Float64Array(n);
  }

  /** Makes `a` triangular: R is on and above its diagonal. It must stay as it is until the next one. */
  make(a: Float64Array): void {
    const [m, n, factors] = [this.#m, this.#n, this.#factors];
    this.#packed = a;
    for (let k = 0; k < factors.length; k++) {
      factors[k] = 0;
      const below = lengthOf(a, (k + 1) * n + k, m - k - 1, n);
      const alpha = a[k * n + k]!;
      if (below === 0) continue;
      const beta = -Math.sign(alpha || 1) * hypot(alpha, below);
      factors[k] = (beta - alpha) / beta;
      for (let i = k + 1; i < m; i++) a[i * n + k]! /= alpha - beta;
      a[k * n + k] = beta;
      this.#reflect(k, a, n, k + 1);
    }
  }

  /** Puts Qᵀ·x, or Q·x if `isBack`, in place of `x` [m, columns]. */
  apply(x: Float64Array, columns: number, isBack: boolean): void {
    if (columns > this.#sums.length) this.#sums = new Float64Array(columns);
    const count = this.#factors.length;
    for (let step = 0; step < count; step++) this.#reflect(isBack ? count - 1 - step : step, x, columns, 0);
  }

  /** Puts the first `columns` columns of Q into `q` [m, columns]. */
  orthogonal(q: Float64Array, columns: number): void {
    if (columns > this.#sums.length) this.#sums = new Float64Array(columns);
    q.fill(0);
    for (let i = 0; i < columns; i++) q[i * columns + i] = 1;
    // The columns before are still those of the identity.
    for (let k = this.#factors.length - 1; k >= 0; k--) this.#reflect(k, q, columns, k);
  }

  /** Puts the first `rows` rows of R into `r` [rows, n]. */
  triangular(r: Float64Array, rows: number): void {
    const [n, a] = [this.#n, this.#packed];
    for (let i = 0; i < rows; i++) for (let j = 0; j < n; j++) r[i * n + j] = j < i ? 0 : a[i * n + j]!;
  }

  /**
   * Multiplies the columns of `x` [m, width] from `first` on by I − factor·v·vᵀ, the k-th reflection. Four rows at a time, so that a sum is
   * loaded and stored once for them; the order is that of one by one.
   */
  #reflect(k: number, x: Float64Array, width: number, first: number): void {
    const [m, n, a, sums] = [this.#m, this.#n, this.#packed, this.#sums];
    const factor = this.#factors[k]!;
    if (factor === 0 || first >= width) return;
    for (let j = first, at = k * width + first; j < width; j++, at++) sums[j] = x[at]!;
    const whole = m - ((m - k - 1) % 4);
    for (let i = k + 1; i < whole; i += 4) {
      const v = i * n + k;
      const v0 = a[v]!;
      const v1 = a[v + n]!;
      const v2 = a[v + 2 * n]!;
      const v3 = a[v + 3 * n]!;
      for (let j = first, at = i * width + first; j < width; j++, at++) {
        let sum = sums[j]! + v0 * x[at]!;
        sum += v1 * x[at + width]!;
        sum += v2 * x[at + 2 * width]!;
        sums[j] = sum + v3 * x[at + 3 * width]!;
      }
    }
    for (let i = whole; i < m; i++) {
      const v = a[i * n + k]!;
      for (let j = first, at = i * width + first; j < width; j++, at++) sums[j]! += v * x[at]!;
    }
    for (let j = first, at = k * width + first; j < width; j++, at++) x[at]! -= factor * sums[j]!;
    for (let i = k + 1; i < whole; i += 4) {
      const v = i * n + k;
      const v0 = factor * a[v]!;
      const v1 = factor * a[v + n]!;
      const v2 = factor * a[v + 2 * n]!;
      const v3 = factor * a[v + 3 * n]!;
      for (let j = first, at = i * width + first; j < width; j++, at++) {
        const sum = sums[j]!;
        x[at]! -= v0 * sum;
        x[at + width]! -= v1 * sum;
        x[at + 2 * width]! -= v2 * sum;
        x[at + 3 * width]! -= v3 * sum;
      }
    }
    for (let i = whole; i < m; i++) {
      const v = factor * a[i * n + k]!;
      for (let j = first, at = i * width + first; j < width; j++, at++) x[at]! -= v * sums[j]!;
    }
  }
}

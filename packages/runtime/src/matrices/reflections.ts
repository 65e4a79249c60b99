/** A = Q·R by Householder reflections, with LAPACK's signs (dgeqrf). Matrices are float64, row-major. */

/** Q [m, columns] and R [columns, n] of a [m, n], which is overwritten. `columns` is min(m, n), or m for the complete Q. */
export function reflect(
  a: Float64Array,
  m: number,
  n: number,
  columns: number,
): { q: Float64Array; r: Float64Array } {
  const count = Math.min(m, n);
  const factors = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    let below = 0;
    for (let i = k + 1; i < m; i++) below = Math.hypot(below, a[i * n + k]!);
    const alpha = a[k * n + k]!;
    if (below === 0) continue;
    const beta = -Math.sign(alpha || 1) * Math.hypot(alpha, below);
    factors[k] = (beta - alpha) / beta;
    for (let i = k + 1; i < m; i++) a[i * n + k]! /= alpha - beta;
    a[k * n + k] = beta;
    applyReflection(a, n, k, factors[k]!, a, n, k + 1, m);
  }
  const r = new Float64Array(columns * n);
  for (let i = 0; i < columns; i++) for (let j = i; j < n; j++) r[i * n + j] = a[i * n + j]!;
  const q = new Float64Array(m * columns);
  for (let i = 0; i < columns; i++) q[i * columns + i] = 1;
  for (let k = count - 1; k >= 0; k--) applyReflection(a, n, k, factors[k]!, q, columns, k, m);
  return { q, r };
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
): void {
  if (factor === 0) return;
  const sums = x.slice(k * width, (k + 1) * width);
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

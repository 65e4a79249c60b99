/**
 * A = U·B·Vᵀ by Householder reflections from both sides, where B has a diagonal and the elements to the right of it. Source: Golub and
 * Kahan, Calculating the singular values and pseudo-inverse of a matrix (1965). Matrices are float64, row-major.
 */
import { hypot, lengthOf } from "./lengths.ts";

/** Decomposes matrices [n, n], one after another. */
export class Bidiagonal {
  /** The diagonal of B. */
  readonly d: Float64Array;
  /** The elements to the right of the diagonal; the last is 0. */
  readonly e: Float64Array;
  readonly #left: Reflectors;
  readonly #right: Reflectors;
  readonly #sums: Float64Array;
  readonly #n: number;

  constructor(n: number) {
    this.#n = n;
    [this.d, this.e, this.#sums] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    [this.#left, this.#right] = [new Reflectors(n, 0), new Reflectors(n, 1)];
  }

  /** Decomposes `a`, which is overwritten. */
  decompose(a: Float64Array): void {
    const { d, e } = this;
    const [n, left, right, sums] = [this.#n, this.#left.vectors, this.#right.vectors, this.#sums];
    for (let k = 0; k < n; k++) {
      const row = k * n;
      for (let i = k; i < n; i++) left[row + i] = a[i * n + k]!;
      d[k] = this.#left.make(k);
      const factor = this.#left.factors[k]!;
      sums.fill(0, k + 1);
      for (let i = k; i < n; i++) {
        const own = left[row + i]!;
        for (let j = k + 1, at = i * n + j; j < n; j++, at++) sums[j]! += own * a[at]!;
      }
      // The reflection from the right is made of row k, so that both go over the rows below together.
      for (let j = k + 1; j < n; j++) right[row + j] = a[row + j]! - factor * sums[j]!;
      e[k] = this.#right.make(k);
      for (let i = k + 1; i < n; i++) {
        const own = factor * left[row + i]!;
        let along = 0;
        for (let j = k + 1, at = i * n + j; j < n; j++, at++) {
          const element = a[at]! - own * sums[j]!;
          a[at] = element;
          along += element * right[row + j]!;
        }
        along *= this.#right.factors[k]!;
        for (let j = k + 1, at = i * n + j; j < n; j++, at++) a[at]! -= along * right[row + j]!;
      }
    }
  }

  /** Puts Uᵀ and Vᵀ into `u` and `v` [n, n]. */
  vectors(u: Float64Array, v: Float64Array): void {
    this.#left.multiply(u);
    this.#right.multiply(v);
  }
}

/** Reflections I − factor·v·vᵀ of n elements, where v begins at element k + `shift` for the k-th of them. */
class Reflectors {
  /** The k-th v in row k. */
  readonly vectors: Float64Array;
  readonly factors: Float64Array;
  readonly #n: number;
  readonly #shift: number;

  constructor(n: number, shift: number) {
    [this.#n, this.#shift] = [n, shift];
    this.vectors = new Float64Array(n * n);
    this.factors = new Float64Array(n);
  }

  /** Makes the k-th, which leaves only the first of the elements that are where its v is to be. Returns that element. */
  make(k: number): number {
    const [x, n] = [this.vectors, this.#n];
    const [first, end] = [k * n + k + this.#shift, (k + 1) * n];
    this.factors[k] = 0;
    if (first >= end) return 0;
    const alpha = x[first]!;
    const below = lengthOf(x, first + 1, end - first - 1, 1);
    x[first] = 1;
    if (below === 0) return alpha;
    const beta = -Math.sign(alpha || 1) * hypot(alpha, below);
    this.factors[k] = (beta - alpha) / beta;
    for (let i = first + 1; i < end; i++) x[i]! /= alpha - beta;
    return beta;
  }

  /** Puts the transposed product of all, the first from the left, into `product` [n, n]. */
  multiply(product: Float64Array): void {
    const [x, n] = [this.vectors, this.#n];
    product.fill(0);
    for (let i = 0; i < n; i++) product[i * n + i] = 1;
    for (let k = n - 1; k >= 0; k--) {
      const factor = this.factors[k]!;
      const first = k + this.#shift;
      if (factor === 0) continue;
      // The rows and columns before are still those of the identity.
      for (let row = first * n; row < n * n; row += n) {
        let along = 0;
        for (let j = first; j < n; j++) along += product[row + j]! * x[k * n + j]!;
        along *= factor;
        for (let j = first; j < n; j++) product[row + j]! -= along * x[k * n + j]!;
      }
    }
  }
}

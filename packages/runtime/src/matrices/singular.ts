/**
 * A = U·diag(s)·Vᵀ: reflections make the matrix bidiagonal, and QR steps with implicit shifts make that diagonal. Source: Golub and Reinsch,
 * Singular value decomposition and least squares solutions, Numerische Mathematik 14 (1970).
 */
import { Bidiagonal } from "./bidiagonal.ts";
import { hypot, largestOf } from "./lengths.ts";
import { Reflections } from "./reflections.ts";
import { dot, turn, turnEach } from "./rotations.ts";

/** For each singular value, the most QR steps; two are usual. */
const MOST_STEPS = 60;
/** Elements that are smaller, where the largest is about 1, are 0. */
const TINY = 2 ** -966;

/** Decomposes matrices [m, n] with m ≥ n, one after another. U has `columns` columns, at least n; those beyond n complete the basis. */
export class Singular {
  /** The columns of U, stored as rows: [columns, m]. */
  readonly u: Float64Array;
  /** Descending. */
  readonly s: Float64Array;
  /** Vᵀ: [n, n]. */
  readonly v: Float64Array;
  readonly #m: number;
  readonly #n: number;
  readonly #columns: number;
  /** Where there are more rows than columns, of Q·R the R is decomposed. */
  readonly #reflections: Reflections | null;
  readonly #r: Float64Array;
  readonly #q: Float64Array;
  readonly #scaled: Float64Array;
  readonly #hasVectors: boolean;
  readonly #bidiagonal: Bidiagonal;
  readonly #left: Float64Array;
  readonly #right: Float64Array;
  readonly #steps: Steps;
  readonly #order: Int32Array;

  /** Without `hasVectors` only the singular values are computed. */
  constructor(m: number, n: number, columns: number, hasVectors = true) {
    [this.#m, this.#n, this.#columns] = [m, n, columns];
    this.#hasVectors = hasVectors;
    const size = hasVectors ? n * n : 0;
    this.u = new Float64Array(hasVectors ? columns * m : 0);
    this.s = new Float64Array(n);
    this.v = new Float64Array(size);
    this.#reflections = m > n ? new Reflections(m, n) : null;
    this.#r = new Float64Array(m > n ? n * n : 0);
    this.#q = new Float64Array(m > n && hasVectors ? m * columns : 0);
    this.#scaled = new Float64Array(m * n);
    this.#bidiagonal = new Bidiagonal(n);
    [this.#left, this.#right] = [new Float64Array(size), new Float64Array(size)];
    this.#steps = new Steps(this.#bidiagonal, this.#left, this.#right);
    this.#order = new Int32Array(n);
  }

  decompose(a: Float64Array): void {
    const { u, s, v } = this;
    const [n, left, right, order, scaled] = [this.#n, this.#left, this.#right, this.#order, this.#scaled];
    const largest = largestOf(a);
    if (!(largest < Infinity)) {
      for (const result of [u, s, v]) result.fill(Number.NaN);
      return;
    }
    const scale = largest > 0 ? 2 ** Math.floor(Math.log2(largest)) : 1;
    for (let i = 0; i < a.length; i++) scaled[i] = a[i]! / scale;
    const reflections = this.#reflections;
    reflections?.make(scaled);
    reflections?.triangular(this.#r, n);
    const bidiagonal = this.#bidiagonal;
    bidiagonal.decompose(reflections === null ? scaled : this.#r);
    if (left.length > 0) bidiagonal.vectors(left, right);
    this.#steps.run();
    const { d } = bidiagonal;
    sortDown(d, order);
    for (let to = 0; to < n; to++) s[to] = d[order[to]!]! * scale;
    if (!this.#hasVectors) return;
    for (let to = 0; to < n; to++) {
      const from = order[to]! * n;
      v.set(right.subarray(from, from + n), to * n);
      if (reflections === null) u.set(left.subarray(from, from + n), to * n);
    }
    if (reflections !== null) this.#multiply(reflections);
  }

  /** The columns of U are Q times those of R's, and what Q has beyond R. */
  #multiply(reflections: Reflections): void {
    const { u } = this;
    const [m, n, columns, left, order, q] = [
      this.#m,
      this.#n,
      this.#columns,
      this.#left,
      this.#order,
      this.#q,
    ];
    reflections.orthogonal(q, columns);
    for (let to = 0; to < n; to++)
      for (let i = 0; i < m; i++) u[to * m + i] = dot(q, i * columns, left, order[to]! * n, n);
    for (let to = n; to < columns; to++) for (let i = 0; i < m; i++) u[to * m + i] = q[i * columns + to]!;
  }
}

/** Fills `order` with the places of `x`, largest element first. Of equal ones, the first comes first. */
function sortDown(x: Float64Array, order: Int32Array): void {
  for (let k = 0; k < order.length; k++) {
    let to = k;
    for (; to > 0 && x[order[to - 1]!]! < x[k]!; to--) order[to] = order[to - 1]!;
    order[to] = k;
  }
}

/** The QR steps. Rotations of the columns of U and V are those of the rows of `left` and `right`, if these are not empty. */
class Steps {
  readonly #d: Float64Array;
  readonly #e: Float64Array;
  readonly #left: Float64Array;
  readonly #right: Float64Array;
  /** The rotations of one step. */
  readonly #cosines: readonly [left: Float64Array, right: Float64Array];
  readonly #sines: readonly [left: Float64Array, right: Float64Array];

  constructor({ d, e }: Bidiagonal, left: Float64Array, right: Float64Array) {
    [this.#d, this.#e, this.#left, this.#right] = [d, e, left, right];
    const perColumn = (): Float64Array => new Float64Array(d.length);
    this.#cosines = [perColumn(), perColumn()];
    this.#sines = [perColumn(), perColumn()];
  }

  /** Makes d the singular values, in no order, and e zeros. */
  run(): void {
    const [d, e, right] = [this.#d, this.#e, this.#right];
    const n = d.length;
    let most = MOST_STEPS * n;
    for (let end = n; end > 0; ) {
      let first = end - 1;
      while (first > 0 && !this.#isZero(e[first - 1]!, d[first - 1]!, d[first]!)) first--;
      if (first > 0) e[first - 1] = 0;
      if (first === end - 1 || most-- === 0) {
        end--;
        if (d[end]! >= 0) continue;
        d[end] = -d[end]!;
        if (right.length > 0) for (let i = end * n; i < (end + 1) * n; i++) right[i] = -right[i]!;
        continue;
      }
      let zero = end - 1;
      while (zero >= first) {
        const [before, after] = [zero > first ? e[zero - 1]! : 0, zero < end - 1 ? e[zero]! : 0];
        if (this.#isZero(d[zero]!, before, after)) break;
        zero--;
      }
      if (zero < first) this.#step(first, end);
      else {
        d[zero] = 0;
        if (zero === end - 1) this.#chaseUp(first, end);
        else this.#chaseDown(zero, end);
      }
    }
  }

  #isZero(x: number, before: number, after: number): boolean {
    return Math.abs(x) <= TINY + Number.EPSILON * (Math.abs(before) + Math.abs(after));
  }

  /** The last diagonal element of the block is 0: takes the element above it away. */
  #chaseUp(first: number, end: number): void {
    const [d, e, n] = [this.#d, this.#e, this.#d.length];
    let f = e[end - 2]!;
    e[end - 2] = 0;
    for (let j = end - 2; j >= first && f !== 0; j--) {
      const length = hypot(d[j]!, f);
      const [c, s] = [d[j]! / length, f / length];
      d[j] = length;
      if (j > first) {
        f = -s * e[j - 1]!;
        e[j - 1]! *= c;
      }
      turn(this.#right, j * n, (end - 1) * n, n, c, s);
    }
  }

  /** A diagonal element within the block is 0: takes the element beside it away. */
  #chaseDown(zero: number, end: number): void {
    const [d, e, n] = [this.#d, this.#e, this.#d.length];
    let f = e[zero]!;
    e[zero] = 0;
    for (let j = zero + 1; j < end && f !== 0; j++) {
      const length = hypot(d[j]!, f);
      const [c, s] = [d[j]! / length, f / length];
      d[j] = length;
      f = -s * e[j]!;
      e[j]! *= c;
      turn(this.#left, j * n, zero * n, n, c, s);
    }
  }

  /** One step over a block without zeros. */
  #step(first: number, end: number): void {
    const [d, e] = [this.#d, this.#e];
    const [[leftCosines, rightCosines], [leftSines, rightSines]] = [this.#cosines, this.#sines];
    const scale = Math.max(
      Math.abs(d[end - 1]!),
      Math.abs(d[end - 2]!),
      Math.abs(e[end - 2]!),
      Math.abs(d[first]!),
      Math.abs(e[first]!),
    );
    const [last, previous, between] = [d[end - 1]! / scale, d[end - 2]! / scale, e[end - 2]! / scale];
    const [begin, beside] = [d[first]! / scale, e[first]! / scale];
    const half = ((previous + last) * (previous - last) + between * between) / 2;
    const product = (last * between) ** 2;
    const root = Math.sqrt(half * half + product);
    const shift = root === 0 ? 0 : product / (half + (half < 0 ? -root : root));
    let f = (begin + last) * (begin - last) + shift;
    let g = begin * beside;
    for (let j = first; j < end - 1; j++) {
      let length = hypot(f, g);
      let [c, s] = length === 0 ? [1, 0] : [f / length, g / length];
      if (j > first) e[j - 1] = length;
      [rightCosines[j - first], rightSines[j - first]] = [c, s];
      f = c * d[j]! + s * e[j]!;
      e[j] = c * e[j]! - s * d[j]!;
      g = s * d[j + 1]!;
      d[j + 1]! *= c;
      length = hypot(f, g);
      [c, s] = length === 0 ? [1, 0] : [f / length, g / length];
      d[j] = length;
      [leftCosines[j - first], leftSines[j - first]] = [c, s];
      f = c * e[j]! + s * d[j + 1]!;
      d[j + 1] = c * d[j + 1]! - s * e[j]!;
      if (j === end - 2) break;
      g = s * e[j + 1]!;
      e[j + 1]! *= c;
    }
    e[end - 2] = f;
    turnEach(this.#right, d.length, first, end - 1, rightCosines, rightSines);
    turnEach(this.#left, d.length, first, end - 1, leftCosines, leftSines);
  }
}

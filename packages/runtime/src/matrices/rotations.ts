/** Rotations of the rows of float64 matrices. */

/** Rotates two parts of `x`: p becomes c·p + s·q, and q becomes c·q − s·p. Nothing happens where `x` is empty. */
export function turn(x: Float64Array, p: number, q: number, length: number, c: number, s: number): void {
  if (x.length === 0) return;
  for (let i = 0; i < length; i++) {
    const a = x[p + i]!;
    const b = x[q + i]!;
    x[p + i] = c * a + s * b;
    x[q + i] = c * b - s * a;
  }
}

/**
 * {@link turn} for rows `from` and the one after it of `x` [rows, n], then for the next two, up to row `to`; or for those before it, if `to`
 * is less. Row `from` + k has the k-th rotation, or `from` − k. Two rotations at a time, so that the row between them is loaded and stored once.
 */
export function turnEach(
  x: Float64Array,
  n: number,
  from: number,
  to: number,
  cosines: Float64Array,
  sines: Float64Array,
): void {
  if (x.length === 0) return;
  const count = Math.abs(to - from);
  const stride = to < from ? -n : n;
  let first = from * n;
  let k = 0;
  for (; k + 1 < count; k += 2, first += 2 * stride) {
    const c = cosines[k]!;
    const s = sines[k]!;
    const nextC = cosines[k + 1]!;
    const nextS = sines[k + 1]!;
    for (let i = first, end = i + n; i < end; i++) {
      const a = x[i]!;
      const b = x[i + stride]!;
      const last = x[i + 2 * stride]!;
      const between = c * b - s * a;
      x[i] = c * a + s * b;
      x[i + stride] = nextC * between + nextS * last;
      x[i + 2 * stride] = nextC * last - nextS * between;
    }
  }
  if (k < count) turn(x, first, first + stride, n, cosines[k]!, sines[k]!);
}

/** The inner product of two parts. In four sums: each waits for its last addition. */
export function dot(x: Float64Array, p: number, y: Float64Array, q: number, length: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = length - (length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[p + i]! * y[q + i]!;
    b += x[p + i + 1]! * y[q + i + 1]!;
    c += x[p + i + 2]! * y[q + i + 2]!;
    d += x[p + i + 3]! * y[q + i + 3]!;
  }
  for (let i = whole; i < length; i++) a += x[p + i]! * y[q + i]!;
  return a + b + (c + d);
}

/** Sizes of vectors and matrices, without overflow. */

/** The largest absolute value; NaN if there is one, 0 if there is nothing. */
export function largestOf(x: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]!));
  return largest;
}

/** √(a² + b²), as LAPACK's dlapy2. */
export function hypot(a: number, b: number): number {
  const [x, y] = [Math.abs(a), Math.abs(b)];
  const most = Math.max(x, y);
  if (most === 0 || most === Infinity) return most;
  const ratio = Math.min(x, y) / most;
  return most * Math.sqrt(1 + ratio * ratio);
}

/** The length of the vector of every `step`-th of the elements of x, `count` of them, beginning at `from`. */
export function lengthOf(x: Float64Array, from: number, count: number, step: number): number {
  let most = 0;
  for (let k = 0, i = from; k < count; k++, i += step) most = Math.max(most, Math.abs(x[i]!));
  if (most === 0 || most === Infinity) return most;
  let sum = 0;
  for (let k = 0, i = from; k < count; k++, i += step) {
    const part = x[i]! / most;
    sum += part * part;
  }
  return most * Math.sqrt(sum);
}

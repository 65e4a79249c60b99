/** Elements on their way to and from contenders. */

/** For libraries without bytes. */
export const widened = (elements: Float32Array | Int32Array | Uint8Array): Float32Array | Int32Array =>
  elements instanceof Uint8Array ? Int32Array.from(elements) : elements;

/** All elements of several results, one result after the other. */
export function concatenated(results: readonly ArrayLike<number | bigint>[]): Float64Array {
  const all = new Float64Array(results.reduce((count, { length }) => count + length, 0));
  let start = 0;
  for (const result of results) {
    for (let k = 0; k < result.length; k++) all[start + k] = Number(result[k]);
    start += result.length;
  }
  return all;
}

/** (x − mean) / deviation of every column, in three passes. Sums are float64, everything else float32. */
const { fround, min, sqrt } = Math;

type Loop = (x: Float32Array, height: number, width: number, out: Float32Array) => Float32Array;

const squareOf = (x: number, mean: number): number => {
  const difference = fround(x - mean);
  return fround(difference * difference);
};

/** Over columns `from` to `to`: row after row. */
function standardise(
  x: Float32Array,
  height: number,
  width: number,
  out: Float32Array,
  from: number,
  to: number,
): void {
  const sums = new Float64Array(to - from);
  const means = new Float32Array(to - from);
  const deviations = new Float32Array(to - from);
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) sums[j]! += x[start + j]!;
  }
  for (let j = 0; j < sums.length; j++) means[j] = fround(fround(sums[j]!) / height);
  sums.fill(0);
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) sums[j]! += squareOf(x[start + j]!, means[j]!);
  }
  for (let j = 0; j < sums.length; j++) deviations[j] = fround(sqrt(fround(fround(sums[j]!) / (height - 1))));
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++)
      out[start + j] = fround(fround(x[start + j]! - means[j]!) / deviations[j]!);
  }
}

/** The same, four rows at a time, so that the sums are read and written a quarter as often. The height is a multiple of 4. */
function standardiseBy4(
  x: Float32Array,
  height: number,
  width: number,
  out: Float32Array,
  from: number,
  to: number,
): void {
  const sums = new Float64Array(to - from);
  const means = new Float32Array(to - from);
  const deviations = new Float32Array(to - from);
  for (let i = 0; i < height; i += 4) {
    const a = i * width + from;
    const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
    for (let j = 0; j < sums.length; j++) sums[j] = sums[j]! + x[a + j]! + x[b + j]! + x[c + j]! + x[d + j]!;
  }
  for (let j = 0; j < sums.length; j++) means[j] = fround(fround(sums[j]!) / height);
  sums.fill(0);
  for (let i = 0; i < height; i += 4) {
    const a = i * width + from;
    const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
    for (let j = 0; j < sums.length; j++) {
      const mean = means[j]!;
      sums[j] =
        sums[j]! +
        squareOf(x[a + j]!, mean) +
        squareOf(x[b + j]!, mean) +
        squareOf(x[c + j]!, mean) +
        squareOf(x[d + j]!, mean);
    }
  }
  for (let j = 0; j < sums.length; j++) deviations[j] = fround(sqrt(fround(fround(sums[j]!) / (height - 1))));
  for (let i = 0; i < height; i += 4) {
    const a = i * width + from;
    const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
    for (let j = 0; j < sums.length; j++) {
      const mean = means[j]!;
      const deviation = deviations[j]!;
      out[a + j] = fround(fround(x[a + j]! - mean) / deviation);
      out[b + j] = fround(fround(x[b + j]! - mean) / deviation);
      out[c + j] = fround(fround(x[c + j]! - mean) / deviation);
      out[d + j] = fround(fround(x[d + j]! - mean) / deviation);
    }
  }
}

/** So many columns at a time, from the first pass to the last: they are still in a cache when they are read again. */
const inStrips =
  (range: typeof standardise, strip: number): Loop =>
  (x, height, width, out) => {
    for (let from = 0; from < width; from += strip)
      range(x, height, width, out, from, min(from + strip, width));
    return out;
  };

export const standardiseLoops = {
  "row after row": inStrips(standardise, Number.POSITIVE_INFINITY),
  "4 rows at a time": inStrips(standardiseBy4, Number.POSITIVE_INFINITY),
  "64 columns, 4 rows at a time": inStrips(standardiseBy4, 64),
  "256 columns, 4 rows at a time": inStrips(standardiseBy4, 256),
};

/** Softmax down the columns. The output's own memory holds the exponentials. */
const { exp, fround, max, min } = Math;

type Loop = (x: Float32Array, height: number, width: number, out: Float32Array) => Float32Array;

/** Over columns `from` to `to`: row after row. */
function softmax(
  x: Float32Array,
  height: number,
  width: number,
  out: Float32Array,
  from: number,
  to: number,
): void {
  const largest = new Float32Array(to - from).fill(-Infinity);
  const sums = new Float64Array(to - from);
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) largest[j] = max(largest[j]!, x[start + j]!);
  }
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) {
      const e = fround(exp(fround(x[start + j]! - largest[j]!)));
      out[start + j] = e;
      sums[j]! += e;
    }
  }
  const totals = Float32Array.from(sums);
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) out[start + j] = fround(out[start + j]! / totals[j]!);
  }
}

/** The same, with a comparison for the maximum, which is not asked to mind NaN, and two rows at a time. */
function softmaxBy2(
  x: Float32Array,
  height: number,
  width: number,
  out: Float32Array,
  from: number,
  to: number,
): void {
  const largest = new Float32Array(to - from).fill(-Infinity);
  const sums = new Float64Array(to - from);
  for (let i = 0; i < height; i++) {
    const start = i * width + from;
    for (let j = 0; j < sums.length; j++) {
      const value = x[start + j]!;
      if (value > largest[j]!) largest[j] = value;
    }
  }
  for (let i = 0; i < height; i += 2) {
    const a = i * width + from;
    const b = a + width;
    for (let j = 0; j < sums.length; j++) {
      const e = fround(exp(fround(x[a + j]! - largest[j]!)));
      const f = fround(exp(fround(x[b + j]! - largest[j]!)));
      out[a + j] = e;
      out[b + j] = f;
      sums[j] = sums[j]! + e + f;
    }
  }
  const totals = Float32Array.from(sums);
  for (let i = 0; i < height; i += 2) {
    const a = i * width + from;
    const b = a + width;
    for (let j = 0; j < sums.length; j++) {
      const total = totals[j]!;
      out[a + j] = fround(out[a + j]! / total);
      out[b + j] = fround(out[b + j]! / total);
    }
  }
}

const inStrips =
  (range: typeof softmax, strip: number): Loop =>
  (x, height, width, out) => {
    for (let from = 0; from < width; from += strip)
      range(x, height, width, out, from, min(from + strip, width));
    return out;
  };

export const softmaxColumnLoops = {
  "row after row": inStrips(softmax, Number.POSITIVE_INFINITY),
  "2 rows at a time": inStrips(softmaxBy2, Number.POSITIVE_INFINITY),
  "64 columns, 2 rows at a time": inStrips(softmaxBy2, 64),
  "256 columns, 2 rows at a time": inStrips(softmaxBy2, 256),
};

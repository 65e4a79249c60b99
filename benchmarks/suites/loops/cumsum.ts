/** |cumsum(x·y) − x| along rows. The running sum is float64, rounded where it is read. */
const { abs, fround } = Math;

type Loop = (x: Float32Array, y: Float32Array, width: number, out: Float32Array) => Float32Array;

const simple: Loop = (x, y, width, out) => {
  for (let start = 0; start < x.length; start += width) {
    let sum = 0;
    for (let i = start; i < start + width; i++) {
      sum += fround(x[i]! * y[i]!);
      out[i] = abs(fround(fround(sum) - x[i]!));
    }
  }
  return out;
};

/** Four rows at a time: their running sums do not wait for each other. The height is a multiple of 4. */
const by4Rows: Loop = (x, y, width, out) => {
  for (let start = 0; start < x.length; start += 4 * width) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let a = start; a < start + width; a++) {
      const b = a + width;
      const c = b + width;
      const d = c + width;
      s0 += fround(x[a]! * y[a]!);
      s1 += fround(x[b]! * y[b]!);
      s2 += fround(x[c]! * y[c]!);
      s3 += fround(x[d]! * y[d]!);
      out[a] = abs(fround(fround(s0) - x[a]!));
      out[b] = abs(fround(fround(s1) - x[b]!));
      out[c] = abs(fround(fround(s2) - x[c]!));
      out[d] = abs(fround(fround(s3) - x[d]!));
    }
  }
  return out;
};

export const cumsumLoops = { "simple loop": simple, "4 rows at a time": by4Rows };

/** exp(x)·y, and behind it in the output the sums of exp(x) over the rows, in float64. */
const { exp, fround } = Math;

type Loop = (x: Float32Array, y: Float32Array, width: number, out: Float32Array) => Float32Array;

const simple: Loop = (x, y, width, out) => {
  for (let start = 0, row = x.length; start < x.length; start += width, row++) {
    let sum = 0;
    for (let i = start; i < start + width; i++) {
      const e = fround(exp(x[i]!));
      out[i] = fround(e * y[i]!);
      sum += e;
    }
    out[row] = sum;
  }
  return out;
};

/** The width is a multiple of 4. */
const by4: Loop = (x, y, width, out) => {
  for (let start = 0, row = x.length; start < x.length; start += width, row++) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = start; i < start + width; i += 4) {
      const e0 = fround(exp(x[i]!));
      const e1 = fround(exp(x[i + 1]!));
      const e2 = fround(exp(x[i + 2]!));
      const e3 = fround(exp(x[i + 3]!));
      out[i] = fround(e0 * y[i]!);
      out[i + 1] = fround(e1 * y[i + 1]!);
      out[i + 2] = fround(e2 * y[i + 2]!);
      out[i + 3] = fround(e3 * y[i + 3]!);
      s0 += e0;
      s1 += e1;
      s2 += e2;
      s3 += e3;
    }
    out[row] = s0 + s1 + (s2 + s3);
  }
  return out;
};

export const sharedExpLoops = { "simple loop": simple, "4 lanes": by4 };

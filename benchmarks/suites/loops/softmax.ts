const { exp, fround, max } = Math;

type Loop = (x: Float32Array, width: number, out: Float32Array) => Float32Array;

const simple: Loop = (x, width, out) => {
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let largest = -Infinity;
    for (let i = start; i < end; i++) largest = max(largest, x[i]!);
    let total = 0;
    for (let i = start; i < end; i++) {
      const e = fround(exp(fround(x[i]! - largest)));
      out[i] = e;
      total += e;
    }
    total = fround(total);
    for (let i = start; i < end; i++) out[i] = fround(out[i]! / total);
  }
  return out;
};

/** A comparison where Math.max must mind NaN and −0; a NaN still reaches its whole row, through exp and the sum. */
const compared: Loop = (x, width, out) => {
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let largest = -Infinity;
    for (let i = start; i < end; i++) {
      const value = x[i]!;
      if (value > largest) largest = value;
    }
    let total = 0;
    for (let i = start; i < end; i++) {
      const e = fround(exp(fround(x[i]! - largest)));
      out[i] = e;
      total += e;
    }
    total = fround(total);
    for (let i = start; i < end; i++) out[i] = fround(out[i]! / total);
  }
  return out;
};

/** Four lanes of the maximum and of the sum. The width must be a multiple of 4. */
const lanes: Loop = (x, width, out) => {
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let m0 = -Infinity;
    let m1 = -Infinity;
    let m2 = -Infinity;
    let m3 = -Infinity;
    for (let i = start; i < end; i += 4) {
      m0 = max(m0, x[i]!);
      m1 = max(m1, x[i + 1]!);
      m2 = max(m2, x[i + 2]!);
      m3 = max(m3, x[i + 3]!);
    }
    const largest = max(max(m0, m1), max(m2, m3));
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = start; i < end; i += 4) {
      const e0 = fround(exp(fround(x[i]! - largest)));
      const e1 = fround(exp(fround(x[i + 1]! - largest)));
      const e2 = fround(exp(fround(x[i + 2]! - largest)));
      const e3 = fround(exp(fround(x[i + 3]! - largest)));
      out[i] = e0;
      out[i + 1] = e1;
      out[i + 2] = e2;
      out[i + 3] = e3;
      s0 += e0;
      s1 += e1;
      s2 += e2;
      s3 += e3;
    }
    const total = fround(s0 + s1 + (s2 + s3));
    for (let i = start; i < end; i++) out[i] = fround(out[i]! / total);
  }
  return out;
};

export const softmaxLoops = { "simple loops": simple, "maximum by comparison": compared, "4 lanes": lanes };

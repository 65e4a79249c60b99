/** The mean and the variance of every row, the means first in the output. Sums are float64. */
const { fround } = Math;

type Loop = (x: Float32Array, width: number, out: Float32Array) => Float32Array;

const squareOf = (x: number, mean: number): number => {
  const difference = fround(x - mean);
  return fround(difference * difference);
};

const simple: Loop = (x, width, out) => {
  const rows = x.length / width;
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    let sum = 0;
    for (let i = start; i < start + width; i++) sum += x[i]!;
    const mean = fround(fround(sum) / width);
    let squares = 0;
    for (let i = start; i < start + width; i++) squares += squareOf(x[i]!, mean);
    out[row] = mean;
    out[rows + row] = fround(fround(squares) / (width - 1));
  }
  return out;
};

/** The width is a multiple of 4. */
const by4: Loop = (x, width, out) => {
  const rows = x.length / width;
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    const end = start + width;
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let i = start; i < end; i += 4) {
      s0 += x[i]!;
      s1 += x[i + 1]!;
      s2 += x[i + 2]!;
      s3 += x[i + 3]!;
    }
    const mean = fround(fround(s0 + s1 + (s2 + s3)) / width);
    let [q0, q1, q2, q3] = [0, 0, 0, 0];
    for (let i = start; i < end; i += 4) {
      q0 += squareOf(x[i]!, mean);
      q1 += squareOf(x[i + 1]!, mean);
      q2 += squareOf(x[i + 2]!, mean);
      q3 += squareOf(x[i + 3]!, mean);
    }
    out[row] = mean;
    out[rows + row] = fround(fround(q0 + q1 + (q2 + q3)) / (width - 1));
  }
  return out;
};

/** The width is a multiple of 8. */
const by8: Loop = (x, width, out) => {
  const rows = x.length / width;
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    const end = start + width;
    let [s0, s1, s2, s3, s4, s5, s6, s7] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = start; i < end; i += 8) {
      s0 += x[i]!;
      s1 += x[i + 1]!;
      s2 += x[i + 2]!;
      s3 += x[i + 3]!;
      s4 += x[i + 4]!;
      s5 += x[i + 5]!;
      s6 += x[i + 6]!;
      s7 += x[i + 7]!;
    }
    const mean = fround(fround(s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7))) / width);
    let [q0, q1, q2, q3, q4, q5, q6, q7] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = start; i < end; i += 8) {
      q0 += squareOf(x[i]!, mean);
      q1 += squareOf(x[i + 1]!, mean);
      q2 += squareOf(x[i + 2]!, mean);
      q3 += squareOf(x[i + 3]!, mean);
      q4 += squareOf(x[i + 4]!, mean);
      q5 += squareOf(x[i + 5]!, mean);
      q6 += squareOf(x[i + 6]!, mean);
      q7 += squareOf(x[i + 7]!, mean);
    }
    out[row] = mean;
    out[rows + row] = fround(fround(q0 + q1 + (q2 + q3) + (q4 + q5 + (q6 + q7))) / (width - 1));
  }
  return out;
};

export const meanVarianceLoops = { "simple loops": simple, "4 lanes": by4, "8 lanes": by8 };

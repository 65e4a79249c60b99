const { fround, sqrt } = Math;

type Loop = (x: Float32Array, weight: Float32Array, bias: Float32Array, out: Float32Array) => Float32Array;

const EPSILON = fround(1e-5);

const scaleOf = (squares: number, width: number): number =>
  fround(1 / sqrt(fround(fround(fround(squares) / width) + EPSILON)));

function scaleRow(
  x: Float32Array,
  weight: Float32Array,
  bias: Float32Array,
  out: Float32Array,
  start: number,
  mean: number,
  scale: number,
): void {
  for (let j = 0; j < weight.length; j++) {
    const unit = fround(fround(x[start + j]! - mean) * scale);
    out[start + j] = fround(fround(unit * weight[j]!) + bias[j]!);
  }
}

/** The same, four elements at a time. The width must be a multiple of 4. */
function scaleRowBy4(
  x: Float32Array,
  weight: Float32Array,
  bias: Float32Array,
  out: Float32Array,
  start: number,
  mean: number,
  scale: number,
): void {
  for (let j = 0; j < weight.length; j += 4) {
    const i = start + j;
    const u0 = fround(fround(x[i]! - mean) * scale);
    const u1 = fround(fround(x[i + 1]! - mean) * scale);
    const u2 = fround(fround(x[i + 2]! - mean) * scale);
    const u3 = fround(fround(x[i + 3]! - mean) * scale);
    out[i] = fround(fround(u0 * weight[j]!) + bias[j]!);
    out[i + 1] = fround(fround(u1 * weight[j + 1]!) + bias[j + 1]!);
    out[i + 2] = fround(fround(u2 * weight[j + 2]!) + bias[j + 2]!);
    out[i + 3] = fround(fround(u3 * weight[j + 3]!) + bias[j + 3]!);
  }
}

const squareOf = (x: number, mean: number): number => {
  const deviation = fround(x - mean);
  return fround(deviation * deviation);
};

const simple: Loop = (x, weight, bias, out) => {
  const width = weight.length;
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let total = 0;
    for (let i = start; i < end; i++) total += x[i]!;
    const mean = fround(fround(total) / width);
    let squares = 0;
    for (let i = start; i < end; i++) squares += squareOf(x[i]!, mean);
    scaleRow(x, weight, bias, out, start, mean, scaleOf(squares, width));
  }
  return out;
};

/** Four lanes in both sums, four elements scaled at a time. The width must be a multiple of 4. */
const lanes: Loop = (x, weight, bias, out) => {
  const width = weight.length;
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = start; i < end; i += 4) {
      s0 += x[i]!;
      s1 += x[i + 1]!;
      s2 += x[i + 2]!;
      s3 += x[i + 3]!;
    }
    const mean = fround(fround(s0 + s1 + (s2 + s3)) / width);
    let q0 = 0;
    let q1 = 0;
    let q2 = 0;
    let q3 = 0;
    for (let i = start; i < end; i += 4) {
      q0 += squareOf(x[i]!, mean);
      q1 += squareOf(x[i + 1]!, mean);
      q2 += squareOf(x[i + 2]!, mean);
      q3 += squareOf(x[i + 3]!, mean);
    }
    scaleRowBy4(x, weight, bias, out, start, mean, scaleOf(q0 + q1 + (q2 + q3), width));
  }
  return out;
};

export const layerNormLoops = { "simple loops": simple, "4 lanes": lanes };

/** Each channel with mean 0 and variance 1, then scaled and shifted. Sums are float64. */
const { fround, sqrt } = Math;

type Loop = (
  x: Float32Array,
  [samples, channels, places]: readonly [number, number, number],
  weight: Float32Array,
  bias: Float32Array,
  out: Float32Array,
) => Float32Array;

const EPSILON = fround(1e-5);

const squareOf = (x: number, mean: number): number => {
  const difference = fround(x - mean);
  return fround(difference * difference);
};

const scaleOf = (squares: number, count: number): number =>
  fround(1 / sqrt(fround(fround(fround(squares) / count) + EPSILON)));

const simple: Loop = (x, [samples, channels, places], weight, bias, out) => {
  const count = samples * places;
  for (let channel = 0; channel < channels; channel++) {
    let sum = 0;
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i++) sum += x[i]!;
    }
    const mean = fround(fround(sum) / count);
    let squares = 0;
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i++) squares += squareOf(x[i]!, mean);
    }
    const scale = scaleOf(squares, count);
    const [w, b] = [weight[channel]!, bias[channel]!];
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i++)
        out[i] = fround(fround(fround(fround(x[i]! - mean) * scale) * w) + b);
    }
  }
  return out;
};

/** Four lanes in both sums. `places` is a multiple of 4. */
const by4: Loop = (x, [samples, channels, places], weight, bias, out) => {
  const count = samples * places;
  for (let channel = 0; channel < channels; channel++) {
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i += 4) {
        s0 += x[i]!;
        s1 += x[i + 1]!;
        s2 += x[i + 2]!;
        s3 += x[i + 3]!;
      }
    }
    const mean = fround(fround(s0 + s1 + (s2 + s3)) / count);
    let [q0, q1, q2, q3] = [0, 0, 0, 0];
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i += 4) {
        q0 += squareOf(x[i]!, mean);
        q1 += squareOf(x[i + 1]!, mean);
        q2 += squareOf(x[i + 2]!, mean);
        q3 += squareOf(x[i + 3]!, mean);
      }
    }
    const scale = scaleOf(q0 + q1 + (q2 + q3), count);
    const [w, b] = [weight[channel]!, bias[channel]!];
    for (let sample = 0; sample < samples; sample++) {
      const start = (sample * channels + channel) * places;
      for (let i = start; i < start + places; i += 4) {
        out[i] = fround(fround(fround(fround(x[i]! - mean) * scale) * w) + b);
        out[i + 1] = fround(fround(fround(fround(x[i + 1]! - mean) * scale) * w) + b);
        out[i + 2] = fround(fround(fround(fround(x[i + 2]! - mean) * scale) * w) + b);
        out[i + 3] = fround(fround(fround(fround(x[i + 3]! - mean) * scale) * w) + b);
      }
    }
  }
  return out;
};

export const batchNormLoops = { "simple loops": simple, "4 lanes": by4 };

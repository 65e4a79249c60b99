const { fround } = Math;

type Loop = (
  bytes: Uint8Array,
  mean: Float32Array,
  deviation: Float32Array,
  out: Float32Array,
) => Float32Array;

const normal = (byte: number, mean: number, deviation: number): number =>
  fround(fround(fround(byte / 255) - mean) / deviation);

/** Plane after plane, reading every third byte. */
const byPlane: Loop = (bytes, mean, deviation, out) => {
  const channels = mean.length;
  const plane = bytes.length / channels;
  for (let channel = 0; channel < channels; channel++) {
    for (let pixel = 0; pixel < plane; pixel++) {
      out[channel * plane + pixel] = normal(
        bytes[pixel * channels + channel]!,
        mean[channel]!,
        deviation[channel]!,
      );
    }
  }
  return out;
};

const byPlaneHoisted: Loop = (bytes, mean, deviation, out) => {
  const channels = mean.length;
  const plane = bytes.length / channels;
  let at = 0;
  for (let channel = 0; channel < channels; channel++) {
    const center = mean[channel]!;
    const scale = deviation[channel]!;
    for (let from = channel; from < bytes.length; from += channels, at++) {
      out[at] = normal(bytes[from]!, center, scale);
    }
  }
  return at === plane * channels ? out : out.fill(Number.NaN);
};

/** Pixel after pixel, writing three planes. */
const byPixel: Loop = (bytes, mean, deviation, out) => {
  const [m0, m1, m2] = mean as unknown as readonly [number, number, number];
  const [d0, d1, d2] = deviation as unknown as readonly [number, number, number];
  const plane = bytes.length / 3;
  let from = 0;
  for (let pixel = 0; pixel < plane; pixel++, from += 3) {
    out[pixel] = normal(bytes[from]!, m0, d0);
    out[plane + pixel] = normal(bytes[from + 1]!, m1, d1);
    out[2 * plane + pixel] = normal(bytes[from + 2]!, m2, d2);
  }
  return out;
};

/** A byte has 256 values, so that all results fit a table; whoever writes one loop for this one job may see that. */
export const lookedUp: Loop = (bytes, mean, deviation, out) => {
  const channels = mean.length;
  let at = 0;
  for (let channel = 0; channel < channels; channel++) {
    const table = new Float32Array(256);
    for (let byte = 0; byte < 256; byte++) table[byte] = normal(byte, mean[channel]!, deviation[channel]!);
    for (let from = channel; from < bytes.length; from += channels) out[at++] = table[bytes[from]!]!;
  }
  return out;
};

export const imageLoops = {
  "plane after plane": byPlane,
  "plane after plane, hoisted": byPlaneHoisted,
  "pixel after pixel": byPixel,
};

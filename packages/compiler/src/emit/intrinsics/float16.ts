/**
 * IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits; largest 65504, smallest normal 2^−14, steps of 2^−24 below
 * it. Its bits are those of a float32 with a narrower exponent: scaling by 2^±112 converts between the two.
 */

const float32 = new Float32Array(1);
const bits32 = new Uint32Array(float32.buffer);
const float64 = new Float64Array(1);
const bits64 = new Uint32Array(float64.buffer);
/** Which half of a float64 holds the exponent on this machine. */
const high = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;

/** The number that 16 bits stand for. Exact. */
export function float16FromBits(bits: number): number {
  const magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) return magnitude > 0x7c00 ? NaN : bits > 0x7fff ? -Infinity : Infinity;
  bits32[0] = ((bits & 0x8000) << 16) | (magnitude << 13);
  return float32[0]! * 2 ** 112;
}

/** The bits of a number that float16 represents (round others with {@link roundToFloat16} first). NaN is 0x7e00. */
export function float16ToBits(x: number): number {
  if (x - x !== 0) return Number.isNaN(x) ? 0x7e00 : x < 0 ? 0xfc00 : 0x7c00;
  float32[0] = x * 2 ** -112;
  const bits = bits32[0]!;
  return ((bits >>> 16) & 0x8000) | ((bits & 0x7fffffff) >>> 13);
}

/** The float16 nearest to a float64, ties to even, rounded once; ±∞ from 65520 on. */
export function roundToFloat16(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude < 65520)) return x * Infinity; // NaN stays NaN
  if (magnitude < 2 ** -14) {
    // Steps of 2^−24, which are those of float64 at 2^28.
    return x < 0 ? -(2 ** 28 - x - 2 ** 28) : x > 0 ? x + 2 ** 28 - 2 ** 28 : x;
  }
  // The power of two 42 binary places above x has float64 steps as wide as those of float16 at x: adding it rounds.
  float64[0] = x;
  bits64[high] = (bits64[high]! & 0xfff00000) + (42 << 20);
  bits64[1 - high] = 0;
  const magic = float64[0]!;
  return x + magic - magic;
}

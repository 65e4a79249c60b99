/**
 * C's nextafter for each float width: the next representable number from x toward y, y itself when they are equal,
 * NaN when either is. Floats of one sign are ordered as their bits are, so the step is an addition to the bits.
 */
import { float16FromBits, float16ToBits } from "./float16.ts";

const float64 = new Float64Array(1);
const words64 = new BigInt64Array(float64.buffer);
const float32 = new Float32Array(1);
const words32 = new Int32Array(float32.buffer);

/** Whether the step from x (nonzero) toward y grows the magnitude. */
const outward = (x: number, y: number): boolean => y > x === x > 0;

export function nextafterFloat64(x: number, y: number): number {
  if (x === y) return y;
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  float64[0] = x;
  words64[0] = words64[0]! + (outward(x, y) ? 1n : -1n);
  return float64[0]!;
}

export function nextafterFloat32(x: number, y: number): number {
  if (x === y) return y;
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === 0) return y > 0 ? 2 ** -149 : -(2 ** -149);
  float32[0] = x;
  words32[0] = words32[0]! + (outward(x, y) ? 1 : -1);
  return float32[0]!;
}

export function nextafterFloat16(x: number, y: number): number {
  if (x === y) return y;
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === 0) return y > 0 ? 2 ** -24 : -(2 ** -24);
  return float16FromBits(float16ToBits(x) + (outward(x, y) ? 1 : -1));
}

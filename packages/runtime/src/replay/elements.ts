/** Elements of a dump's inputs: as bytes in base64, or drawn from a seed within a range. */
import { allocate, type DType, isFloat, type TypedArray } from "@fuseau/ir";

interface Host {
  btoa(text: string): string;
  atob(text: string): string;
}
const host = globalThis as unknown as Host;
/** Characters that are made at once: with more arguments the stack of some engines overflows. */
const CHUNK = 4_096;

export function encode(array: TypedArray): string {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return host.btoa(text);
}

/** @throws SyntaxError unless there are exactly `count` elements. */
export function decode(op: string, dtype: DType, cells: number, text: string): TypedArray {
  const array = allocate(dtype, cells);
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const decoded = host.atob(text);
  if (decoded.length !== bytes.length)
    throw new SyntaxError(`${op}: ${decoded.length} bytes for ${cells} elements of ${dtype}`);
  for (let k = 0; k < bytes.length; k++) bytes[k] = decoded.charCodeAt(k);
  return array;
}

/** The least and the greatest number, without NaN and infinities. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export const defaultRange = (dtype: DType): Range =>
  isFloat(dtype) ? { low: -4, high: 4 } : { low: 0, high: 1 };

export function rangeOf(dtype: DType, numbers: readonly number[]): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low <= high ? { low, high } : defaultRange(dtype);
}

/** `count` numbers within the range, whole ones for integers. The same seed gives the same numbers on every host. */
export function drawn(dtype: DType, cells: number, seed: number, { low, high }: Range): number[] {
  let state = (Math.imul(seed, 2_654_435_761) + 12_345) >>> 0;
  return Array.from({ length: cells }, () => {
    // xorshift32 (Marsaglia, 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const share = (state >>> 0) / 2 ** 32;
    return isFloat(dtype) ? low + share * (high - low) : low + Math.floor(share * (high - low + 1));
  });
}

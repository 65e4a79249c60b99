/** Keys to sort, of every dtype, and the plainest sort there is. */
import { allocate, type DType, isFloat, type TypedArray } from "@fuseau/ir";

/** Anything (of floats any finite number), few different keys, whole numbers that rise, or what the dtype has of special ones. */
export type Kind = "any" | "few" | "rising" | "special";
export const kinds: readonly Kind[] = ["any", "few", "rising", "special"];

/** Zeros, NaNs (of float16 one: its conversions know no other), infinities, 1, the smallest: their first 32 bits, or all 16. */
const specialFloats: Partial<Record<DType, readonly number[]>> = {
  float16: [0, 0x8000, 0x7e00, 0x7c00, 0xfc00, 0x3c00, 1, 0x8001],
  float32: [0, 0x8000_0000, 0x7fc0_0000, 0xffc1_2345, 0x7fc0_0001, 0x7f80_0000, 0xff80_0000, 0x3f80_0000, 1],
  float64: [0, 0x8000_0000, 0x7ff8_0000, 0xfff8_1234, 0x7ff8_0001, 0x7ff0_0000, 0xfff0_0000, 0x3ff0_0000, 1],
};

/** The bytes of which special integers are made: the largest and smallest among them. */
const specialBytes = [0, 0x7f, 0x80, 0xff];

export function keysOf(dtype: DType, count: number, kind: Kind, seed: number): TypedArray {
  const random = randomWords(seed);
  const keys = allocate(dtype, count);
  if (kind === "rising") fill(keys, dtype, (k) => k >> 1);
  else if (kind === "few") fill(keys, dtype, () => (random() % 5) - 2);
  else if (dtype === "bool") fill(keys, dtype, random);
  else if (!isFloat(dtype)) {
    const bytes = bytesOf(keys);
    for (let k = 0; k < bytes.length; k++) bytes[k] = kind === "any" ? random() : specialBytes[random() % 4]!;
  } else if (kind === "any") fill(keys, dtype, () => (random() - 2 ** 31) / 2 ** 20);
  else fillSpecial(keys, specialFloats[dtype]!, random);
  return keys;
}

function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

/** Of float16 the numbers are its bits, without those of infinities and NaNs. */
function fill(keys: TypedArray, dtype: DType, number: (k: number) => number): void {
  for (let k = 0; k < keys.length; k++) {
    const x = number(k);
    if (dtype === "int64") keys[k] = BigInt(x);
    else keys[k] = dtype === "bool" ? x & 1 : dtype === "float16" ? x & 0xfbff : x;
  }
}

function fillSpecial(keys: TypedArray, words: readonly number[], random: () => number): void {
  const { buffer, BYTES_PER_ELEMENT: bytes } = keys;
  const bits = bytes === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
  const step = bytes === 8 ? 2 : 1;
  for (let k = step - 1; k < bits.length; k += step) bits[k] = words[random() % words.length]!;
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Ascending with NaN the largest, equal keys in their order; descending the same the other way round. */
export function orderOf(dtype: DType, keys: TypedArray, descending: boolean): number[] {
  const values = Array.from(keys as ArrayLike<number | bigint>, (key) => comparable(dtype, key));
  const compare = (a: number | bigint, b: number | bigint): number =>
    a < b ? -1 : a > b ? 1 : Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  const sign = descending ? -1 : 1;
  return values.map((_, place) => place).sort((i, j) => sign * compare(values[i]!, values[j]!) || i - j);
}

/** A key as a number that compares as it does: of float16 its bits as a number with a sign. */
function comparable(dtype: DType, key: number | bigint): number | bigint {
  if (dtype !== "float16") return key;
  const size = Number(key) & 0x7fff;
  if (size > 0x7c00) return Number.NaN;
  return Number(key) & 0x8000 ? -size : size;
}

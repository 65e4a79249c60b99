/** Elements as they are stored, and as typed arrays. */
import type { DType, TypedArray } from "fuseau";
import type { Numeral, StoredTensor } from "./case.ts";

/** float16 is held as the numbers that its bits stand for. */
export type Elements = Exclude<TypedArray, Uint16Array>;

export interface DecodedTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Elements;
}

const arrays: Readonly<Record<DType, new (length: number) => Elements>> = {
  bool: Uint8Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Float64Array,
  float32: Float32Array,
  float64: Float64Array,
};

const named: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  "-0": -0,
};

export const decodeNumber = (numeral: Numeral): number =>
  typeof numeral === "number" ? numeral : (named[numeral] ?? Number(numeral));

export function decodeTensor({ dtype, shape, data }: StoredTensor): DecodedTensor {
  const array = arrays[dtype];
  if (array === undefined) throw new Error(`no dtype ${dtype}`);
  const elements = new array(data.length);
  for (let i = 0; i < data.length; i++) {
    if (elements instanceof BigInt64Array) elements[i] = BigInt(data[i]!);
    else elements[i] = decodeNumber(data[i]!);
  }
  return { dtype, shape, data: elements };
}

/** The number that the 16 bits of a half float stand for. */
export function decodeHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

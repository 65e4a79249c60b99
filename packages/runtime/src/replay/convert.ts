/** Stored elements as plain numbers, and back; int64 to the nearest number. */
import { float16FromBits, float16ToBits } from "@fuseau/compiler";
import { allocate, type DType, type TypedArray } from "@fuseau/ir";

export const toNumbers = (dtype: DType, array: TypedArray): number[] =>
  Array.from(array as ArrayLike<number | bigint>, (x) =>
    dtype === "float16" ? float16FromBits(x as number) : Number(x),
  );

export function fromNumbers(dtype: DType, numbers: readonly number[]): TypedArray {
  const array = allocate(dtype, numbers.length);
  numbers.forEach((x, k) => {
    array[k] = dtype === "int64" ? BigInt(x) : dtype === "float16" ? float16ToBits(x) : x;
  });
  return array;
}

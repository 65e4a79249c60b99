/** Indexes read from data: int64 as words, and the error of an index that is out of range. */
import type { TypedArray } from "@fuseau/ir";

/**
 * Reports an index that is out of range, and its place. The sentence is PyTorch's; the runtime adds the op in front.
 * @throws RangeError always.
 */
export function outOfBounds(index: number | bigint, size: number, axis: number, place: number): never {
  const range = size === 0 ? "there are no places" : `places are 0 to ${size - 1}`;
  throw new RangeError(
    `index ${index} is out of bounds for dimension ${axis} with size ${size} (element ${place} of the index; ${range})`,
  );
}

/** The 32-bit words of an int64 array, low before high. If the high word is 0, the low word is the index. */
export const wordsOf = ({ buffer, byteOffset, length }: TypedArray): Int32Array =>
  new Int32Array(buffer, byteOffset, length * 2);

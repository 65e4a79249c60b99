/** Indexes read from data: as numbers, and what is said of one that is out of range. */
import type { TypedArray } from "@fuseau/ir";

/**
 * Says which index is out of range, and where it stands. The sentence is PyTorch's; the runtime puts the op in front.
 * @throws RangeError always.
 */
export function outOfBounds(index: number | bigint, size: number, axis: number, place: number): never {
  const range = size === 0 ? "there are no places" : `places are 0 to ${size - 1}`;
  throw new RangeError(
    `index ${index} is out of bounds for dimension ${axis} with size ${size} (element ${place} of the index; ${range})`,
  );
}

/** The 32-bit words of an int64 array, low before high: an index is its low word, when the high one is 0. */
export const wordsOf = ({ buffer, byteOffset, length }: TypedArray): Int32Array =>
  new Int32Array(buffer, byteOffset, length * 2);

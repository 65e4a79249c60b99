/** Makes tensors from bytes, and bytes from tensors. Files are little-endian, unless an npy file says otherwise. */
import { type DType, dtypes, elementCount, showShape } from "@fuseau/ir";
import { type AnyTensor, fromTypedArray, type TypedArray } from "../js.ts";
import { FormatError } from "./check.ts";

/** How an element is stored. bfloat16 is no dtype here. */
export type Stored = DType | "bfloat16";

const storedBytes = (stored: Stored): number => (stored === "bfloat16" ? 2 : dtypes[stored].bytes);

/** Bytes of all elements. NaN, or more than 2^53, for an impossible shape. */
export const byteLength = (stored: Stored, shape: readonly number[]): number =>
  elementCount(shape) * storedBytes(stored);

const hostIsLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Reverses the bytes of each element of `size` bytes, in place. */
function swap(bytes: Uint8Array, size: number): void {
  if (size > 1) for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
}

/** A typed array for a dtype's elements, over bytes in the host's order. */
export const arrayOver: { readonly [S in Stored]: (buffer: ArrayBufferLike, length: number) => TypedArray } =
  {
    bool: (buffer, length) => new Uint8Array(buffer, 0, length),
    uint8: (buffer, length) => new Uint8Array(buffer, 0, length),
    int8: (buffer, length) => new Int8Array(buffer, 0, length),
    int16: (buffer, length) => new Int16Array(buffer, 0, length),
    int32: (buffer, length) => new Int32Array(buffer, 0, length),
    int64: (buffer, length) => new BigInt64Array(buffer, 0, length),
    float16: (buffer, length) => new Uint16Array(buffer, 0, length),
    float32: (buffer, length) => new Float32Array(buffer, 0, length),
    float64: (buffer, length) => new Float64Array(buffer, 0, length),
    bfloat16: (buffer, length) => widened(new Uint16Array(buffer, 0, length)),
  };

/** A bfloat16 is the upper half of a float32, so every one is exact, also the bits of NaN. */
function widened(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let k = 0; k < halves.length; k++) words[k] = halves[k]! << 16;
  return new Float32Array(words.buffer);
}

/**
 * A tensor over bytes that nobody else uses, and that begin at the start of their buffer. Errors begin with `title`.
 * @throws FormatError for a bool that is neither 0 nor 1.
 */
export function tensorOver(
  title: string,
  stored: Stored,
  shape: readonly number[],
  bytes: Uint8Array,
  isLittle = true,
): AnyTensor {
  if (isLittle !== hostIsLittle) swap(bytes, storedBytes(stored));
  if (stored === "bool") {
    const wrong = bytes.findIndex((byte) => byte > 1);
    if (wrong >= 0)
      throw new FormatError(
        `${title}: element ${wrong} of a bool tensor is ${bytes[wrong]}, neither 0 nor 1`,
      );
  }
  const array = arrayOver[stored](bytes.buffer, elementCount(shape));
  const dtype = stored === "bfloat16" ? "float32" : stored;
  return fromTypedArray(array, { shape, dtype });
}

/** The elements, row-major and little-endian; computes the tensor. */
export function bytesOf(x: AnyTensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = x.toTypedArray();
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  if (!hostIsLittle) swap(bytes, dtypes[x.dtype].bytes);
  return bytes;
}

/** Rows of a stored tensor: places of the first axis from `begin` up to but without `end`. */
export type Rows = readonly [begin: number, end: number];

/**
 * The offset of rows of a row-major tensor from its first byte, and their shape.
 * @throws RangeError when there are no such rows.
 */
export function rowRange(
  title: string,
  stored: Stored,
  shape: readonly number[],
  [from, to]: Rows,
): { readonly shape: readonly number[]; readonly begin: number; readonly end: number } {
  const [count = -1, ...rest] = shape;
  if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= count))
    throw new RangeError(`${title}: of shape ${showShape(shape)} has no rows ${from} to ${to}`);
  const row = byteLength(stored, rest);
  return { shape: [to - from, ...rest], begin: from * row, end: to * row };
}

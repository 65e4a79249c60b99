/**
 * Allocates arrays. Large arrays that were freed are kept for the next of the same dtype and length: fresh pages cost more than a small
 * kernel. Small arrays are cut from common buffers: a buffer of its own costs more than a small kernel too.
 */
import { allocate, arrayIn, type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { watchOptions } from "./options.ts";

const DEFAULT_BYTES = 128 * 2 ** 20;
/** Smaller arrays are never kept. */
const SMALLEST = 2 ** 14;
/**
 * V8 puts arrays of at most so many bytes on its own heap, without a buffer: 30 ns. With a buffer, one of 400 bytes takes 400 ns, and one
 * of 4,000 bytes 1,200 ns.
 */
const MOST_ON_HEAP = 64;
/**
 * Larger arrays of up to so many bytes share buffers: 400 ns for one of 4,000 bytes. An array that is in use keeps its buffer alive, so a
 * buffer is at most sixteen times as large as the arrays cut from it.
 */
const MOST_CUT = 2 ** 12;
const CUTS = 8;
const ALIGNMENT = 16;

/** By the logarithm of an array's bytes. */
const buffers: ({ readonly buffer: ArrayBuffer; used: number } | undefined)[] = [];

/** By dtype and length; the list that was used longest ago comes first. */
const free = new Map<number, TypedArray[]>();
let limit = DEFAULT_BYTES;
let held = 0;
let reused = 0;
let allocated = 0;

watchOptions((options) => {
  limit = options.poolBytesLimit ?? DEFAULT_BYTES;
  if (held > limit) drainPool();
});

const keyOf = (dtype: DType, cells: number): number => cells * 16 + dtypes[dtype].code;

/**
 * An array whose contents are undefined: the caller writes every element that it reads.
 * @throws RangeError when memory is out, with what was asked for.
 */
export function takeArray(dtype: DType, cells: number): TypedArray {
  const bytes = cells * dtypes[dtype].bytes;
  if (bytes >= SMALLEST) {
    const key = keyOf(dtype, cells);
    const list = free.get(key);
    const array = list?.pop();
    if (array !== undefined) {
      if (list?.length === 0) free.delete(key);
      held -= bytes;
      reused++;
      return array;
    }
  }
  allocated++;
  try {
    return bytes > MOST_ON_HEAP && bytes <= MOST_CUT ? cut(dtype, cells, bytes) : allocate(dtype, cells);
  } catch (error) {
    drainPool();
    try {
      return allocate(dtype, cells);
    } catch {
      throw new RangeError(
        `compute: out of memory: ${bytes} bytes were asked for (${cells} elements of ${dtype}); dispose() of results that are no longer needed, or compute in parts`,
        { cause: error },
      );
    }
  }
}

function cut(dtype: DType, cells: number, bytes: number): TypedArray {
  const log = 32 - Math.clz32(bytes - 1);
  let known = buffers[log];
  if (known === undefined || known.used + bytes > known.buffer.byteLength) {
    known = { buffer: new ArrayBuffer(CUTS * 2 ** log), used: 0 };
    buffers[log] = known;
  }
  const array = arrayIn(dtype, known.buffer, known.used, cells);
  known.used += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
  return array;
}

/** Frees an array; nobody may use it afterwards. If too many bytes are kept, the lengths that were freed longest ago are dropped. */
export function giveArray(dtype: DType, array: TypedArray): void {
  const bytes = array.byteLength;
  if (bytes < SMALLEST || bytes > limit) return;
  const key = keyOf(dtype, array.length);
  const list = free.get(key) ?? [];
  free.delete(key);
  free.set(key, list);
  list.push(array);
  held += bytes;
  for (const [oldest, arrays] of free) {
    while (held > limit && arrays.length > 0) held -= (arrays.pop() as TypedArray).byteLength;
    if (held <= limit) return;
    free.delete(oldest);
  }
}

export function drainPool(): void {
  free.clear();
  held = 0;
}

export const poolCounters = (): {
  readonly bytes: number;
  readonly reused: number;
  readonly allocated: number;
} => ({
  bytes: held,
  reused,
  allocated,
});

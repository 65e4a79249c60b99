/**
 * Allocates arrays. Large arrays that were freed are kept for others of about their size: fresh pages cost more than a small kernel. Small arrays are cut from common buffers: a buffer of its own costs more than a small kernel too.
 */
import { allocate, arrayIn, type DType, dtypes, stores, type TypedArray } from "@fuseau/ir";
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

/** Classes of sizes in each power of two. An array is taken from the class of its size, or from the next. */
const CLASSES = 8;
/** The most arrays of a class that are tried. */
const MOST_TRIED = 8;
/** All of such a buffer may be taken again, when an array that was a part of it is freed. */
const ownBuffers = new WeakSet<ArrayBufferLike>();
/** By class; the list that was used longest ago comes first. */
const free = new Map<number, TypedArray[]>();
let limit = DEFAULT_BYTES;
let held = 0;
let reused = 0;
let allocated = 0;

watchOptions((options) => {
  limit = options.poolBytesLimit ?? DEFAULT_BYTES;
  if (held > limit) drainPool();
});

function classOf(bytes: number): number {
  const exponent = 31 - Math.clz32(bytes);
  return CLASSES * exponent + Math.floor((bytes / 2 ** exponent - 1) * CLASSES);
}

const capacityOf = (array: TypedArray): number =>
  ownBuffers.has(array.buffer) ? array.buffer.byteLength : array.byteLength;

/**
 * An array whose contents are undefined: the caller writes every element that it reads.
 * @throws RangeError when memory is out, with what was asked for.
 */
export function takeArray(dtype: DType, cells: number): TypedArray {
  const bytes = cells * dtypes[dtype].bytes;
  const kept =
    bytes >= SMALLEST ? (takeKept(classOf(bytes), bytes) ?? takeKept(classOf(bytes) + 1, bytes)) : null;
  if (kept !== null) {
    reused++;
    const fits = kept.length === cells && stores(dtype, kept);
    return fits ? kept : arrayIn(dtype, kept.buffer as ArrayBuffer, kept.byteOffset, cells);
  }
  allocated++;
  try {
    return bytes > MOST_ON_HEAP && bytes <= MOST_CUT ? cut(dtype, cells, bytes) : own(dtype, cells);
  } catch (error) {
    drainPool();
    try {
      return own(dtype, cells);
    } catch {
      throw new RangeError(
        `compute: out of memory: ${bytes} bytes were asked for (${cells} elements of ${dtype}); dispose() of results that are no longer needed, or compute in parts`,
        { cause: error },
      );
    }
  }
}

/** An array of the class that has at least so many bytes. */
function takeKept(key: number, bytes: number): TypedArray | null {
  const list = free.get(key) ?? [];
  for (let k = list.length - 1; k >= 0 && k >= list.length - MOST_TRIED; k--) {
    const array = list[k] as TypedArray;
    const capacity = capacityOf(array);
    if (capacity < bytes) continue;
    const last = list.pop() as TypedArray;
    if (last !== array) list[k] = last;
    if (list.length === 0) free.delete(key);
    held -= capacity;
    return array;
  }
  return null;
}

function own(dtype: DType, cells: number): TypedArray {
  const array = allocate(dtype, cells);
  if (array.byteLength >= SMALLEST) ownBuffers.add(array.buffer);
  return array;
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

/** Frees an array; nobody may use it afterwards. If too many bytes are kept, the sizes that were freed longest ago are dropped. */
export function giveArray(array: TypedArray): void {
  const bytes = capacityOf(array);
  if (bytes < SMALLEST || bytes > limit || array.byteOffset % ALIGNMENT !== 0) return;
  const key = classOf(bytes);
  const list = free.get(key) ?? [];
  free.delete(key);
  free.set(key, list);
  list.push(array);
  held += bytes;
  for (const [oldest, arrays] of free) {
    while (held > limit && arrays.length > 0) held -= capacityOf(arrays.pop() as TypedArray);
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

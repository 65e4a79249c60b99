/**
 * A text by which two tensors differ. node:assert, Vitest, Jest and Chai first compare what `Object.prototype.toString` returns for two
 * objects, and none of them reads private state: it is the one hook that they share.
 */
import { type DType, elementCount, type Shape, type TypedArray } from "@fuseau/ir";
import { jsonElements } from "./plain.ts";

/** Larger tensors are distinguished by a digest, and only the first elements are shown. */
const MOST_SHOWN = 64;
const FIRST = 6;

let unreadable = 0;

/** Different for different dtypes, shapes or elements; NaN equals NaN, and −0 is not 0. A tensor that cannot be read equals none. */
export function tagOf(dtype: DType, shape: Shape, read: () => TypedArray): string {
  const kind = `Tensor ${dtype}[${shape.join(", ")}]`;
  try {
    const elements = read();
    if (elementCount(shape) <= MOST_SHOWN) return `${kind}: ${jsonElements(dtype, elements).join(", ")}`;
    const first = jsonElements(dtype, elements.subarray(0, FIRST)).join(", ");
    return `${kind}: ${first}, … (digest ${digestOf(elements)})`;
  } catch {
    return `${kind}, unreadable (${++unreadable})`;
  }
}

/** 106 bits: two multiplicative hashes (cyrb53, seeds 1 and 2) of the elements' bits. All NaNs are equal. */
function digestOf(elements: TypedArray): string {
  const canonical = elements instanceof Float32Array || elements instanceof Float64Array;
  const copy = elements.slice();
  // A stored NaN has the engine's own bits, whatever bits it had.
  if (canonical) for (let i = 0; i < copy.length; i++) if (Number.isNaN(copy[i])) copy[i] = NaN as never;
  const bytes = new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength);
  return hash(bytes, 1) + hash(bytes, 2);
}

function hash(bytes: Uint8Array, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < bytes.length; i++) {
    a = Math.imul(a ^ bytes[i]!, 2654435761);
    b = Math.imul(b ^ bytes[i]!, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (b & 0x1fffff) + (a >>> 0)).toString(16).padStart(14, "0");
}

/**
 * Positions and coordinates of what is true, found on the host. Each long loop is the last thing in its function: V8 replaces a function
 * that is in a loop, and what stands behind the loop is not known to it yet. When it gets there, it goes back to the interpreter, and does
 * so at every call until the whole function is hot.
 */
import type { Shape, TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";

/** Bools in a word. */
const FOUR = 4;

/** The positions of the bytes that are 1; all others are 0. */
export function placesOf(truth: Uint8Array): Int32Array {
  const { places, count } = listed(truth);
  return places.subarray(0, count);
}

/** The coordinates within `shape` of the bytes that are 1: a row of int64 for each. */
export function coordinatesOf(truth: Uint8Array, shape: Shape): { rows: TypedArray; count: number } {
  const { places, count } = listed(truth);
  const rows = (takeArray("int64", count * shape.length) as BigInt64Array).fill(0n);
  // The low words of integers below 2^31. To make a BigInt for each would cost more than everything else.
  const words = new Int32Array(rows.buffer, rows.byteOffset, 2 * rows.length);
  if (shape.length > 0) writeCoordinates(places, count, shape, words);
  giveArray(places);
  return { rows, count };
}

/** The positions, in an array of the pool that is longer. */
function listed(truth: Uint8Array): { places: Int32Array; count: number } {
  const bytes = truth.byteOffset % FOUR === 0 ? truth : truth.slice();
  const fours = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / FOUR));
  const rest = FOUR * fours.length;
  let count = countFours(fours);
  for (let i = rest; i < bytes.length; i++) count += bytes[i]!;
  const places = takeArray("int32", count + FOUR) as Int32Array;
  let next = listFours(fours, places);
  for (let i = rest; next < count; i++) {
    places[next] = i;
    next += bytes[i]!;
  }
  return { places, count };
}

/** Four bools at once: the product's highest byte is their sum. */
function countFours(fours: Int32Array): number {
  let count = 0;
  for (let k = 0; k < fours.length; k++) count += Math.imul(fours[k]!, 0x01010101) >>> 24;
  return count;
}

/** Lists the positions, and up to four numbers more. Returns how many count. */
function listFours(fours: Int32Array, places: Int32Array): number {
  let next = 0;
  for (let k = 0; k < fours.length; k++) {
    const four = fours[k]!;
    if (four === 0) continue;
    const i = FOUR * k;
    // Without branches, which could not be predicted: a position that does not count is overwritten by the next.
    const first = next + (four & 1);
    const second = first + ((four >>> 8) & 1);
    const third = second + ((four >>> 16) & 1);
    places[next] = i;
    places[first] = i + 1;
    places[second] = i + 2;
    places[third] = i + 3;
    next = third + (four >>> 24);
  }
  return next;
}

/** Writes the coordinates of the first `count` positions, which ascend, within a shape that has axes: the low word of each int64. */
function writeCoordinates(places: Int32Array, count: number, shape: Shape, words: Int32Array): void {
  const rank = shape.length;
  const inner = shape[rank - 1]!;
  const step = 2 * rank;
  for (let row = 0; row < count; ) {
    // Those of one line of the last axis. Positions are below 2^31, and `| 0` keeps them from being floats.
    let line = (places[row]! / inner) | 0;
    const [from, begin] = [row, (line * inner) | 0];
    row = alongLine(places, count, from, begin, inner, words, step);
    for (let axis = rank - 2; axis >= 0; axis--) {
      const outer = line % shape[axis]!;
      line = (line / shape[axis]!) | 0;
      for (let k = from, at = from * step + 2 * axis; k < row; k++, at += step) words[at] = outer;
    }
  }
}

/** The last coordinates of the positions in the line that begins at `begin`. Returns the first row of another line. */
function alongLine(
  places: Int32Array,
  count: number,
  from: number,
  begin: number,
  inner: number,
  words: Int32Array,
  step: number,
): number {
  let row = from;
  for (let at = row * step + step - 2; row < count && places[row]! - begin < inner; row++, at += step)
    words[at] = places[row]! - begin;
  return row;
}

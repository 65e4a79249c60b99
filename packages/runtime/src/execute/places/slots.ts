/** The numbers that are bound when a program runs, by slot: the digits of where slices, pads and writes begin (`places.ts`). */
import { mix } from "@fuseau/ir";
import type { Part } from "../../window/part.ts";
import { empty } from "./empty.ts";

/** The numbers of one walk, and by slot how many values each may have. Reused by the next walk. */
export const numbers: number[] = [];
export const counts: number[] = [];
/** By slot: the position of what the digit is of, the length of the rows that it counts, and the view where the host chooses the place. */
const origins: number[] = [];
const rows: number[] = [];
const parts: (Part | null)[] = [];
/** By slot: the bucket that it is in, and the slot that was in it before. */
const buckets: number[] = [];
const earlier: number[] = [];
const lists: readonly unknown[][] = [numbers, counts, origins, rows, parts, buckets, earlier];

const NONE = -1;

/** By the hash of a digit, its origin and row: the last slot with that hash. */
const last = new Int32Array(1_024).fill(NONE);

export function resetSlots(): void {
  for (let slot = 0; slot < buckets.length; slot++) last[buckets[slot] as number] = NONE;
  for (const list of lists) empty(list);
}

/**
 * The slot of a digit. Equal digits of one origin that count rows of one length share a slot; those of a choice only with other reads and
 * writes through the same view, or through one that it is a view of.
 */
export function slotOf(
  origin: number,
  row: number,
  digit: number,
  count: number,
  choice: Part | null,
): number {
  const hash = mix(mix(origin, row), digit);
  // Low bits distinguish neighbours, and high ones multiples of a power of two.
  const bucket = (hash ^ (hash >>> 22)) & (last.length - 1);
  for (let part = choice; ; part = part.within) {
    const known = knownSlot(bucket, origin, row, digit, part);
    if (known !== NONE) return narrowed(known, count);
    if (part === null || part.within === null) break;
  }
  return add(bucket, digit, count, origin, row, choice);
}

/** The slot of a number that nothing else shares. */
export const slotAlone = (number: number, count: number): number => add(0, number, count, NONE, NONE, null);

function add(
  bucket: number,
  number: number,
  count: number,
  origin: number,
  row: number,
  part: Part | null,
): number {
  const slot = numbers.length;
  numbers.push(number);
  counts.push(count);
  origins.push(origin);
  rows.push(row);
  parts.push(part);
  buckets.push(bucket);
  earlier.push(last[bucket] as number);
  last[bucket] = slot;
  return slot;
}

function knownSlot(bucket: number, origin: number, row: number, digit: number, part: Part | null): number {
  let slot = last[bucket] as number;
  while (
    slot !== NONE &&
    (numbers[slot] !== digit || rows[slot] !== row || origins[slot] !== origin || parts[slot] !== part)
  )
    slot = earlier[slot] as number;
  return slot;
}

function narrowed(slot: number, count: number): number {
  if (count < (counts[slot] as number)) counts[slot] = count;
  return slot;
}

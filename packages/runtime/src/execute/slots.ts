/** The numbers that are bound when a program runs, by slot: the digits of where slices, pads and writes begin (`places.ts`). */
import type { Part } from "../window/part.ts";
import { empty } from "./empty.ts";

/** The numbers of one walk, and by slot how many values each may have. Reused by the next walk. */
export const numbers: number[] = [];
export const counts: number[] = [];
/** By slot: the position of what the digit is of, the length of the rows that it counts, and the view where the host chooses the place. */
const origins: number[] = [];
const rows: number[] = [];
const parts: (Part | null)[] = [];
const lists: readonly unknown[][] = [numbers, counts, origins, rows, parts];

/** With more slots than this they are found by a key. To compare the few of most programs is quicker. */
const FEW = 16;
const slots = new Map<string, number>();

export function resetSlots(): void {
  for (const list of lists) empty(list);
  // Only if it has entries: V8 allocates whenever a map is cleared, even an empty one.
  if (slots.size > 0) slots.clear();
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
  for (let part = choice; ; part = part.within) {
    const known = knownSlot(origin, row, digit, part);
    if (known !== undefined) return narrowed(known, count);
    if (part === null || part.within === null) break;
  }
  const slot = add(digit, count, origin, row, choice);
  if (slot >= FEW) slots.set(keyOf(origin, row, digit, choice), slot);
  return slot;
}

/** The slot of a number that nothing else shares. */
export const slotAlone = (number: number, count: number): number => add(number, count, NONE, NONE, null);

const NONE = -1;

function add(number: number, count: number, origin: number, row: number, part: Part | null): number {
  numbers.push(number);
  counts.push(count);
  origins.push(origin);
  rows.push(row);
  parts.push(part);
  return numbers.length - 1;
}

function knownSlot(origin: number, row: number, digit: number, part: Part | null): number | undefined {
  const few = Math.min(numbers.length, FEW);
  for (let slot = 0; slot < few; slot++)
    if (numbers[slot] === digit && rows[slot] === row && origins[slot] === origin && parts[slot] === part)
      return slot;
  return numbers.length < FEW ? undefined : slots.get(keyOf(origin, row, digit, part));
}

const keyOf = (origin: number, row: number, digit: number, part: Part | null): string =>
  `${origin},${row},${digit},${part?.id ?? 0}`;

function narrowed(slot: number, count: number): number {
  if (count < (counts[slot] as number)) counts[slot] = count;
  return slot;
}

/**
 * Passes of a radix sort over columns of words: one column for each word of a key, and perhaps one of places. A digit is the bits
 * of one column that `mask` selects after a shift.
 */

/** The most bits of a digit, for many keys and for few. */
export const WIDE_DIGIT = 11;
export const NARROW_DIGIT = 8;

type Columns = readonly Uint32Array[];

const counters = new Int32Array(1 << WIDE_DIGIT);

function countDigits(digits: Uint32Array, length: number, shift: number, mask: number): void {
  counters.fill(0, 0, mask + 1);
  for (let k = 0; k < length; k++) counters[(digits[k]! >>> shift) & mask]!++;
}

/** Moves all columns into the order of one digit, the smallest first. Equal digits keep their order. */
export function moveByDigit(
  from: Columns,
  to: Columns,
  column: number,
  length: number,
  shift: number,
  mask: number,
): void {
  const digits = from[column]!;
  countDigits(digits, length, shift, mask);
  let place = 0;
  for (let digit = 0; digit <= mask; digit++) {
    const size = counters[digit]!;
    counters[digit] = place;
    place += size;
  }
  if (from.length === 1) moveOne(digits, to[0]!, length, shift, mask);
  else if (from.length === 2) moveTwo(digits, from[0]!, from[1]!, to[0]!, to[1]!, length, shift, mask);
  else moveThree(digits, from, to, length, shift, mask);
}

function moveOne(from: Uint32Array, to: Uint32Array, length: number, shift: number, mask: number): void {
  for (let k = 0; k < length; k++) {
    const key = from[k]!;
    to[counters[(key >>> shift) & mask]!++] = key;
  }
}

function moveTwo(
  digits: Uint32Array,
  a: Uint32Array,
  b: Uint32Array,
  toA: Uint32Array,
  toB: Uint32Array,
  length: number,
  shift: number,
  mask: number,
): void {
  for (let k = 0; k < length; k++) {
    const place = counters[(digits[k]! >>> shift) & mask]!++;
    toA[place] = a[k]!;
    toB[place] = b[k]!;
  }
}

function moveThree(
  digits: Uint32Array,
  [a, b, c]: Columns,
  [toA, toB, toC]: Columns,
  length: number,
  shift: number,
  mask: number,
): void {
  for (let k = 0; k < length; k++) {
    const place = counters[(digits[k]! >>> shift) & mask]!++;
    toA![place] = a![k]!;
    toB![place] = b![k]!;
    toC![place] = c![k]!;
  }
}

/**
 * Copies to `to`, in their order, the `first` smallest keys and all others whose leading digit is no larger. Returns their
 * number. `differing` has the bits in which words differ. The last column of `from` holds 0, 1, 2 …; that of `to` receives the
 * places.
 */
export function selectFirst(
  from: Columns,
  to: Columns,
  differing: readonly number[],
  length: number,
  first: number,
): number {
  const column = (differing[1] ?? 0) === 0 ? 0 : 1;
  const digits = from[column]!;
  const shift = Math.max(0, 32 - Math.clz32(differing[column]!) - WIDE_DIGIT);
  const mask = (1 << WIDE_DIGIT) - 1;
  countDigits(digits, length, shift, mask);
  let [digit, before] = [0, counters[0]!];
  while (before < first) before += counters[++digit]!;
  const places = to.at(-1)!;
  let count = 0;
  for (let k = 0; k < length; k++) {
    places[count] = k;
    if (((digits[k]! >>> shift) & mask) <= digit) count++;
  }
  for (let word = 0; word < from.length - 1; word++) {
    const [all, some] = [from[word]!, to[word]!];
    for (let k = 0; k < count; k++) some[k] = all[places[k]!]!;
  }
  return count;
}

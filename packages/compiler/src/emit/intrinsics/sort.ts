/** Sorts of keys: insertion for few, a radix sort for more. */
import type { TypedArray } from "@fuseau/ir";
import { moveByDigit, NARROW_DIGIT, selectFirst, WIDE_DIGIT } from "./sort-digits.ts";
import { sortFew } from "./sort-few.ts";
import { fromWords, toWords, wordsPerKey } from "./sort-words.ts";

/** Up to so many keys insertion is faster. */
const FEW = 40;

/** Up to so many keys, shorter digits and one more pass are faster. */
const MANY = 3_000;

/** If at most this fraction of the places is wanted, most of the other keys are removed before the sort. */
const SELECTED_PART = 1 / 4;

/**
 * Sorts `length` keys, ascending or descending. NaN is the largest; equal keys, such as −0 and 0, keep their order (PyTorch:
 * `torch.sort(stable=True)`). `order` receives the keys' original places, at least the `first` of them. Unless `sorted`, the keys
 * may be left with any content.
 */
export function sortKeys(
  keys: TypedArray,
  order: Int32Array | null,
  sorted: boolean,
  length: number,
  first: number,
  descending: boolean,
): void {
  if (length <= FEW) {
    sortFew(keys, order, length, descending);
    return;
  }
  const words = wordsPerKey(keys);
  const width = words + (order === null ? 0 : 1);
  const columns = takeColumns(2 * width, length);
  let from = columns.slice(0, width);
  let to = columns.slice(width);
  const { differing, lost } = toWords(keys, from, length, descending);
  let count = length;
  if (order !== null) {
    const places = from[words]!;
    for (let k = 0; k < length; k++) places[k] = k;
    if (!sorted && first <= length * SELECTED_PART) {
      count = selectFirst(from, to, differing, length, first);
      [from, to] = [to, from];
    }
  }
  for (let word = 0; word < words; word++) {
    const bits = differing[word]!;
    if (bits === 0) continue;
    const low = 31 - Math.clz32(bits & -bits);
    const high = 32 - Math.clz32(bits);
    const passes = Math.ceil((high - low) / (count > MANY ? WIDE_DIGIT : NARROW_DIGIT));
    const digit = Math.ceil((high - low) / passes);
    for (let shift = low; shift < high; shift += digit) {
      moveByDigit(from, to, word, count, shift, (1 << digit) - 1);
      [from, to] = [to, from];
    }
  }
  if (order !== null) {
    const places = from[words]!;
    for (let k = 0; k < first; k++) order[k] = places[k]!;
  }
  if (sorted) fromWords(keys, from, to, length, descending, lost);
}

/** The length up to which columns are kept for the next sort. */
const KEPT = 65_536;
let kept: Uint32Array[] = [];

/** Memory for so many columns, with any content. */
function takeColumns(count: number, length: number): Uint32Array[] {
  const fits = kept.length >= count && kept[0]!.length >= length;
  if (fits) return kept.slice(0, count);
  const columns = Array.from({ length: count }, () => new Uint32Array(length));
  if (length <= KEPT) kept = columns;
  return columns;
}

/**
 * Keys as words of 32 bits, the lowest first, whose order as unsigned numbers is the keys' order. Of a float's bits the sign bit
 * is flipped, and all others too where it was set. −0 becomes the bits of 0, and any NaN becomes all ones. Descending, all bits
 * are flipped. Zeros and NaNs, whose bits that loses, are restored at the end.
 */
import type { TypedArray } from "@fuseau/ir";

const FIRST = 0x8000_0000;

interface WordsFound {
  /** The bits in which keys differ, for every word. */
  readonly differing: readonly number[];
  /** True when a key is −0 or NaN. */
  readonly lost: boolean;
}

export const wordsPerKey = (keys: TypedArray): 1 | 2 =>
  keys instanceof Float64Array || keys instanceof BigInt64Array ? 2 : 1;

const bitsOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength >> 2);

export function toWords(
  keys: TypedArray,
  to: readonly Uint32Array[],
  length: number,
  descending: boolean,
): WordsFound {
  const flip = descending ? -1 : 0;
  const low = to[0]!;
  if (keys instanceof Float32Array) return floatsToWords(bitsOf(keys), low, length, flip);
  if (keys instanceof Float64Array) return doublesToWords(bitsOf(keys), low, to[1]!, length, flip);
  if (keys instanceof BigInt64Array) return int64ToWords(bitsOf(keys), low, to[1]!, length, flip);
  return integersToWords(keys as Int32Array, low, length, flip);
}

function floatsToWords(bits: Uint32Array, to: Uint32Array, length: number, flip: number): WordsFound {
  let [any, all, lost] = [0, -1, 0];
  for (let k = 0; k < length; k++) {
    const key = bits[k]! | 0;
    const size = key & 0x7fff_ffff;
    let word = key ^ ((key >> 31) | FIRST);
    if (size === 0) {
      word = FIRST | 0;
      lost |= key;
    } else if (size > 0x7f80_0000) {
      word = -1;
      lost = -1;
    }
    word ^= flip;
    any |= word;
    all &= word;
    to[k] = word;
  }
  return { differing: [any ^ all], lost: lost !== 0 };
}

function doublesToWords(
  bits: Uint32Array,
  low: Uint32Array,
  high: Uint32Array,
  length: number,
  flip: number,
): WordsFound {
  let [anyLow, allLow, anyHigh, allHigh, lost] = [0, -1, 0, -1, 0];
  for (let k = 0; k < length; k++) {
    const [tail, head] = [bits[2 * k]! | 0, bits[2 * k + 1]! | 0];
    const size = head & 0x7fff_ffff;
    let lowWord = tail ^ (head >> 31);
    let highWord = head ^ ((head >> 31) | FIRST);
    if ((size | tail) === 0) {
      lowWord = 0;
      highWord = FIRST | 0;
      lost |= head;
    } else if (size > 0x7ff0_0000 || (size === 0x7ff0_0000 && tail !== 0)) {
      lowWord = -1;
      highWord = -1;
      lost = -1;
    }
    lowWord ^= flip;
    highWord ^= flip;
    anyLow |= lowWord;
    allLow &= lowWord;
    anyHigh |= highWord;
    allHigh &= highWord;
    low[k] = lowWord;
    high[k] = highWord;
  }
  return { differing: [anyLow ^ allLow, anyHigh ^ allHigh], lost: lost !== 0 };
}

function int64ToWords(
  bits: Uint32Array,
  low: Uint32Array,
  high: Uint32Array,
  length: number,
  flip: number,
): WordsFound {
  let [anyLow, allLow, anyHigh, allHigh] = [0, -1, 0, -1];
  for (let k = 0; k < length; k++) {
    const lowWord = bits[2 * k]! ^ flip;
    const highWord = bits[2 * k + 1]! ^ FIRST ^ flip;
    anyLow |= lowWord;
    allLow &= lowWord;
    anyHigh |= highWord;
    allHigh &= highWord;
    low[k] = lowWord;
    high[k] = highWord;
  }
  return { differing: [anyLow ^ allLow, anyHigh ^ allHigh], lost: false };
}

function integersToWords(keys: Int32Array, to: Uint32Array, length: number, flip: number): WordsFound {
  let [any, all] = [0, -1];
  for (let k = 0; k < length; k++) {
    const word = keys[k]! ^ FIRST ^ flip;
    any |= word;
    all &= word;
    to[k] = word;
  }
  return { differing: [any ^ all], lost: false };
}

/** Converts words back to keys. `spare` are columns that may be overwritten. */
export function fromWords(
  keys: TypedArray,
  words: readonly Uint32Array[],
  spare: readonly Uint32Array[],
  length: number,
  descending: boolean,
  lost: boolean,
): void {
  const flip = descending ? -1 : 0;
  const low = words[0]!;
  if (keys instanceof BigInt64Array) {
    wideFromWords(bitsOf(keys), low, words[1]!, length, flip, false);
  } else if (keys instanceof Float32Array || keys instanceof Float64Array) {
    const bits = bitsOf(keys);
    const width = keys instanceof Float64Array ? 2 : 1;
    const aside = lost ? putAside(keys, bits, width, spare, length) : null;
    if (width === 2) wideFromWords(bits, low, words[1]!, length, flip, true);
    else floatsFromWords(bits, low, length, flip);
    if (aside === null) return;
    const { zeros, nans, negatives } = aside;
    const smaller = descending ? length - negatives - zeros : negatives;
    putBack(bits, width, spare, 0, zeros, smaller);
    putBack(bits, width, spare, zeros, nans, descending ? 0 : length - nans);
  } else {
    for (let k = 0; k < length; k++) keys[k] = low[k]! ^ FIRST ^ flip;
  }
}

function floatsFromWords(bits: Uint32Array, words: Uint32Array, length: number, flip: number): void {
  for (let k = 0; k < length; k++) {
    const word = words[k]! ^ flip;
    bits[k] = word ^ (~(word >> 31) | FIRST);
  }
}

function wideFromWords(
  bits: Uint32Array,
  low: Uint32Array,
  high: Uint32Array,
  length: number,
  flip: number,
  floats: boolean,
): void {
  for (let k = 0; k < length; k++) {
    const head = high[k]! ^ flip;
    const flipped = floats ? ~(head >> 31) : 0;
    bits[2 * k] = low[k]! ^ flip ^ flipped;
    bits[2 * k + 1] = head ^ (flipped | FIRST);
  }
}

interface Aside {
  readonly zeros: number;
  readonly nans: number;
  readonly negatives: number;
}

/** Copies the zeros, in their order, and then the NaNs to spare columns. */
function putAside(
  keys: Float32Array | Float64Array,
  bits: Uint32Array,
  width: 1 | 2,
  to: readonly Uint32Array[],
  length: number,
): Aside {
  let [place, negatives] = [0, 0];
  const keep = (k: number): void => {
    for (let word = 0; word < width; word++) to[word]![place] = bits[width * k + word]!;
    place++;
  };
  for (let k = 0; k < length; k++) {
    if (keys[k] === 0) keep(k);
    else if (keys[k]! < 0) negatives++;
  }
  const zeros = place;
  for (let k = 0; k < length; k++) if (Number.isNaN(keys[k])) keep(k);
  return { zeros, nans: place - zeros, negatives };
}

function putBack(
  bits: Uint32Array,
  width: 1 | 2,
  from: readonly Uint32Array[],
  first: number,
  count: number,
  place: number,
): void {
  for (let k = 0; k < count; k++) {
    for (let word = 0; word < width; word++) bits[width * (place + k) + word] = from[word]![first + k]!;
  }
}

/**
 * Philox4x32-10: ten rounds turn a 128-bit counter and a 64-bit key into four random 32-bit words. Blocks are independent, so
 * that any word can be computed alone, in any order and on any thread. Source: Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011).
 */

const ROUNDS = 10;
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
/** What is added to the halves of the key after each round: the fractions of the golden ratio and of √3. */
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** The last block computed: its words, and the block number and key halves that they came from. */
const words = new Int32Array(4);
const source = new Float64Array(3).fill(NaN);

/**
 * Word `counter mod 4` of block ⌊counter / 4⌋ of the key, as a number from 0 to 2^32 − 1. The counter is an integer below 2^53,
 * the halves of the key are below 2^32. The last block is kept, so that consecutive counters cost a quarter of a block each.
 */
export function randomWord(counter: number, keyLow: number, keyHigh: number): number {
  const block = Math.floor(counter * 0.25);
  if (block !== source[0] || keyLow !== source[1] || keyHigh !== source[2]) {
    philox(words, block, Math.floor(block / 2 ** 32), 0, 0, keyLow, keyHigh);
    source[0] = block;
    source[1] = keyLow;
    source[2] = keyHigh;
  }
  return words[(counter - block * 4) & 3]! >>> 0;
}

/** A standard normal number in float32, by Box and Muller: √(−2 ln u) · cos 2πv. u is made of the word of a counter, v of the next one. */
export function randomNormal(counter: number, keyLow: number, keyHigh: number): number {
  const u = (randomWord(counter, keyLow, keyHigh) + 0.5) * 2 ** -32;
  const v = (randomWord(counter + 1, keyLow, keyHigh) + 0.5) * 2 ** -32;
  return Math.fround(Math.sqrt(Math.log(u) * -2) * Math.cos(v * (2 * Math.PI)));
}

/** Fills `into` with the block of a counter and a key, given as 32-bit words, the low ones first. */
export function philox(
  into: Int32Array,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
): void {
  let c0 = counter0 | 0;
  let c1 = counter1 | 0;
  let c2 = counter2 | 0;
  let c3 = counter3 | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = highWord(c0, MULTIPLIER_0 & 0xffff, MULTIPLIER_0 >>> 16);
    const high1 = highWord(c2, MULTIPLIER_1 & 0xffff, MULTIPLIER_1 >>> 16);
    const low0 = Math.imul(c0, MULTIPLIER_0);
    const low1 = Math.imul(c2, MULTIPLIER_1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  into[0] = c0;
  into[1] = c1;
  into[2] = c2;
  into[3] = c3;
}

/** The upper 32 bits of the unsigned product of `a` and high·2^16 + low. No sum of two terms here reaches 2^32. */
function highWord(a: number, low: number, high: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const first = (Math.imul(aHigh, low) + (Math.imul(aLow, low) >>> 16)) | 0;
  const second = (Math.imul(aLow, high) + (first & 0xffff)) | 0;
  return (Math.imul(aHigh, high) + (first >>> 16) + (second >>> 16)) | 0;
}

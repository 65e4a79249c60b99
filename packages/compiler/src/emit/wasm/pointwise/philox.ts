/** Philox4x32-10 for four blocks at once; ../../intrinsics/philox.ts is the same for one. */
import type { Register, Straight } from "../lanes/straight.ts";

const ROUNDS = 10;
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
/** Added to the halves of the key after each round. */
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** Register w has word w of four blocks. */
export type Blocks = readonly [Register, Register, Register, Register];

/** The words of four blocks, given the low and high words of their numbers. The upper half of the counter is 0. */
export function blocksOf(
  code: Straight,
  low: Register,
  high: Register,
  lowKey: Register,
  highKey: Register,
): Blocks {
  const xor = (a: Register, b: Register): Register => code.op("v128.xor", a, b);
  let [key0, key1] = [lowKey, highKey];
  const begin = product(code, low, MULTIPLIER_0);
  // The product with the other multiplier is 0.
  let words: Blocks = [xor(high, key0), code.splat("i32x4", 0), xor(begin.high, key1), begin.low];
  for (let round = 1; round < ROUNDS; round++) {
    key0 = code.op("i32x4.add", key0, code.splat("i32x4", WEYL_0));
    key1 = code.op("i32x4.add", key1, code.splat("i32x4", WEYL_1));
    const [c0, c1, c2, c3] = words;
    const first = product(code, c0, MULTIPLIER_0);
    const second = product(code, c2, MULTIPLIER_1);
    // The key is xored first, since it is computed before the counter.
    words = [xor(second.high, xor(c1, key0)), second.low, xor(first.high, xor(c3, key1)), first.low];
  }
  return words;
}

export const evenWords: readonly number[] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
export const oddWords: readonly number[] = evenWords.map((byte) => byte + 4);

/** The low and the high words of the unsigned products with a constant. */
function product(
  code: Straight,
  x: Register,
  by: number,
): { readonly low: Register; readonly high: Register } {
  const factor = code.splat("i32x4", by);
  const lower = code.op("i64x2.extmul_low_i32x4_u", x, factor);
  const upper = code.op("i64x2.extmul_high_i32x4_u", x, factor);
  return {
    low: code.with("i8x16.shuffle", evenWords, lower, upper),
    high: code.with("i8x16.shuffle", oddWords, lower, upper),
  };
}

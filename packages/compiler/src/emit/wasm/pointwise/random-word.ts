/**
 * Philox4x32-10, four blocks side by side: ../../intrinsics/philox.ts says the same for one. Each element makes the whole block of
 * its counter and takes its word.
 */
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { interleaved } from "../values/interleave.ts";
import { elementsOf, type Lanes, type LaneValue, registersFor } from "../values/value.ts";
import { upperHalf } from "../values/widths.ts";

const ROUNDS = 10;
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
/** What is added to the halves of the key after each round. */
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** Added to a whole number below it, it leaves the number in the low 52 bits. */
const TWO_52 = 2 ** 52;

export function randomWord(lanes: Lanes, args: readonly [LaneValue, LaneValue, LaneValue]): LaneValue {
  const { code } = lanes;
  const uniform = args.every((arg) => arg.uniform);
  const registers = registersFor(elementsOf(lanes, { uniform }), 8);
  const [counters, lowKeys, highKeys] = args;
  /** Two registers of two elements each; where there is but one, twice. */
  const pair = ({ registers: all, uniform: one }: LaneValue, k: number): [Register, Register] =>
    one || registers === 1 ? [all[0]!, all[0]!] : [all[2 * k]!, all[2 * k + 1]!];
  const words = interleaved(code, Math.max(1, registers / 2), (k) =>
    fourWords(code, pair(counters, k), lowBits(code, pair(lowKeys, k)), lowBits(code, pair(highKeys, k))),
  );
  const results = interleaved(code, registers, (k) => {
    const four = words[k >> 1]!;
    return code.op("f64x2.convert_low_i32x4_u", k % 2 === 0 ? four : upperHalf(code, four));
  });
  return { dtype: "float64", width: 8, uniform, registers: results };
}

const evenWords = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const oddWords = evenWords.map((byte) => byte + 4);

/** The low words of four whole numbers below 2^52. */
function lowBits(code: StraightCode, [a, b]: readonly [Register, Register]): Register {
  const magic = code.splat("f64x2", TWO_52);
  return code.with(
    "i8x16.shuffle",
    evenWords,
    code.op("f64x2.add", a, magic),
    code.op("f64x2.add", b, magic),
  );
}

/** Word `counter mod 4` of block ⌊counter / 4⌋, for each of four counters. */
function fourWords(
  code: StraightCode,
  counters: readonly [Register, Register],
  lowKey: Register,
  highKey: Register,
): Register {
  const blocks = counters.map((counter) =>
    code.op("f64x2.floor", code.op("f64x2.mul", counter, code.splat("f64x2", 0.25))),
  ) as [Register, Register];
  const magic = code.splat("f64x2", TWO_52);
  const [first, second] = blocks.map((block) => code.op("f64x2.add", block, magic)) as [Register, Register];
  const places = counters.map((counter, k) =>
    code.op("f64x2.sub", counter, code.op("f64x2.mul", blocks[k]!, code.splat("f64x2", 4))),
  ) as [Register, Register];
  const high = code.with("i8x16.shuffle", oddWords, first, second);
  const zero = code.splat("i32x4", 0);
  let state: Words = [
    code.with("i8x16.shuffle", evenWords, first, second),
    code.op("v128.and", high, code.splat("i32x4", 0xfffff)),
    zero,
    zero,
  ];
  let [key0, key1] = [lowKey, highKey];
  for (let round = 0; round < ROUNDS; round++) {
    state = nextRound(code, state, key0, key1);
    key0 = code.op("i32x4.add", key0, code.splat("i32x4", WEYL_0));
    key1 = code.op("i32x4.add", key1, code.splat("i32x4", WEYL_1));
  }
  const place = lowBits(code, places);
  return state.reduce((chosen, word, k) =>
    code.op("v128.bitselect", word, chosen, code.op("i32x4.eq", place, code.splat("i32x4", k))),
  );
}

type Words = readonly [Register, Register, Register, Register];

function nextRound(code: StraightCode, [c0, c1, c2, c3]: Words, key0: Register, key1: Register): Words {
  const first = product(code, c0, MULTIPLIER_0);
  const second = product(code, c2, MULTIPLIER_1);
  return [
    code.op("v128.xor", code.op("v128.xor", second.high, c1), key0),
    second.low,
    code.op("v128.xor", code.op("v128.xor", first.high, c3), key1),
    first.low,
  ];
}

/** The words of the unsigned products with a constant. */
function product(
  code: StraightCode,
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

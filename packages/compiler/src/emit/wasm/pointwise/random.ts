/** Random numbers from words, and the words of arbitrary counters, each from a block of its own. */
import { normalOfWords } from "../functions/float32/normal.ts";
import type { StraightCode } from "../lanes/code.ts";
import { recorded } from "../lanes/record.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import { interleaved } from "../values/interleave.ts";
import { elementsOf, type Lanes, type LaneValue, registersFor } from "../values/value.ts";
import { upperHalf } from "../values/widths.ts";
import { blocksOf, evenWords, oddWords } from "./philox.ts";

/** Added to an integer below it, it leaves the integer in the low 52 bits. */
export const TWO_52: number = 2 ** 52;

/** The source of the words for a value's elements. */
export interface Words {
  readonly uniform: boolean;
  /** `count` registers of four elements each, for each number in `behind`: the words of the counters plus that number. */
  readonly make: (count: number, behind: readonly number[]) => readonly (readonly Register[])[];
}

/** Converts words to float64. */
function randomWord(lanes: Lanes, { uniform, make }: Words): LaneValue {
  const { code } = lanes;
  const registers = registersFor(elementsOf(lanes, { uniform }), 8);
  const [words] = make(Math.max(1, registers / 2), [0]);
  const results = interleaved(code, registers, (k) => {
    const word = words![k >> 1]!;
    return code.op("f64x2.convert_low_i32x4_u", k % 2 === 0 ? word : upperHalf(code, word));
  });
  return { dtype: "float64", width: 8, uniform, registers: results };
}

/** Computes normal numbers, of two words each. */
function randomNormal(lanes: Lanes, { uniform, make }: Words): LaneValue {
  const { code } = lanes;
  const count = registersFor(elementsOf(lanes, { uniform }), 4);
  const [first, second] = make(count, [0, 1]);
  const registers = interleaved(code, count, (k) => normal(code, first![k]!, second![k]!));
  return { dtype: "float32", width: 4, uniform, registers };
}

const normal = recorded(normalOfWords);

/** By the op that computes them. */
export const randomNumbers: {
  readonly [Op in "randomWord" | "randomNormal"]: (lanes: Lanes, words: Words) => LaneValue;
} = { randomWord, randomNormal };

/** The words of arbitrary counters; the arguments are the counters and the halves of the key. */
export function wordsOf(lanes: Lanes, args: readonly LaneValue[]): Words {
  const { code } = lanes;
  const uniform = args.every((arg) => arg.uniform);
  const registers = registersFor(elementsOf(lanes, { uniform }), 8);
  const [counters, lowKeys, highKeys] = args as [LaneValue, LaneValue, LaneValue];
  /** Two registers of two elements each; a single register is taken twice. */
  const pair = ({ registers: all, uniform: one }: LaneValue, k: number): Pair =>
    one || registers === 1 ? [all[0]!, all[0]!] : [all[2 * k]!, all[2 * k + 1]!];
  const next = (at: Register, by: number): Register =>
    by === 0 ? at : code.op("f64x2.add", at, code.splat("f64x2", by));
  return {
    uniform,
    make: (count, behind) =>
      behind.map((by) =>
        interleaved(code, count, (k) => {
          const [a, b] = pair(counters, k);
          const key = [lowBits(code, pair(lowKeys, k)), lowBits(code, pair(highKeys, k))] as const;
          return fourWords(code, [next(a, by), next(b, by)], ...key);
        }),
      ),
  };
}

type Pair = readonly [Register, Register];

/** The low words of four integers below 2^52, which are held as float64. */
function lowBits(code: Straight, [a, b]: Pair): Register {
  const magic = code.splat("f64x2", TWO_52);
  return code.with(
    "i8x16.shuffle",
    evenWords,
    code.op("f64x2.add", a, magic),
    code.op("f64x2.add", b, magic),
  );
}

/** A half of a uniform key, as a word in every lane. */
export const keyWord = (code: StraightCode, { registers: [half] }: LaneValue): Register =>
  lowBits(code, [half!, half!]);

/** Word `counter mod 4` of block ⌊counter / 4⌋, for each of four counters. */
export function fourWords(code: Straight, counters: Pair, lowKey: Register, highKey: Register): Register {
  const blocks = counters.map((counter) =>
    code.op("f64x2.floor", code.op("f64x2.mul", counter, code.splat("f64x2", 0.25))),
  ) as [Register, Register];
  const magic = code.splat("f64x2", TWO_52);
  const [first, second] = blocks.map((block) => code.op("f64x2.add", block, magic)) as [Register, Register];
  const places = counters.map((counter, k) =>
    code.op("f64x2.sub", counter, code.op("f64x2.mul", blocks[k]!, code.splat("f64x2", 4))),
  ) as [Register, Register];
  const high = code.with("i8x16.shuffle", oddWords, first, second);
  const words = blocksOf(
    code,
    code.with("i8x16.shuffle", evenWords, first, second),
    code.op("v128.and", high, code.splat("i32x4", 0xfffff)),
    lowKey,
    highKey,
  );
  const place = lowBits(code, places);
  return words.reduce((chosen, word, k) =>
    code.op("v128.bitselect", word, chosen, code.op("i32x4.eq", place, code.splat("i32x4", k))),
  );
}

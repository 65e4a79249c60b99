/**
 * Matches random words of consecutive counters: `randomWord` and `randomNormal` of the counter k·i + start + j, where i is an
 * index that increases by 1 along the loop's axis, k is 1, 2 or 4, and j < k. Ops record such counters (docs/random.md). Then a
 * step needs whole blocks of words, one after another. Each block is computed once: equal code is written once, so ops that read
 * the same blocks share them. If a step does not begin with a block, its words are computed one by one.
 */
import type { Integer, Operand } from "@fuseau/ir";
import { asNumber, split, without } from "../../../tactics/polynomial.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Helper, Register } from "../lanes/straight.ts";
import { columnOf, interleavedHalves, splatLane } from "../lanes/transpose.ts";
import { type Blocks, blocksOf } from "../pointwise/philox.ts";
import { fourWords, keyWord, TWO_52, type Words } from "../pointwise/random.ts";
import { interleaved } from "../values/interleave.ts";
import { upperHalf } from "../values/widths.ts";
import type { Site } from "./site.ts";

type Stride = 1 | 2 | 4;

/** Null if it does not match. */
export function consecutiveWords(site: Site, args: readonly Operand[]): Words | null {
  const [counter, keyLow, keyHigh] = args as readonly [Operand, Operand, Operand];
  const row = rowOf(site, counter);
  if (row === null || site.count * row.stride < FEWEST) return null;
  const [lowHalf, highHalf] = [site.value(keyLow), site.value(keyHigh)];
  if (!lowHalf.uniform || !highHalf.uniform) return null;
  const { code } = site;
  const key = [keyWord(code, lowHalf), keyWord(code, highHalf)] as const;
  const first = splatLane(code, row.first, 2, 0);
  const block = code.op("f64x2.mul", first, code.splat("f64x2", 0.25));
  const whole = code.op("f64x2.floor", block);
  const bits = code.op("f64x2.add", whole, code.splat("f64x2", TWO_52));
  const low = splatLane(code, bits, 4, 0);
  const high = code.op("v128.and", splatLane(code, bits, 4, 1), code.splat("i32x4", 0xfffff));
  // The step must not reach a block whose low word wraps, since all blocks share the high word.
  const wraps = code.op("i32x4.lt_u", code.splat("i32x4", 2 ** 32 - site.count * row.stride), low);
  const unaligned = code.op("v128.or", code.op("f64x2.ne", block, whole), wraps);
  const { stride } = row;
  return {
    uniform: false,
    make: (count, behind) => {
      const blocks = (group: number): Blocks => {
        const behindFirst = code.bits(pair(4 * group, 1), pair(4 * group + 2, 1));
        return blocksOf(code, code.op("i32x4.add", low, behindFirst), high, ...key);
      };
      const usual = behind.map((by) =>
        interleaved(code, count, (k) => pick(code, blocks, k, stride, row.word + by)),
      );
      return behind.map((by, n) =>
        usual[n]!.map((words, k) => {
          const further = (element: number): bigint => pair(element * stride + row.word + by, stride);
          const places = code.bits(further(4 * k), further(4 * k + 2));
          return code.rarely(unaligned, words, unalignedWords, words, first, places, ...key);
        }),
      );
    },
  };
}

/** For fewer words than this, computing four blocks does not pay. */
const FEWEST = 8;

/** Two numbers as the words of half a register: `first`, and `step` more. */
const pair = (first: number, step: number): bigint => BigInt(first) | (BigInt(first + step) << 32n);

interface Row {
  /** The counter of the first element, without j, in lane 0. */
  readonly first: Register;
  readonly stride: Stride;
  /** j */
  readonly word: number;
}

function rowOf(site: Site, counter: Operand): Row | null {
  if (counter.kind !== "local") return null;
  const behind = added(site, counter.local);
  const word = behind === null ? 0 : behind.number;
  const base = behind === null ? counter.local : behind.local;
  const stride = strideOf(site, base);
  if (stride === null || word + 1 > stride) return null;
  const value = site.values.get(base);
  return value === undefined || value.uniform ? null : { first: value.registers[0]!, stride, word };
}

/** Matches a sum of a local and 1, 2 or 3. */
function added(site: Site, local: number): { local: number; number: number } | null {
  const [a, b] = operandsOf(site, local, "add") ?? [];
  if (a?.kind !== "local" || b?.kind !== "constant") return null;
  return b.value === 1 || b.value === 2 || b.value === 3 ? { local: a.local, number: b.value } : null;
}

/** The difference of the counters of neighbouring elements. */
function strideOf(site: Site, local: number): Stride | null {
  const [a, b] = operandsOf(site, local, "add") ?? [];
  const multiple = a?.kind === "local" && b !== undefined && site.value(b).uniform ? a.local : local;
  const half = doubled(site, multiple);
  const quarter = half === null ? null : doubled(site, half);
  if (isIndex(site, multiple)) return 1;
  if (half !== null && isIndex(site, half)) return 2;
  return quarter !== null && isIndex(site, quarter) ? 4 : null;
}

function doubled(site: Site, local: number): number | null {
  const [a, b] = operandsOf(site, local, "mul") ?? [];
  return a?.kind === "local" && b?.kind === "constant" && b.value === 2 ? a.local : null;
}

function operandsOf(site: Site, local: number, fn: "add" | "mul"): readonly Operand[] | null {
  const expression = site.expressions.get(local);
  return expression?.kind === "pointwise" && expression.fn === fn ? expression.args : null;
}

function isIndex(site: Site, local: number): boolean {
  const expression = site.expressions.get(local);
  return expression?.kind === "index" && goesUpByOne(site, expression.at);
}

function goesUpByOne(site: Site, at: Integer): boolean {
  const axis = site.walk?.axis;
  if (axis === undefined) return false;
  const varying = split(site.polynomial(at), ({ factors }) =>
    factors.some((each) => site.varies(each)),
  ).chosen;
  return varying.length === 1 && asNumber(without(varying, { kind: "axis", axis })) === 1;
}

/** The words of elements 4k … 4k + 3; a group is four blocks. */
function pick(
  code: StraightCode,
  blocks: (group: number) => Blocks,
  k: number,
  stride: Stride,
  word: number,
): Register {
  if (stride === 4) return blocks(k)[word]!;
  if (stride === 1) return columnOf(code, blocks(k >> 2), k % 4);
  const words = blocks(k >> 1);
  return interleavedHalves(code, 4, k % 2 === 0 ? "lower" : "upper", words[word]!, words[word + 2]!);
}

/**
 * Words of four counters: that of the first element, plus a distance for each. The usual words are an argument too. So V8
 * computes them in front of the branch, once for all readers, and not behind each.
 */
const unalignedWords: Helper = {
  name: "random words that do not begin with a block",
  build: (code, _, first, further, lowKey, highKey) => {
    const moved = (by: Register): Register =>
      code.op("f64x2.add", first!, code.op("f64x2.convert_low_i32x4_u", by));
    return fourWords(code, [moved(further!), moved(upperHalf(code, further!))], lowKey!, highKey!);
  },
};

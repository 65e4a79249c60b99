/** Lanes made wider and narrower. */

import type { Register, Straight } from "../lanes/straight.ts";
import { interleavedHalves } from "../lanes/transpose.ts";
import { integerLanes, type LaneValue, registersFor, type Width } from "./value.ts";

/** How the upper bits of a widened lane are filled. A narrowed lane keeps its low bits; a mask stays a mask. */
export type Sign = "signed" | "unsigned" | "mask";

/** `count` elements in lanes of another width. */
export function resize(
  code: Straight,
  registers: readonly Register[],
  count: number,
  from: Width,
  to: Width,
  sign: Sign,
): readonly Register[] {
  let result = registers;
  let width = from;
  while (width < to) {
    width = (width * 2) as Width;
    result = widened(code, result, registersFor(count, width), width, sign);
  }
  while (width > to) {
    width = (width / 2) as Width;
    result = narrowed(code, result, registersFor(count, width), width, sign);
  }
  return result;
}

/** A mask in lanes of another width. */
export function maskOf(code: Straight, mask: LaneValue, count: number, width: Width): readonly Register[] {
  return resize(code, mask.registers, mask.uniform ? 1 : count, mask.width, width, "mask");
}

function widened(
  code: Straight,
  registers: readonly Register[],
  count: number,
  to: Width,
  sign: Sign,
): Register[] {
  const from = integerLanes[(to / 2) as 1 | 2 | 4];
  const wide = integerLanes[to as 2 | 4 | 8];
  const suffix = sign === "unsigned" ? "u" : "s";
  return Array.from({ length: count }, (_, k) =>
    code.op(
      `${wide}.extend_${k % 2 === 0 ? "low" : "high"}_${from}_${suffix}` as "i16x8.extend_low_i8x16_s",
      registers[k >> 1]!,
    ),
  );
}

const evenWords = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];

/** The low halves of the lanes of two registers, concatenated. */
const lowHalves = (code: Straight, a: Register, b: Register): Register =>
  code.with("i8x16.shuffle", evenWords, a, b);

function narrowed(
  code: Straight,
  registers: readonly Register[],
  count: number,
  to: Width,
  sign: Sign,
): Register[] {
  return Array.from({ length: count }, (_, k) => {
    const a = registers[2 * k]!;
    // A single register is used twice: every lane of a uniform value must be filled.
    const b = registers[2 * k + 1] ?? a;
    if (to === 4) return lowHalves(code, a, b);
    const narrow = to === 2 ? "i16x8.narrow_i32x4" : "i8x16.narrow_i16x8";
    if (sign === "mask") return code.op(`${narrow}_s`, a, b);
    const bits = code.splat(to === 2 ? "i32x4" : "i16x8", to === 2 ? 0xffff : 0xff);
    return code.op(`${narrow}_u`, code.op("v128.and", a, bits), code.op("v128.and", b, bits));
  });
}

const upperFirst = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];

/** Swaps the halves of a register. */
export const upperHalf = (code: Straight, a: Register): Register =>
  code.with("i8x16.shuffle", upperFirst, a, a);

const firstWord = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];

/** `count` lanes of 32 bits, of which each register has two in its lower half, concatenated; a single one is splat. */
export function joinLower(code: Straight, registers: readonly Register[], count: number): Register[] {
  return Array.from({ length: registersFor(count, 4) }, (_, k) => {
    const a = registers[2 * k]!;
    if (count === 1) return code.with("i8x16.shuffle", firstWord, a, a);
    const b = registers[2 * k + 1];
    return b === undefined ? a : interleavedHalves(code, 8, "lower", a, b);
  });
}

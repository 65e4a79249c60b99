/**
 * Floats truncated and wrapped to the width of an integer, as in JavaScript: NaN and ±∞ give 0. The remainder modulo 2^32 or 2^64
 * is exact in the float's own format, since scaling by a power of two is.
 */
import type { StraightCode } from "../lanes/code.ts";
import type { Helper, Register, Straight } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "./each-lane.ts";
import { farDoubles, inLowWords, int64sOf } from "./exact-doubles.ts";
import { interleaved } from "./interleave.ts";
import type { Width } from "./value.ts";
import { joinLower } from "./widths.ts";

/** Converts lanes of `width` bytes to lanes of 32 bits, of which only the lowest `to` bytes need be right. */
export function floatToInt32(
  code: StraightCode,
  registers: readonly Register[],
  count: number,
  width: 4 | 8,
  to: Width,
): readonly Register[] {
  if (width === 4) {
    const cut = to === 1 ? float32ToByte : float32ToInt32;
    return interleaved(code, registers.length, (k) => cut(code, registers[k]!));
  }
  const words = interleaved(code, registers.length, (k) => float64ToInt32(code, registers[k]!));
  return joinLower(code, words, count);
}

/** Floats from 2^31 on are multiples of 2^8: their lowest byte is 0. So is that of the least int32, to which smaller floats saturate. */
function float32ToByte(code: Straight, x: Register): Register {
  const large = code.op("f32x4.ge", x, code.splat("f32x4", 2 ** 31));
  return code.op("v128.andnot", code.op("i32x4.trunc_sat_f32x4_s", x), large);
}

function float32ToInt32(code: Straight, x: Register): Register {
  const usual = code.op("i32x4.trunc_sat_f32x4_s", x);
  const large = code.op("f32x4.ge", code.op("f32x4.abs", x), code.splat("f32x4", 2 ** 31));
  return code.rarely(large, usual, wrapFloat32, x);
}

/** The remainder has the sign of x, and a magnitude below 2^32. */
const wrapFloat32: Helper = {
  name: "float32ToInt32",
  build(code, x) {
    const whole = code.op("f32x4.trunc", x);
    const turns = code.op("f32x4.trunc", code.op("f32x4.mul", whole, code.splat("f32x4", 2 ** -32)));
    const rest = code.op("f32x4.sub", whole, code.op("f32x4.mul", turns, code.splat("f32x4", 2 ** 32)));
    const magnitude = code.op("i32x4.trunc_sat_f32x4_u", code.op("f32x4.abs", rest));
    const sign = code.op("i32x4.shr_s", rest, code.scalar("i32", 31));
    return code.op("i32x4.sub", code.op("v128.xor", magnitude, sign), sign);
  },
};

/** Two lanes; the results are in the lower half. */
function float64ToInt32(code: Straight, x: Register): Register {
  const low = inLowWords(code, code.op("f64x2.trunc", x));
  const usual = code.with("i8x16.shuffle", LOW_WORDS, low, low);
  return code.rarely(farDoubles(code, x), usual, wrapFloat64, x);
}

const LOW_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11];

const wrapFloat64: Helper = {
  name: "float64ToInt32",
  build(code, x) {
    const whole = code.op("f64x2.trunc", x);
    const turns = code.op("f64x2.floor", code.op("f64x2.mul", whole, code.splat("f64x2", 2 ** -32)));
    const rest = code.op("f64x2.sub", whole, code.op("f64x2.mul", turns, code.splat("f64x2", 2 ** 32)));
    return code.op("i32x4.trunc_sat_f64x2_u_zero", rest);
  },
};

export const float64ToInt64 = (code: Straight, x: Register): Register =>
  code.rarely(farDoubles(code, x), int64sOf(code, code.op("f64x2.trunc", x)), wrapEachFloat64, x);

const wrapEachFloat64: Helper = {
  name: "float64ToInt64",
  build: (code, x) =>
    fromLanes(code, "i64x2", 2, (lane) => {
      const whole = code.op("f64.trunc", extractLane(code, "f64x2", x, lane));
      const turns = code.op("f64.trunc", code.op("f64.mul", whole, code.scalar("f64", 2 ** -64)));
      const rest = code.op("f64.sub", whole, code.op("f64.mul", turns, code.scalar("f64", 2 ** 64)));
      const magnitude = code.op("i64.trunc_sat_f64_u", code.op("f64.abs", rest));
      const sign = code.op("i64.shr_s", code.op("i64.reinterpret_f64", rest), code.scalar("i64", 63n));
      return code.op("i64.sub", code.op("i64.xor", magnitude, sign), sign);
    }),
};

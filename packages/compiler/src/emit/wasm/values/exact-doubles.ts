/**
 * Integers of magnitudes up to 2^51, as int64 and as float64: lanes have no instruction that converts between the two. Added to
 * 1.5 · 2^52, such an integer is the low bits of a float64, whose other bits are those of 1.5 · 2^52.
 */
import type { Register, Straight } from "../lanes/straight.ts";

const ANCHOR = 1.5 * 2 ** 52;
const ANCHOR_BITS = 0x4338000000000000n;
/** Magnitudes from here on are far. */
const FAR = 2 ** 51;

/** The float64s of int64s that are not far. */
export const doublesOf = (code: Straight, x: Register): Register =>
  code.op(
    "f64x2.sub",
    code.op("i64x2.add", x, code.splat("i64x2", ANCHOR_BITS)),
    code.splat("f64x2", ANCHOR),
  );

/** Integral float64s that are not far, with the integer modulo 2^32 as the low word of each. */
export const inLowWords = (code: Straight, x: Register): Register =>
  code.op("f64x2.add", x, code.splat("f64x2", ANCHOR));

/** The int64s of integral float64s that are not far. */
export const int64sOf = (code: Straight, x: Register): Register =>
  code.op("i64x2.sub", inLowWords(code, x), code.splat("i64x2", ANCHOR_BITS));

/** Bits of an int64 that is far, and no bits of one that is not. */
export const farInt64s = (code: Straight, x: Register): Register =>
  code.op("i64x2.shr_u", code.op("i64x2.add", x, code.splat("i64x2", BigInt(FAR))), code.scalar("i32", 52));

/** A mask of the float64s that are far, ±∞ or NaN. */
export const farDoubles = (code: Straight, x: Register): Register =>
  code.op("v128.not", code.op("f64x2.lt", code.op("f64x2.abs", x), code.splat("f64x2", FAR)));

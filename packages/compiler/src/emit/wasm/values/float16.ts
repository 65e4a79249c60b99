/** float16 in lanes of float32: decoding, encoding and rounding by bit arithmetic. ../../intrinsics/float16.ts is the same for numbers. */
import type { Register, Straight } from "../lanes/straight.ts";

const EXPONENT_32 = 0x7f800000;
const SIGN_32 = 0x80000000;

/** Decodes 16 bits in each lane of 32. Exact. */
export function decodeFloat16(code: Straight, bits: Register): Register {
  const magnitude = code.op("v128.and", bits, code.splat("i32x4", 0x7fff));
  const shifted = code.op("i32x4.shl", magnitude, code.scalar("i32", 13));
  const number = code.op("f32x4.mul", shifted, code.splat("f32x4", 2 ** 112));
  const special = code.op("i32x4.ge_s", magnitude, code.splat("i32x4", 0x7c00));
  const extreme = code.op("v128.or", shifted, code.splat("i32x4", EXPONENT_32));
  const unsigned = code.op("v128.bitselect", extreme, number, special);
  const signs = code.op("i32x4.shl", bits, code.scalar("i32", 16));
  return code.op("v128.or", unsigned, code.op("v128.and", signs, code.splat("i32x4", SIGN_32)));
}

/** Encodes numbers that float16 represents, as bits in lanes of 32. NaN is 0x7e00. */
export function encodeFloat16(code: Straight, x: Register): Register {
  const magnitude = code.op("f32x4.abs", x);
  const scaled = code.op("f32x4.mul", magnitude, code.splat("f32x4", 2 ** -112));
  const finite = code.op("i32x4.shr_u", scaled, code.scalar("i32", 13));
  const signs = code.op(
    "v128.and",
    code.op("i32x4.shr_u", x, code.scalar("i32", 16)),
    code.splat("i32x4", 0x8000),
  );
  const infinite = code.op("f32x4.eq", magnitude, code.splat("f32x4", Infinity));
  const nearly = code.op("v128.bitselect", code.splat("i32x4", 0x7c00), finite, infinite);
  const signed = code.op("v128.or", nearly, signs);
  return code.op("v128.bitselect", signed, code.splat("i32x4", 0x7e00), code.op("f32x4.eq", x, x));
}

/** Rounds each float32 to the nearest float16, ties to even. */
export function roundFloat16(code: Straight, x: Register): Register {
  const magnitude = code.op("f32x4.abs", x);
  const exponent = code.op("v128.and", magnitude, code.splat("i32x4", EXPONENT_32));
  // The power of two 13 places above x has float32 steps as wide as float16's at x; adding it rounds. Below 2^−14 the steps are
  // those at 2^−14.
  const clamped = code.op("i32x4.max_s", exponent, code.splat("i32x4", (127 - 14) << 23));
  const magic = code.op("i32x4.add", clamped, code.splat("i32x4", 13 << 23));
  const rounded = code.op("f32x4.sub", code.op("f32x4.add", magnitude, magic), magic);
  const large = code.op("f32x4.ge", magnitude, code.splat("f32x4", 65520));
  return withSign(
    code,
    "i32x4",
    SIGN_32,
    code.op("v128.bitselect", code.splat("f32x4", Infinity), rounded, large),
    x,
  );
}

/** Rounds each float64 to the nearest float16, once; the results are float64. */
export function roundFloat64To16(code: Straight, x: Register): Register {
  const magnitude = code.op("f64x2.abs", x);
  const exponent = code.op("v128.and", magnitude, code.splat("i64x2", 0x7ffn << 52n));
  const least = code.splat("i64x2", BigInt(1023 - 14) << 52n);
  const clamped = code.op("v128.bitselect", exponent, least, code.op("i64x2.gt_s", exponent, least));
  const magic = code.op("i64x2.add", clamped, code.splat("i64x2", 42n << 52n));
  const rounded = code.op("f64x2.sub", code.op("f64x2.add", magnitude, magic), magic);
  const large = code.op("f64x2.ge", magnitude, code.splat("f64x2", 65520));
  const settled = code.op("v128.bitselect", code.splat("f64x2", Infinity), rounded, large);
  return withSign(code, "i64x2", 1n << 63n, settled, x);
}

const withSign = (
  code: Straight,
  lanes: "i32x4" | "i64x2",
  sign: number | bigint,
  magnitude: Register,
  x: Register,
): Register => code.op("v128.or", magnitude, code.op("v128.and", x, code.splat(lanes, sign)));

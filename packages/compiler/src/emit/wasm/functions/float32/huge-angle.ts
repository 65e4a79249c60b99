/**
 * Huge angles modulo a turn, after Payne and Hanek ("Radian reduction for trigonometric functions", 1983): the product of a
 * float32 m 2ᵉ with 1/2π. Bits of 1/2π that contribute only whole turns are left out.
 */
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";
import { type Doubles, doubleLanes, words } from "./doubles.ts";

/** From here on a float32 is m 2ᵉ with integers m and e ≥ 0. */
export const HUGE_ANGLE: number = 2 ** 23;

/** The first 256 fraction bits of 1/2π, 8 bytes in each; the first byte is the lowest. */
const INVERSE_TURN = [
  0x4a059193db60be28n,
  0x70374d7df4d5097fn,
  0x10e4104f66a5d836n,
  0x58f1aef7ea58947fn,
] as const;

/** 2⁰ to 2⁷, in a byte each. */
const POWERS = 0x8040201008040201n;

/**
 * x/2π modulo 1, in units of 2⁻⁶⁴ and off by less than 2 of them, for finite x ≥ {@link HUGE_ANGLE}.
 *
 * With e = 8k + s, it is the product of m 2ˢ, which has 31 bits, with the 96 bits of 1/2π from byte k on, modulo 1.
 */
export function fractionOfTurn(lanes: Float32Lanes, x: Register): Doubles {
  const { code, pattern, and, or, addInt, subInt, mulInt, shiftRight } = lanes;
  const doubles = doubleLanes(lanes);
  // A swizzle gives 0 for an index beyond the table.
  const lookUp = (table: Register, indexes: Register) => code.op("i8x16.swizzle", table, indexes);

  const e = subInt(shiftRight(x, 23), pattern(127 + 23));
  const m = or(and(x, pattern(0x7fffff)), pattern(0x800000));
  const power = lookUp(code.bits(POWERS, 0n), or(and(e, pattern(7)), pattern(0xffffff00)));
  const multiplier = mulInt(m, power);

  const k = mulInt(shiftRight(e, 3), pattern(0x01010101));
  const table = code.bits(INVERSE_TURN[0], INVERSE_TURN[1]);
  const restOfTable = code.bits(INVERSE_TURN[2], INVERSE_TURN[3]);
  /** The product of `multiplier` and the 32 bits from byte k + `offset` on. */
  const product = (offset: number): Doubles => {
    const indexes = addInt(k, pattern(0x00010203 + offset * 0x01010101));
    const indexesOfRest = code.op("i8x16.sub", indexes, code.splat("i8x16", 16));
    const word = or(lookUp(table, indexes), lookUp(restOfTable, indexesOfRest));
    return [
      code.op("i64x2.extmul_low_i32x4_u", multiplier, word),
      code.op("i64x2.extmul_high_i32x4_u", multiplier, word),
    ];
  };
  const high = doubles.shiftLeft(product(0), 32);
  const low = doubles.shiftRight(product(8), 32);
  return doubles.addInt(doubles.addInt(high, product(4)), low);
}

/** Signed 64-bit integers times `unit`. */
export function scaleSigned(lanes: Float32Lanes, integers: Doubles, unit: number): Doubles {
  const { code } = lanes;
  const { constant, add, mul } = doubleLanes(lanes);
  const each = (convert: (half: Register) => Register): Doubles => [
    convert(integers[0]),
    convert(integers[1]),
  ];
  const high = each((half) =>
    code.op("f64x2.convert_low_i32x4_s", code.with("i8x16.shuffle", words(1, 3, 1, 3), half, half)),
  );
  const low = each((half) =>
    code.op("f64x2.convert_low_i32x4_u", code.with("i8x16.shuffle", words(0, 2, 0, 2), half, half)),
  );
  return add(mul(high, constant(unit * 2 ** 32)), mul(low, constant(unit)));
}

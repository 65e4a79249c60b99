/**
 * Huge angles, after Payne and Hanek ("Radian reduction for trigonometric functions", 1983): x · 2/π modulo 4, in integers. The
 * product needs only 192 bits of 2/π. Bits before them contribute multiples of 4, bits behind them nothing.
 */
import type { Register } from "../../lanes/straight.ts";
import type { Float64Lanes, Sum } from "./arithmetic.ts";

/** ⌊2/π · 2¹²⁴⁰⌋. */
const TWO_OVER_PI = BigInt(
  "0xa2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc5" +
    "61b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb" +
    "4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde" +
    "05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7" +
    "ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc",
);
/** The length of 2/π in chunks of 16 bytes. Its first 5 bytes are 0: the smallest exponents need them in front of the point. */
const CHUNKS = 10;

/** {@link quarterTurns} is right for angles from here on. */
export const HUGE: number = 2 ** 17;

/** A number of quarter turns, modulo 4, in units of 2⁻³⁰, 2⁻⁶², 2⁻⁹⁴, 2⁻¹²⁶: integers of 32 bits. */
type QuarterTurns = readonly [Register, Register, Register, Register];

/** |x| · 2/π, for |x| from 2¹⁷ on. */
export function quarterTurns(lanes: Float64Lanes, magnitude: Register): QuarterTurns {
  const { code, pattern, and, or, subInt, addInt, shiftRight } = lanes;
  // |x| = integer · 2^(place − 38). The bits of 2/π before the first one used contribute multiples of 4.
  const place = subInt(shiftRight(magnitude, 52), pattern(1037n));
  const integer = or(and(magnitude, pattern(2n ** 52n - 1n)), pattern(2n ** 52n));
  const multiplier = code.op("i64x2.mul", integer, powerOfTwo(lanes, and(place, pattern(7n))));
  const words = wordsOfTwoOverPi(lanes, shiftRight(place, 3));
  const low32 = (a: Register): Register => and(a, pattern(0xffff_ffffn));
  const high32 = (a: Register): Register => shiftRight(a, 32);
  const product = (a: Register, b: Register): Register => code.op("i64x2.mul", a, b);

  // Limbs from the lowest up. The lowest products are left out, since they do not reach the result.
  const limbs = words.flatMap((word) => [high32(word), low32(word)]).reverse();
  const results: Register[] = [];
  let carry = pattern(0n);
  for (let column = 1; column < limbs.length; column++) {
    const a = product(low32(multiplier), limbs[column]!);
    const b = product(high32(multiplier), limbs[column - 1]!);
    const sum = addInt(addInt(low32(a), low32(b)), carry);
    carry = addInt(addInt(high32(a), high32(b)), high32(sum));
    results.unshift(low32(sum));
  }
  return [results[0]!, results[1]!, results[2]!, results[3]!];
}

/** 2ⁿ as an integer, for n from 0 to 7. */
function powerOfTwo({ code, or, pattern }: Float64Lanes, n: Register): Register {
  const powers = code.bits(0x80_40_20_10_08_04_02_01n, 0n);
  return code.op("i8x16.swizzle", powers, or(n, pattern(-256n)));
}

/** 24 bytes of 2/π from a place on, as three integers. */
function wordsOfTwoOverPi({ code, or, pattern }: Float64Lanes, place: Register): Register[] {
  // biome-ignore format: a place for each byte
  const places = code.with("i8x16.shuffle", [0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8], place, place);
  const chunks = Array.from({ length: CHUNKS }, (_, i) => {
    const bytes = TWO_OVER_PI >> BigInt(128 * (CHUNKS - 1 - i));
    return code.bits(reversed(bytes >> 64n), reversed(bytes));
  });
  return [0n, 8n, 16n].map((first) => {
    // The lowest byte of an integer is the last of its eight.
    const wanted = code.op("i8x16.add", places, pattern(0x00_01_02_03_04_05_06_07n + first * EVERY_BYTE));
    return chunks
      .map((chunk, i) => {
        // A swizzle gives 0 for an index outside of the chunk.
        const inChunk = code.op("i8x16.sub", wanted, pattern(BigInt(16 * i) * EVERY_BYTE));
        return code.op("i8x16.swizzle", chunk, inChunk);
      })
      .reduce(or);
  });
}
const EVERY_BYTE = 0x01_01_01_01_01_01_01_01n;

/** The lowest eight bytes, in reverse order. */
function reversed(bytes: bigint): bigint {
  let result = 0n;
  for (let i = 0n; i < 8n; i++) result = (result << 8n) | ((bytes >> (8n * i)) & 0xffn);
  return result;
}

/** The angle of a number of quarter turns, less `half` in the first limb. */
export function angle(lanes: Float64Lanes, turns: QuarterTurns, half: number): Sum {
  const { constant, add, mul, sub, or, orderedSum, exactProduct } = lanes;
  const [first, second, third, fourth] = turns.map((limb, i) => {
    const offset = i === 0 ? half : 0;
    const integer = sub(or(limb, constant(2 ** 52)), constant(2 ** 52 + offset));
    return mul(integer, constant(2 ** (-30 - 32 * i)));
  }) as [Register, Register, Register, Register];
  // However many upper bits cancel, the result is exact to the last limb.
  const upper = orderedSum(first, second);
  const middle = orderedSum(upper.high, add(upper.low, third));
  const { high, low } = orderedSum(middle.high, add(middle.low, fourth));
  const product = exactProduct(high, constant(HALF_PI.high));
  const rest = add(mul(high, constant(HALF_PI.low)), mul(low, constant(HALF_PI.high)));
  return orderedSum(product.high, add(product.low, rest));
}
const HALF_PI = { high: 1.5707963267948966, low: 6.123233995736766e-17 };

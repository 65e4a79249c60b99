/**
 * Normal numbers by Box and Muller, of two words a and b: √(−2 ln u) · cos 2πv with u = (a + ½) / 2³², v = (b + ½) / 2³². The
 * arguments of logarithm and cosine are reduced while the words are integers, which is exact.
 */
import type { Register, Straight } from "../../lanes/straight.ts";
import { type Float32Lanes, float32Lanes } from "./arithmetic.ts";
import { logarithmOf, splitNormal } from "./logarithm.ts";
import { sine } from "./trigonometric.ts";

/** √½ · 2³². Words from here on have u > √½; their logarithm is computed from 1 − u. */
const ABOVE = 0xb504f334;
const WORD = 2 ** -32;

/** At most 4 ulp. */
export function normalOfWords(code: Straight, a: Register, b: Register): Register {
  const lanes = float32Lanes(code);
  const { constant, mul, sqrt } = lanes;
  const radius = sqrt(mul(logarithm(lanes, a), constant(-2)));
  return mul(radius, cosine(lanes, b));
}

/** ln u. For u above √½ it is computed from the complement ~a: u = 1 − (~a + ½) / 2³². */
function logarithm(lanes: Float32Lanes, a: Register): Register {
  const { constant, pattern, add, sub, mul, and, except, xor, select, shiftRight, fromInt } = lanes;
  const above = lanes.code.op("i32x4.ge_u", a, pattern(ABOVE));
  const word = xor(a, above);
  // Both halves are exact, so that only the sum is rounded.
  const low = add(fromInt(and(word, pattern(0xffff))), constant(0.5));
  const whole = add(mul(fromInt(shiftRight(word, 16)), constant(2 ** 16)), low);
  const { n, f } = splitNormal(lanes, whole);
  return logarithmOf(
    lanes,
    except(sub(n, constant(32)), above),
    select(above, mul(whole, constant(-WORD)), f),
  );
}

/** cos 2πv, as a sine of the distance from v to ¼ or ¾, whichever is nearer. */
function cosine(lanes: Float32Lanes, b: Register): Register {
  const { constant, pattern, add, mul, except, xor, subInt, shiftLeft, shiftRightSigned, fromInt } = lanes;
  const away = shiftRightSigned(shiftLeft(subInt(b, pattern(2 ** 30)), 1), 1);
  const angle = mul(add(fromInt(away), constant(0.5)), constant(2 * Math.PI * WORD));
  return xor(sine(lanes, angle), except(pattern(0x80000000), b));
}

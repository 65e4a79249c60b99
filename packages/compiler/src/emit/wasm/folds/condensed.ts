/** Adds the elements of narrow integers to two int64 lanes. */
import { isUnsigned } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { firstLanes } from "../values/lanes.ts";
import { integerLanes, type Lanes, type LaneValue, registersFor, type Width } from "../values/value.ts";

export function condensed(lanes: Lanes, { dtype, width, uniform, registers }: LaneValue): LaneValue {
  const { code, count } = lanes;
  let narrow = uniform
    ? Array.from({ length: registersFor(count, width) }, () => registers[0]!)
    : [...registers];
  // Lanes beyond the elements are set to 0.
  if (count * width < 16) {
    const first = firstLanes(code, count, width);
    narrow = narrow.map((register) => code.op("v128.and", register, first));
  }
  if (dtype === "bool")
    narrow = narrow.map((register) => code.op("v128.and", register, code.splat(integerLanes[width], 1)));
  const unsigned = isUnsigned(dtype);
  const words = asWords(lanes, narrow, width, unsigned ? "u" : "s");
  const wide =
    width === 8
      ? words
      : words.flatMap((each) => [
          code.op("i64x2.extend_low_i32x4_s", each),
          code.op("i64x2.extend_high_i32x4_s", each),
        ]);
  return { dtype: "int64", width: 8, uniform: false, registers: [sum(lanes, "i64x2.add", wide)] };
}

/** Adds neighbours as long as they are narrower than 32 bits. The registers of one step are too few to overflow. */
function asWords(
  lanes: Lanes,
  registers: readonly Register[],
  width: Width,
  sign: "u" | "s",
): readonly Register[] {
  const { code } = lanes;
  if (width >= 4) return registers;
  const pairs =
    width === 2 ? registers : registers.map((each) => code.op(`i16x8.extadd_pairwise_i8x16_${sign}`, each));
  const single = width === 2 ? pairs : [sum(lanes, "i16x8.add", pairs)];
  const words = single.map((each) => code.op("i32x4.extadd_pairwise_i16x8_s", each));
  return [sum(lanes, "i32x4.add", words)];
}

function sum(
  { code }: Lanes,
  add: "i16x8.add" | "i32x4.add" | "i64x2.add",
  registers: readonly Register[],
): Register {
  return registers.reduce((a, b) => code.op(add, a, b));
}

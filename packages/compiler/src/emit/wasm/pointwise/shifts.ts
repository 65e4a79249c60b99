/**
 * Shifts of integers. A distance of the width or more, or a negative one, gives 0; a right shift gives the sign. Instructions
 * shift all lanes by the same distance, modulo the width.
 */
import { type IntDType, isUnsigned } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "../values/each-lane.ts";
import { interleaved } from "../values/interleave.ts";
import { type LaneValue, widthOf } from "../values/value.ts";
import { lanesOf } from "./integer-operations.ts";

/** `registers` hold the value to shift; `count` is the number of its elements. */
export function shift(
  code: StraightCode,
  direction: "left" | "right",
  dtype: IntDType,
  registers: readonly Register[],
  distance: LaneValue,
  count: number,
): Register[] {
  const lanes = lanesOf(dtype);
  const unsigned = isUnsigned(dtype);
  const bits = 8 * widthOf[dtype];
  const type = dtype === "int64" ? "i64" : "i32";
  const past = (by: Register): Register => code.op(`${type}.ge_u`, by, code.scalar(type, bits));
  /** −1 if the distance is within the width, else 0. */
  const within = (by: Register): Register => {
    const mask = code.op("i32.sub", past(by), code.scalar("i32", 1));
    return type === "i64" ? code.op("i64.extend_i32_s", mask) : mask;
  };
  /** A distance beyond the width becomes width − 1, which has all bits set. */
  const clamped = (by: Register): Register =>
    code.op(
      `${type}.and`,
      code.op(`${type}.or`, by, code.op(`${type}.xor`, within(by), code.scalar(type, -1))),
      code.scalar(type, bits - 1),
    );
  const arithmetic = direction === "right" && !unsigned;
  if (distance.uniform) {
    const by = extractLane(code, lanes, distance.registers[0]!, 0, unsigned);
    const word = (register: Register): Register =>
      type === "i64" ? code.op("i32.wrap_i64", register) : register;
    if (arithmetic) return registers.map((x) => code.op(`${lanes}.shr_s`, x, word(clamped(by))));
    const op = direction === "left" ? (`${lanes}.shl` as const) : (`${lanes}.shr_u` as const);
    const mask = code.op(`${lanes}.splat`, within(by));
    return registers.map((x) => code.op("v128.and", code.op(op, x, word(by)), mask));
  }
  return interleaved(code, distance.registers.length, (k) =>
    fromLanes(code, lanes, count, (lane) => {
      const x = extractLane(code, lanes, registers[k] ?? registers[0]!, lane, unsigned);
      const by = extractLane(code, lanes, distance.registers[k]!, lane, unsigned);
      if (arithmetic) return code.op(`${type}.shr_s`, x, clamped(by));
      return code.op(
        `${type}.and`,
        code.op(`${type}.${direction === "left" ? "shl" : "shr_u"}`, x, by),
        within(by),
      );
    }),
  );
}

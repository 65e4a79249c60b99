/** Single lanes of a value, and values with another number of lanes. */
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { splatLane } from "../lanes/transpose.ts";
import type { Lanes, LaneValue, Width } from "./value.ts";

/** The same code for another number of elements. */
export const withCount = (lanes: Lanes, count: number): Lanes => ({
  code: lanes.code,
  count,
  refuse: (op, mask) => lanes.refuse(op, mask),
});

/** One lane, splat over a register. */
export function lane(code: StraightCode, value: LaneValue, at: number): LaneValue {
  const { width } = value;
  const perRegister = 16 / width;
  const register = value.registers[Math.floor(at / perRegister)]!;
  return { ...value, uniform: true, registers: [splatLane(code, register, perRegister, at % perRegister)] };
}

/** The numbers from `first` on, as many as a register has lanes. */
export function numbersFrom(code: StraightCode, first: number, width: Width): Register {
  let bits = 0n;
  for (let k = 16 / width - 1; k >= 0; k--) bits = (bits << BigInt(8 * width)) | BigInt(first + k);
  return code.bits(bits & 0xffff_ffff_ffff_ffffn, bits >> 64n);
}

/** A mask of the first `count` lanes of a register. */
export function firstLanes(code: StraightCode, count: number, width: Width): Register {
  const bits = (1n << BigInt(8 * width * count)) - 1n;
  return code.bits(bits & 0xffff_ffff_ffff_ffffn, bits >> 64n);
}

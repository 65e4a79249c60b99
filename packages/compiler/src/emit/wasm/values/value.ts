/** Values in lanes: what a value of the loop IR becomes when straight-line code computes several elements at once. */
import type { DType } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { LaneType, Register } from "../lanes/straight.ts";

/** Bytes of a lane. */
export type Width = 1 | 2 | 4 | 8;

/**
 * The elements of one value. Element k is in lane k, counted over all registers. If the elements do not fill a register, the
 * lanes beyond them have any content. A uniform value has one register, with the element in every lane. float16 is held as
 * float32, bool as a mask of 0 and −1 of any width.
 */
export interface LaneValue {
  readonly dtype: DType;
  readonly width: Width;
  readonly uniform: boolean;
  readonly registers: readonly Register[];
}

/** The context in which values are computed. */
export interface Lanes {
  readonly code: StraightCode;
  /** Elements that are computed at once; if it is 1, all values are uniform. */
  readonly count: number;
  /** Makes the kernel fail where the mask is set: `op` divides by zero there. The mask has the width of a value of `count` elements. */
  refuse(op: string, mask: LaneValue): void;
}

/** How many elements of a value are computed. */
export const elementsOf = ({ count }: Lanes, { uniform }: { uniform: boolean }): number =>
  uniform ? 1 : count;

export const registersFor = (count: number, width: Width): number => Math.max(1, (count * width) / 16);

/** The width in which elements of a dtype are held. A mask is one byte wide, as in memory, unless its operands are wider. */
export const widthOf: Readonly<Record<DType, Width>> = {
  bool: 1,
  uint8: 1,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  float16: 4,
  float32: 4,
  float64: 8,
};

/** The lane type in which a dtype is computed. */
export const laneTypeOf: Readonly<Record<DType, LaneType>> = {
  bool: "i8x16",
  uint8: "i8x16",
  int8: "i8x16",
  int16: "i16x8",
  int32: "i32x4",
  int64: "i64x2",
  float16: "f32x4",
  float32: "f32x4",
  float64: "f64x2",
};

/** Integer lanes by their width. */
export const integerLanes = { 1: "i8x16", 2: "i16x8", 4: "i32x4", 8: "i64x2" } as const;

/** A constant, splat. */
export function constantValue(code: StraightCode, value: number | bigint, dtype: DType): LaneValue {
  const register =
    dtype === "bool" ? code.splat("i8x16", value ? -1 : 0) : code.splat(laneTypeOf[dtype], value);
  return { dtype, width: widthOf[dtype], uniform: true, registers: [register] };
}

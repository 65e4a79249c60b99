/** Values in lanes: what a loop IR value becomes while straight-line code works on several elements at once. */
import type { DType } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { LaneType, Register } from "../lanes/straight.ts";

/** Bytes of a lane. */
export type Width = 1 | 2 | 4 | 8;

/**
 * The elements of one value. Element k stands in the k-th lane of the registers in a row. Where they do not fill one register, the
 * lanes behind them hold anything. Of a uniform value every lane holds the one element, and one register is all. float16 is held as
 * float32, bool as a mask of 0 and −1 of any width.
 */
export interface LaneValue {
  readonly dtype: DType;
  readonly width: Width;
  readonly uniform: boolean;
  readonly registers: readonly Register[];
}

/** Where values are computed. */
export interface Lanes {
  readonly code: StraightCode;
  /** Elements that are worked on at once; 1, where all values are uniform. */
  readonly count: number;
  /** The kernel cannot go on where the mask, as wide as a value of `count` elements, is set: `op` divides by zero there. */
  refuse(op: string, mask: LaneValue): void;
}

/** How many elements of a value there are to work on. */
export const elementsOf = ({ count }: Lanes, { uniform }: { uniform: boolean }): number =>
  uniform ? 1 : count;

export const registersFor = (count: number, width: Width): number => Math.max(1, (count * width) / 16);

/** The width in which a dtype's elements are held; a mask that nothing else decides is a byte wide, as in memory. */
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

/** Lanes by what is computed in them. */
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

/** Lanes of integers, by their width. */
export const integerLanes = { 1: "i8x16", 2: "i16x8", 4: "i32x4", 8: "i64x2" } as const;

/** A constant in all lanes. */
export function constantValue(code: StraightCode, value: number | bigint, dtype: DType): LaneValue {
  const register =
    dtype === "bool" ? code.splat("i8x16", value ? -1 : 0) : code.splat(laneTypeOf[dtype], value);
  return { dtype, width: widthOf[dtype], uniform: true, registers: [register] };
}

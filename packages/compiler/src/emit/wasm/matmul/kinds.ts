/**
 * How matrix products of different elements differ.
 *
 * Operands are packed into *units*. A unit is one element of float32, float64 or int32. Of narrower integers it is two
 * neighbouring elements along k, widened to 16 bits each. The product of two units is as wide as a unit, and so is a sum, which
 * is an element of the result.
 */
import { DOT_BLOCK } from "../../../lower/accumulators.ts";
import type { ProductElement } from "../../../tactics/products/nest.ts";
import type { Operation } from "../encode/operations.ts";

export interface Kind {
  /** Distinguishes functions of this kind from those of others in a module. */
  readonly name: string;
  readonly elementBytes: 1 | 2 | 4 | 8;
  /** Elements along k in a unit. */
  readonly unitElements: 1 | 2;
  /** Bytes of a unit, and of a sum. */
  readonly unitBytes: 4 | 8;
  /** Loads one element, widened to the unit. */
  readonly loadElement: Operation;
  /** Loads contiguous elements, each widened to its part of a unit. */
  readonly loadVector: Operation;
  /** sum += a · b: one instruction on (a, b, sum), or a multiplication and an addition. */
  readonly multiplyAdd: Operation | { readonly multiply: Operation; readonly add: Operation };
  /** Adds two vectors of sums; adds two sums. */
  readonly add: Operation;
  readonly addScalar: Operation;
  /** MR × NR sums are held in registers: 8 vectors of the 16 registers, or 12 where a multiply-add needs no register for the product. */
  readonly mr: number;
  readonly nr: number;
}

/** KC: units along k that are summed before the sum is added to the result. Part of the accumulation order. */
export const KC: number = DOT_BLOCK;

const float32 = {
  elementBytes: 4,
  unitElements: 1,
  unitBytes: 4,
  loadElement: "i32.load",
  loadVector: "v128.load",
  add: "f32x4.add",
  addScalar: "f32.add",
  nr: 8,
} as const;

const float64 = {
  elementBytes: 8,
  unitElements: 1,
  unitBytes: 8,
  loadElement: "i64.load",
  loadVector: "v128.load",
  add: "f64x2.add",
  addScalar: "f64.add",
  nr: 4,
} as const;

const integer = {
  unitBytes: 4,
  add: "i32x4.add",
  addScalar: "i32.add",
  mr: 4,
  nr: 8,
} as const;

const pairs = {
  ...integer,
  unitElements: 2,
  // Products of 16-bit integers fit 32 bits, and their sums wrap as int32 does.
  multiplyAdd: { multiply: "i32x4.dot_i16x8_s", add: "i32x4.add" },
} as const;

export const kinds: Readonly<Record<ProductElement, Kind>> = {
  float32: { ...float32, name: "f32", mr: 4, multiplyAdd: { multiply: "f32x4.mul", add: "f32x4.add" } },
  float64: { ...float64, name: "f64", mr: 4, multiplyAdd: { multiply: "f64x2.mul", add: "f64x2.add" } },
  int8: { ...pairs, name: "i8", elementBytes: 1, loadElement: "i32.load8_s", loadVector: "v128.load8x8_s" },
  uint8: { ...pairs, name: "u8", elementBytes: 1, loadElement: "i32.load8_u", loadVector: "v128.load8x8_u" },
  int16: { ...pairs, name: "i16", elementBytes: 2, loadElement: "i32.load16_s", loadVector: "v128.load" },
  int32: {
    ...integer,
    name: "i32",
    elementBytes: 4,
    unitElements: 1,
    loadElement: "i32.load",
    loadVector: "v128.load",
    multiplyAdd: { multiply: "i32x4.mul", add: "i32x4.add" },
  },
};

/**
 * The kinds for hosts with relaxed SIMD. A multiply-add may round once or twice there. That may differ between machines, never
 * between calls on one machine.
 */
export const relaxedKinds: Readonly<Record<ProductElement, Kind>> = {
  ...kinds,
  float32: { ...float32, name: "f32_relaxed", mr: 6, multiplyAdd: "f32x4.relaxed_madd" },
  float64: { ...float64, name: "f64_relaxed", mr: 6, multiplyAdd: "f64x2.relaxed_madd" },
};

/** Sums in a vector. */
export const vectorLanes = ({ unitBytes }: Kind): number => 16 / unitBytes;

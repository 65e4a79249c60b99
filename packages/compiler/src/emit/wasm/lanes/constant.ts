/** v128 constants. */
import type { LaneType } from "./straight.ts";

/** A v128 as four words, the lowest first, each an int32. BigInts are slow in code that runs for the first time. */
export type Constant = readonly [number, number, number, number];

const view = new DataView(new ArrayBuffer(16));

/** `value` in every lane. Integers wrap. */
export function spread(lanes: LaneType, value: number | bigint): Constant {
  switch (lanes) {
    case "f32x4":
      view.setFloat32(0, Number(value), true);
      return repeated(view.getInt32(0, true));
    case "f64x2":
      view.setFloat64(0, Number(value), true);
      return repeated(view.getInt32(0, true), view.getInt32(4, true));
    case "i64x2":
      view.setBigInt64(0, BigInt(value), true);
      return repeated(view.getInt32(0, true), view.getInt32(4, true));
    case "i32x4":
      return repeated(lowWord(value));
    case "i16x8":
      return repeated(Math.imul(lowWord(value) & 0xffff, 0x00010001));
    case "i8x16":
      return repeated(Math.imul(lowWord(value) & 0xff, 0x01010101));
    default:
      return lanes satisfies never;
  }
}

/** A constant given as two halves. */
export function joined(low: bigint, high: bigint): Constant {
  view.setBigInt64(0, low, true);
  view.setBigInt64(8, high, true);
  const word = (k: number): number => view.getInt32(4 * k, true);
  return [word(0), word(1), word(2), word(3)];
}

/** Equal constants have equal keys. */
export function constantKey([a, b, c, d]: Constant): number | string {
  return a === b && a === c && a === d ? a : `${a} ${b} ${c} ${d}`;
}

const repeated = (low: number, high = low): Constant => [low, high, low, high];

const lowWord = (value: number | bigint): number =>
  typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, value));

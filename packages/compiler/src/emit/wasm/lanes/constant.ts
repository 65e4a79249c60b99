/** The bits of a number in lanes. */
import type { LaneType } from "./straight.ts";

const view = new DataView(new ArrayBuffer(8));

/** Half a v128 with `value` in every lane. Integers wrap. */
export function spread(lanes: LaneType, value: number | bigint): bigint {
  const width = { i8x16: 8n, i16x8: 16n, i32x4: 32n, i64x2: 64n, f32x4: 32n, f64x2: 64n }[lanes];
  const lane = BigInt.asUintN(Number(width), laneBits(lanes, value));
  let half = lane;
  for (let filled = width; filled < 64n; filled *= 2n) half |= half << filled;
  return half;
}

function laneBits(lanes: LaneType, value: number | bigint): bigint {
  switch (lanes) {
    case "f32x4":
      view.setFloat32(0, Number(value));
      return BigInt(view.getUint32(0));
    case "f64x2":
      view.setFloat64(0, Number(value));
      return view.getBigUint64(0);
    default:
      return BigInt(value);
  }
}

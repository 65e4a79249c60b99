/** int64 as floats, rounded once. */
import type { Helper, Register, Straight } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "./each-lane.ts";
import { doublesOf, farInt64s } from "./exact-doubles.ts";

export const int64ToFloat64 = (code: Straight, x: Register): Register =>
  code.rarely(farInt64s(code, x), doublesOf(code, x), eachToFloat64, x);

/** Two lanes; the results are in the lower half. */
export const int64ToFloat32 = (code: Straight, x: Register): Register =>
  code.rarely(farInt64s(code, x), code.op("f32x4.demote_f64x2_zero", doublesOf(code, x)), eachToFloat32, x);

const eachToFloat64: Helper = {
  name: "int64ToFloat64",
  build: (code, x) =>
    fromLanes(code, "f64x2", 2, (lane) => code.op("f64.convert_i64_s", extractLane(code, "i64x2", x, lane))),
};

const eachToFloat32: Helper = {
  name: "int64ToFloat32",
  build: (code, x) =>
    fromLanes(code, "f32x4", 2, (lane) => code.op("f32.convert_i64_s", extractLane(code, "i64x2", x, lane))),
};

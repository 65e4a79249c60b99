/** Functions of floats that are longer pieces of code, by op. */
import type { PointwiseOp } from "@fuseau/ir";
import { float32Functions } from "../functions/float32/index.ts";
import { float64Functions } from "../functions/float64/index.ts";
import { recorded } from "../lanes/record.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import type { FloatLanes } from "./float-operations.ts";
import type { LaneFunction } from "./lane-function.ts";

type Functions = { readonly [Op in PointwiseOp]?: LaneFunction };

const functions: { readonly [L in FloatLanes]: Functions } = {
  f32x4: { ...float32Functions, floorDivide: floorDivideFloat32 },
  f64x2: float64Functions,
};

const recordings = new Map<LaneFunction, LaneFunction>();

export function transcendental(fn: PointwiseOp, lanes: FloatLanes): LaneFunction | undefined {
  const build = functions[lanes][fn];
  if (build === undefined) return undefined;
  let recording = recordings.get(build);
  if (recording === undefined) {
    recording = recorded(build);
    recordings.set(build, recording);
  }
  return recording;
}

/** PyTorch's floor division, every step rounded to float32: ../../intrinsics/float.ts has it for one number. */
function floorDivideFloat32(code: Straight, x: Register, y: Register): Register {
  const zero = code.splat("f32x4", 0);
  const modulus = float32Functions.fmod(code, x, y);
  const divided = code.op("f32x4.div", x, y);
  const whole = code.op("f32x4.div", code.op("f32x4.sub", x, modulus), y);
  const signs = code.op("v128.xor", code.op("f32x4.lt", y, zero), code.op("f32x4.lt", modulus, zero));
  const apart = code.op("v128.and", signs, code.op("f32x4.ne", modulus, zero));
  const quotient = code.op("f32x4.sub", whole, code.op("v128.and", apart, code.splat("f32x4", 1)));
  const floored = code.op("f32x4.floor", quotient);
  const above = code.op("f32x4.gt", code.op("f32x4.sub", quotient, floored), code.splat("f32x4", 0.5));
  const nearest = code.op("f32x4.add", floored, code.op("v128.and", above, code.splat("f32x4", 1)));
  const sign = code.op("v128.and", divided, code.splat("i32x4", 0x80000000));
  const usual = code.op("v128.bitselect", sign, nearest, code.op("f32x4.eq", quotient, zero));
  return code.op("v128.bitselect", divided, usual, code.op("f32x4.eq", y, zero));
}

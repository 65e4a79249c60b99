import { float32Functions } from "../functions/float32/index.ts";
import type { Register, Straight } from "../lanes/straight.ts";

/** PyTorch's floor division, every step rounded to float32: ../../intrinsics/float.ts has it for one number. */
export function floorDivideFloat32(code: Straight, x: Register, y: Register): Register {
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

/** Conversions between dtypes in lanes, as ../../closure/pointwise.ts defines them. */
import { type DType, isFloat, isUnsigned } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { roundFloat16, roundFloat64To16 } from "./float16.ts";
import { int64ToFloat32, int64ToFloat64 } from "./from-int64.ts";
import { interleaved } from "./interleave.ts";
import { float64ToInt64, floatToInt32 } from "./truncate.ts";
import {
  constantValue,
  elementsOf,
  integerLanes,
  type Lanes,
  type LaneValue,
  registersFor,
  type Width,
  widthOf,
} from "./value.ts";
import { joinLower, maskOf, resize, type Sign, upperHalf } from "./widths.ts";

export function castValue(lanes: Lanes, value: LaneValue, to: DType): LaneValue {
  const { dtype: from } = value;
  if (from === to) return value;
  const count = elementsOf(lanes, value);
  const made = (dtype: DType, registers: readonly Register[], width = widthOf[dtype]): LaneValue => ({
    dtype,
    width,
    uniform: value.uniform,
    registers,
  });
  if (to === "bool") return made("bool", nonzero(lanes.code, value), value.width);
  if (from === "bool") return made(to, fromMask(lanes.code, value, count, to));
  if (to === "int64") return made(to, toInt64(lanes.code, value, count));
  if (isFloat(to)) return made(to, toFloat(lanes.code, value, count, to));
  return made(to, toInteger(lanes.code, value, count, widthOf[to]));
}

/** Rounds a float64 to a float dtype, once; a cast to float16 would round to float32 first. */
export function roundOnce(lanes: Lanes, value: LaneValue, to: DType): LaneValue {
  if (to !== "float16") return castValue(lanes, value, to);
  const registers = interleaved(lanes.code, value.registers.length, (k) =>
    roundFloat64To16(lanes.code, value.registers[k]!),
  );
  return { ...castValue(lanes, { ...value, registers }, "float32"), dtype: to };
}

/** Anything nonzero is true, NaN too. */
function nonzero(code: StraightCode, { dtype, width, registers }: LaneValue): readonly Register[] {
  const zero = code.splat("i64x2", 0);
  const op = isFloat(dtype)
    ? width === 8
      ? "f64x2.ne"
      : "f32x4.ne"
    : (`${integerLanes[width]}.ne` as const);
  return registers.map((register) => code.op(op, register, zero));
}

function fromMask(code: StraightCode, mask: LaneValue, count: number, to: DType): readonly Register[] {
  const [one] = constantValue(code, to === "int64" ? 1n : 1, to).registers as [Register];
  return maskOf(code, mask, count, widthOf[to]).map((register) => code.op("v128.and", register, one));
}

const signOf = (dtype: DType): Sign => (isUnsigned(dtype) ? "unsigned" : "signed");

/** Converts to an integer dtype of at most 32 bits, of width `to`. */
function toInteger(
  code: StraightCode,
  { dtype, width, registers }: LaneValue,
  count: number,
  to: Width,
): readonly Register[] {
  if (!isFloat(dtype)) return resize(code, registers, count, width, to, signOf(dtype));
  return resize(code, floatToInt32(code, registers, count, width as 4 | 8, to), count, 4, to, "signed");
}

function toInt64(code: StraightCode, value: LaneValue, count: number): readonly Register[] {
  const { dtype, registers } = value;
  if (!isFloat(dtype)) return resize(code, registers, count, value.width, 8, signOf(dtype));
  const wide = dtype === "float64" ? registers : promoted(code, registers, registersFor(count, 8));
  return interleaved(code, wide.length, (k) => float64ToInt64(code, wide[k]!));
}

function toFloat(
  code: StraightCode,
  value: LaneValue,
  count: number,
  to: "float16" | "float32" | "float64",
): readonly Register[] {
  if (to === "float64") return toFloat64(code, value, count);
  const singles = toFloat32(code, value, count);
  if (to === "float32" || value.width === 1) return singles;
  return interleaved(code, singles.length, (k) => roundFloat16(code, singles[k]!));
}

function toFloat64(
  code: StraightCode,
  { dtype, width, registers }: LaneValue,
  count: number,
): readonly Register[] {
  if (dtype === "int64")
    return interleaved(code, registers.length, (k) => int64ToFloat64(code, registers[k]!));
  if (isFloat(dtype)) return promoted(code, registers, registersFor(count, 8));
  const words = resize(code, registers, count, width, 4, signOf(dtype));
  return halves(code, words, registersFor(count, 8), (half) => code.op("f64x2.convert_low_i32x4_s", half));
}

const promoted = (code: StraightCode, registers: readonly Register[], count: number): Register[] =>
  halves(code, registers, count, (half) => code.op("f64x2.promote_low_f32x4", half));

/** Computes registers of lanes twice as wide, one from each half of the given registers. */
const halves = (
  code: StraightCode,
  registers: readonly Register[],
  count: number,
  make: (half: Register) => Register,
): Register[] =>
  interleaved(code, count, (k) => {
    const register = registers[k >> 1]!;
    return make(k % 2 === 0 ? register : upperHalf(code, register));
  });

function toFloat32(
  code: StraightCode,
  { dtype, width, registers }: LaneValue,
  count: number,
): readonly Register[] {
  if (dtype === "float16" || dtype === "float32") return registers;
  if (width === 8) {
    const singles = interleaved(code, registers.length, (k) =>
      dtype === "float64"
        ? code.op("f32x4.demote_f64x2_zero", registers[k]!)
        : int64ToFloat32(code, registers[k]!),
    );
    return joinLower(code, singles, count);
  }
  const words = resize(code, registers, count, width, 4, signOf(dtype));
  return interleaved(code, words.length, (k) => code.op("f32x4.convert_i32x4_s", words[k]!));
}

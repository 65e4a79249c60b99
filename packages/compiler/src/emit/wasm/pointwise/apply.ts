/** Applies a pointwise op to values in lanes: by a lane function where there is one, else by calls out of the module. */
import { type DType, InternalError, isFloat, type PointwiseOp } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { castValue } from "../values/cast.ts";
import { roundFloat16 } from "../values/float16.ts";
import { sideBySide } from "../values/side-by-side.ts";
import {
  elementsOf,
  type Lanes,
  type LaneValue,
  registersFor,
  type Width,
  widthOf,
} from "../values/value.ts";
import { maskOf } from "../values/widths.ts";
import { divide, divisions } from "./division.ts";
import { exactInFloat16, floatOperations, floatPredicates, maskOperations } from "./float-operations.ts";
import { callEachLane, importFor } from "./imported.ts";
import { type IntegerDType, integerOperations, integerPredicates, lanesOf } from "./integer-operations.ts";
import type { LaneFunction } from "./lane-function.ts";
import { randomWord } from "./random-word.ts";
import { shift } from "./shifts.ts";
import { transcendental } from "./transcendental.ts";

/** `from` is the dtype computed in (of a cast: the operand's), `to` the result's. */
export function applyOp(
  lanes: Lanes,
  fn: PointwiseOp,
  from: DType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const [a, b, c] = args as [LaneValue, LaneValue, LaneValue];
  if (fn === "cast") return castValue(lanes, a, to);
  if (fn === "where") return choose(lanes, a, b, c);
  if (from === "bool") return onMasks(lanes, maskOperations[fn] ?? unknown(fn, from), args);
  if (isFloat(from)) return onFloats(lanes, fn, from, to, args);
  return onIntegers(lanes, fn, from, to, args);
}

/** The second value where the first, a mask, is set, else the third. */
export function choose(lanes: Lanes, condition: LaneValue, then: LaneValue, otherwise: LaneValue): LaneValue {
  const { dtype } = then;
  const masks = dtype === "bool" ? [condition, then, otherwise] : [condition];
  const width = dtype === "bool" ? narrowest(masks) : then.width;
  const parts = [then, otherwise, condition].map((value) => ({
    ...value,
    registers: value.dtype === "bool" ? maskOf(lanes.code, value, lanes.count, width) : value.registers,
  }));
  return lanewise(lanes, (code, ...args) => code.op("v128.bitselect", ...args), dtype, width, parts);
}

function onMasks(lanes: Lanes, run: LaneFunction, args: readonly LaneValue[]): LaneValue {
  const width = narrowest(args);
  const masks = args.map((mask) => ({ ...mask, registers: maskOf(lanes.code, mask, lanes.count, width) }));
  return lanewise(lanes, run, "bool", width, masks);
}

/** Fewer registers are fewer operations; of one width nothing is converted. */
const narrowest = (masks: readonly LaneValue[]): Width =>
  Math.min(...masks.map(({ width }) => width)) as Width;

function onFloats(
  lanes: Lanes,
  fn: PointwiseOp,
  from: "float16" | "float32" | "float64",
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  if (fn === "randomWord") return randomWord(lanes, args as [LaneValue, LaneValue, LaneValue]);
  const shape = from === "float64" ? "f64x2" : "f32x4";
  const predicate = floatPredicates[fn];
  if (predicate !== undefined) return lanewise(lanes, predicate(shape), "bool", widthOf[from], args);
  const run = floatOperations[fn]?.(shape) ?? transcendental(fn, shape);
  if (run === undefined) return rounded(lanes, fn, imported(lanes, fn, from, to, args));
  return rounded(lanes, fn, lanewise(lanes, run, to, widthOf[to], args));
}

/** float16 computes in float32; of + − × ÷ √ the two roundings give what one would. */
function rounded({ code }: Lanes, fn: PointwiseOp, value: LaneValue): LaneValue {
  if (value.dtype !== "float16" || exactInFloat16.has(fn)) return value;
  const registers = sideBySide(code, value.registers.length, (k) => roundFloat16(code, value.registers[k]!));
  return { ...value, registers };
}

function onIntegers(
  lanes: Lanes,
  fn: PointwiseOp,
  from: IntegerDType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const { code } = lanes;
  const predicate = integerPredicates[fn];
  if (predicate !== undefined) return lanewise(lanes, predicate(from), "bool", widthOf[from], args);
  const operation = integerOperations[fn];
  if (operation !== undefined) return lanewise(lanes, operation(from), to, widthOf[to], args);
  const [a, b] = args as [LaneValue, LaneValue];
  if (fn === "bitwiseLeftShift" || fn === "bitwiseRightShift") {
    const uniform = a.uniform && b.uniform;
    const direction = fn === "bitwiseLeftShift" ? "left" : "right";
    const registers = shift(code, direction, from, a.registers, b, uniform ? 1 : lanes.count);
    return { dtype: to, width: widthOf[to], uniform, registers };
  }
  if (Object.hasOwn(divisions, fn)) {
    const zero = (_: unknown, x: Register): Register =>
      code.op(`${lanesOf(from)}.eq`, x, code.splat("i64x2", 0));
    lanes.refuse(fn, lanewise(lanes, zero, "bool", widthOf[from], [b]));
    return lanewise(
      lanes,
      divide(code, divisions[fn as keyof typeof divisions], from),
      to,
      widthOf[to],
      args,
    );
  }
  return imported(lanes, fn, from, to, args);
}

function imported(
  lanes: Lanes,
  fn: PointwiseOp,
  from: DType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const name = importFor(fn, from) ?? unknown(fn, from);
  const count = args.every(({ uniform }) => uniform) ? 1 : lanes.count;
  return lanewise(
    lanes,
    (_, ...registers) => callEachLane(lanes.code, name, from, count, registers),
    to,
    widthOf[to],
    args,
  );
}

/** One register of the result from one of each operand; the operands are of one width. */
export function lanewise(
  lanes: Lanes,
  run: LaneFunction,
  dtype: DType,
  width: Width,
  args: readonly { readonly uniform: boolean; readonly registers: readonly Register[] }[],
): LaneValue {
  const uniform = args.every((arg) => arg.uniform);
  const count = registersFor(elementsOf(lanes, { uniform }), width);
  const registers = sideBySide(lanes.code, count, (k) =>
    run(lanes.code, ...args.map((arg) => arg.registers[arg.uniform ? 0 : k]!)),
  );
  return { dtype, width, uniform, registers };
}

function unknown(fn: PointwiseOp, dtype: DType): never {
  throw new InternalError(`there is no ${fn} on ${dtype} in lanes`);
}

/** Applies a pointwise op to values in lanes: by instructions, by a lane function, or by calls of functions on single elements. */
import {
  type DType,
  type FloatDType,
  type IntDType,
  InternalError,
  isFloat,
  isUnsigned,
  type PointwiseOp,
  pointwiseOps,
} from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import { recorded } from "../lanes/record.ts";
import type { Callee, Register } from "../lanes/straight.ts";
import { castValue } from "../values/cast.ts";
import { extractLane, fromLanes } from "../values/each-lane.ts";
import { roundFloat16 } from "../values/float16.ts";
import { interleaved } from "../values/interleave.ts";
import { elementsOf, type Lanes, type LaneValue, laneTypeOf, type Width, widthOf } from "../values/value.ts";
import { maskOf } from "../values/widths.ts";
import { bounded } from "./bounded.ts";
import { divide } from "./division.ts";
import { floatOperations, maskOperations } from "./float-operations.ts";
import { integerOperations, lanesOf } from "./integer-operations.ts";
import { lanewise } from "./lanewise.ts";
import { wordsOf } from "./random.ts";
import { shift } from "./shifts.ts";

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
  if (from === "bool") return onMasks(lanes, entry(maskOperations, fn, from), args);
  if (isFloat(from)) return onFloats(lanes, fn, from, to, args);
  return onIntegers(lanes, fn, from, to, args);
}

/** Selects the second value where the first, a mask, is set, else the third. */
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

/** Few registers need few operations, and masks of one width need no conversion. */
const narrowest = (masks: readonly LaneValue[]): Width =>
  Math.min(...masks.map(({ width }) => width)) as Width;

function onFloats(
  lanes: Lanes,
  fn: PointwiseOp,
  from: FloatDType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const [a, b] = args as [LaneValue, LaneValue];
  if ((fn === "maximum" || fn === "minimum") && a.uniform !== b.uniform)
    return rounded(lanes, fn, bounded(lanes, fn, from, [a, b]));
  const operation = entry(floatOperations, fn, from);
  const shape = from === "float64" ? "f64x2" : "f32x4";
  switch (operation.kind) {
    case "mask":
      return lanewise(lanes, operation.make(shape), "bool", widthOf[from], args);
    case "value":
      return rounded(lanes, fn, lanewise(lanes, operation.make(shape), to, widthOf[to], args));
    case "function":
      return rounded(lanes, fn, lanewise(lanes, recording(operation[shape]), to, widthOf[to], args));
    case "formats":
      return lanewise(lanes, operation.of[from], to, widthOf[to], args);
    case "random":
      return operation.make(lanes, wordsOf(lanes, args));
    default:
      return operation satisfies never;
  }
}

/** True if an op has no instructions, but calls a function for each lane. */
export const isCalled = (fn: PointwiseOp, from: DType): boolean =>
  !isFloat(from) && entryOf(integerOperations, fn)?.kind === "call";

const recordings = new Map<LaneFunction, LaneFunction>();

/** Builds a lane function once; later its recorded instructions are repeated. */
function recording(build: LaneFunction): LaneFunction {
  let known = recordings.get(build);
  if (known === undefined) {
    known = recorded(build);
    recordings.set(build, known);
  }
  return known;
}

/** float16 is computed in float32. For + − × ÷ √ rounding twice gives the same as rounding once. */
function rounded({ code }: Lanes, fn: PointwiseOp, value: LaneValue): LaneValue {
  if (value.dtype !== "float16" || pointwiseOps[fn].keepsFloat16) return value;
  const registers = interleaved(code, value.registers.length, (k) => roundFloat16(code, value.registers[k]!));
  return { ...value, registers };
}

function onIntegers(
  lanes: Lanes,
  fn: PointwiseOp,
  from: IntDType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const { code } = lanes;
  const operation = entry(integerOperations, fn, from);
  const [a, b] = args as [LaneValue, LaneValue];
  switch (operation.kind) {
    case "mask":
      return lanewise(lanes, operation.make(from), "bool", widthOf[from], args);
    case "value":
      return lanewise(lanes, operation.make(from), to, widthOf[to], args);
    case "shift": {
      const uniform = a.uniform && b.uniform;
      const count = uniform ? 1 : lanes.count;
      const registers = shift(code, operation.direction, from, a.registers, b, count);
      return { dtype: to, width: widthOf[to], uniform, registers };
    }
    case "division": {
      const zero = (_: unknown, x: Register): Register =>
        code.op(`${lanesOf(from)}.eq`, x, code.splat("i64x2", 0));
      lanes.refuse(fn, lanewise(lanes, zero, "bool", widthOf[from], [b]));
      return lanewise(lanes, divide(operation, from), to, widthOf[to], args);
    }
    case "call":
      return called(lanes, operation.callees[from === "int64" ? "i64" : "i32"], from, to, args);
    default:
      return operation satisfies never;
  }
}

/** Calls a function for each element. */
function called(
  lanes: Lanes,
  callee: Callee,
  from: IntDType,
  to: DType,
  args: readonly LaneValue[],
): LaneValue {
  const shape = laneTypeOf[from];
  const { code } = lanes;
  const elements = elementsOf(lanes, { uniform: args.every((arg) => arg.uniform) });
  return lanewise(
    lanes,
    (_, ...registers) =>
      fromLanes(code, shape, elements, (lane) =>
        code.call(
          callee,
          ...registers.map((register) => extractLane(code, shape, register, lane, isUnsigned(from))),
        ),
      ),
    to,
    widthOf[to],
    args,
  );
}

const entryOf = <T>(table: { readonly [Op in PointwiseOp]?: T }, fn: PointwiseOp): T | undefined => table[fn];

/** The tables have every op for the dtypes that it accepts. The verifier refuses others. */
function entry<T>(table: { readonly [Op in PointwiseOp]?: T }, fn: PointwiseOp, dtype: DType): T {
  const found = entryOf(table, fn);
  if (found === undefined) throw new InternalError(`there is no ${fn} on ${dtype} in lanes`);
  return found;
}

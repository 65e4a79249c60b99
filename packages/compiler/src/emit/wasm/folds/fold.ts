/** Folds over values in lanes, as compositions of pointwise ops. ../../closure/accumulate.ts is the same for columns. */
import {
  type Accumulator,
  type DType,
  type Fold,
  InternalError,
  isFloat,
  type PointwiseOp,
  resultDType,
} from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import { applyOp } from "../pointwise/apply.ts";
import { lanewise } from "../pointwise/lanewise.ts";
import { castValue, roundOnce } from "../values/cast.ts";
import { constantValue, type Lanes, type LaneValue, widthOf } from "../values/value.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";

/** Partial results, one in each lane. */
export interface State {
  readonly value: LaneValue;
  /** The sum of what the additions lost. */
  readonly compensation: LaneValue | null;
  /** The place of the kept element. */
  readonly position: LaneValue | null;
  /** For an extremum of floats, whose value ignores NaN and the sign of zeros: what tells of them, as {@link extremum} says. */
  readonly lost: LaneValue | null;
  readonly signs: LaneValue | null;
}

/** Changes the registers of every field that is present. */
export const eachField = (
  { value, compensation, position, lost, signs }: State,
  change: (value: LaneValue, field: keyof State) => LaneValue,
): State => ({
  value: change(value, "value"),
  compensation: compensation && change(compensation, "compensation"),
  position: position && change(position, "position"),
  lost: lost && change(lost, "lost"),
  signs: signs && change(signs, "signs"),
});

/** Folds that only scans have: the last of the best elements so far, or its place. */
type Latest = "lastArgmax" | "lastArgmin" | "lastMax" | "lastMin";
const latestFolds: ReadonlySet<string> = new Set<Latest>(["lastArgmax", "lastArgmin", "lastMax", "lastMin"]);

export const isLatest = (accumulator: Accumulator): accumulator is Accumulator & { readonly fn: Latest } =>
  latestFolds.has(accumulator.fn);

/** How many lanes a step of the fold has; null if any number will do. In a scan only an extremum of 32 bits has several. */
export function lanesOf(accumulator: Accumulator, scan: boolean): number | null {
  const { free, lanes, partial } = accumulationOf(accumulator);
  if (scan) return isLatest(accumulator) && widthOf[partial] === 4 ? 4 : 1;
  return free ? null : lanes;
}

/** The state of a fold that is its value alone. */
export const plain = (value: LaneValue): State => ({
  value,
  compensation: null,
  position: null,
  lost: null,
  signs: null,
});

const apply = (lanes: Lanes, fn: PointwiseOp, dtype: DType, ...args: LaneValue[]): LaneValue =>
  applyOp(lanes, fn, dtype, resultDType(fn, dtype), args);

/** Converts an element, or the factors of an integer product, to the value that is joined to the partial result. */
export function lift(
  lanes: Lanes,
  { fn, from }: Accumulator,
  accumulation: Accumulation,
  values: readonly LaneValue[],
): LaneValue {
  const [x, y] = values as [LaneValue, LaneValue];
  switch (fn) {
    case "any":
    case "all":
      return castValue(lanes, x, "bool");
    case "dot":
      if (isFloat(from)) throw new InternalError("products of floats are added by addProduct");
      if (from === "bool") return apply(lanes, "logicalAnd", "bool", x, y);
      return apply(lanes, "mul", from, castValue(lanes, x, from), castValue(lanes, y, from));
    case "sum":
    case "prod":
    case "logaddexp":
      return castValue(lanes, x, accumulation.partial);
    default:
      return x;
  }
}

/** Joins lifted elements to the partial results in the same lanes. */
export function combine(
  lanes: Lanes,
  { fn, from }: Accumulator,
  accumulation: Accumulation,
  state: State,
  x: LaneValue,
  position: LaneValue | null,
): State {
  const { value } = state;
  const joined = (result: LaneValue): State => ({ ...state, value: result });
  switch (fn) {
    case "sum":
      return accumulation.compensated
        ? twoSum(lanes, state, x)
        : joined(apply(lanes, "add", accumulation.partial, value, x));
    case "dot":
      return joined(apply(lanes, "add", from, value, x));
    case "prod":
      return joined(apply(lanes, "mul", accumulation.partial, value, x));
    case "any":
      return joined(apply(lanes, "logicalOr", "bool", value, x));
    case "all":
      return joined(apply(lanes, "logicalAnd", "bool", value, x));
    case "max":
    case "min":
      if (state.lost !== null) return extremum(lanes, fn, state, marksOf(lanes, x));
      return joined(apply(lanes, fn === "max" ? "maximum" : "minimum", from, value, x));
    case "argmax":
    case "argmin":
      return take(lanes, better(lanes, fn, from, x, value), state, x, position);
    case "lastArgmax":
    case "lastArgmin":
      if (state.lost !== null) return latest(lanes, fn, state, marked(lanes, fn, x, position));
      return take(lanes, asGood(lanes, fn, from, x, value), state, x, position);
    case "lastMax":
    case "lastMin":
      if (state.lost !== null) return latest(lanes, fn, state, marked(lanes, fn, x, null));
      return joined(applyOp(lanes, "where", x.dtype, x.dtype, [asGood(lanes, fn, from, x, value), x, value]));
    case "logaddexp":
      return joined(logaddexp(lanes, value, x));
    default:
      return fn satisfies never;
  }
}

/** Joins partial results to those in the same lanes. */
export function join(
  lanes: Lanes,
  accumulator: Accumulator,
  accumulation: Accumulation,
  a: State,
  b: State,
): State {
  const { fn, from } = accumulator;
  if (a.signs !== null) return extremum(lanes, fn as "max" | "min", a, b);
  if (!accumulation.positioned)
    return combine(
      lanes,
      accumulator,
      { ...accumulation, compensated: false },
      plain(a.value),
      b.value,
      null,
    );
  // Of equal elements the one at the first place wins; NaN counts as equal to NaN.
  const first = apply(lanes, "lt", a.position!.dtype, b.position!, a.position!);
  const wins = better(lanes, fn as "argmax", from, b.value, a.value);
  const loses = better(lanes, fn as "argmax", from, a.value, b.value);
  const tied = apply(lanes, "logicalNot", "bool", loses);
  const taken = apply(lanes, "logicalOr", "bool", wins, apply(lanes, "logicalAnd", "bool", tied, first));
  return take(lanes, taken, a, b.value, b.position);
}

function take(lanes: Lanes, taken: LaneValue, state: State, x: LaneValue, position: LaneValue | null): State {
  const held = state.position!;
  return {
    ...state,
    value: applyOp(lanes, "where", x.dtype, x.dtype, [taken, x, state.value]),
    position: applyOp(lanes, "where", held.dtype, held.dtype, [
      taken,
      castValue(lanes, position!, held.dtype),
      held,
    ]),
  };
}

/** True where x is greater (or less), or is a NaN and `best` is not. */
function better(
  lanes: Lanes,
  fn: "argmax" | "argmin",
  dtype: DType,
  x: LaneValue,
  best: LaneValue,
): LaneValue {
  const beyond = apply(lanes, fn === "argmax" ? "gt" : "lt", dtype, x, best);
  if (!isFloat(dtype)) return beyond;
  const held = apply(lanes, "logicalNot", "bool", apply(lanes, "isnan", dtype, best));
  const lost = apply(lanes, "logicalAnd", "bool", apply(lanes, "isnan", dtype, x), held);
  return apply(lanes, "logicalOr", "bool", beyond, lost);
}

/** True where x is not worse than `best`, or is a NaN. */
function asGood(lanes: Lanes, fn: Latest, dtype: DType, x: LaneValue, best: LaneValue): LaneValue {
  const notWorse = apply(lanes, isGreatest(fn) ? "ge" : "le", dtype, x, best);
  return isFloat(dtype)
    ? apply(lanes, "logicalOr", "bool", notWorse, apply(lanes, "isnan", dtype, x))
    : notWorse;
}

/** Keeps what each addition lost, which Knuth's two-sum computes exactly. So it is the same as Neumaier's, without comparing magnitudes. */
function twoSum(lanes: Lanes, { value, compensation }: State, x: LaneValue): State {
  const on = (fn: PointwiseOp, ...args: LaneValue[]): LaneValue => apply(lanes, fn, "float64", ...args);
  const sum = on("add", value, x);
  const added = on("sub", sum, value);
  const kept = on("sub", sum, added);
  const lost = on("add", on("sub", value, kept), on("sub", x, added));
  return { ...plain(sum), compensation: on("add", compensation!, lost) };
}

/**
 * f32x4.pmax and pmin, which return one of their operands, are far cheaper than max and min, which respect NaN and −0. NaN and
 * signs are only recorded, and {@link applyMarks} applies them at the end.
 *
 * Of float32 the bits are joined as integers too: as signed ones, of which those of a NaN without a sign are the greatest, and as
 * unsigned ones, of which those of a NaN with a sign are. `signs` are those that are the extremum themselves where any element has the
 * sign of the better half; `lost` the others.
 */
function extremum(lanes: Lanes, fn: "max" | "min", a: State, b: State): State {
  const { dtype, width } = a.value;
  const on = (op: Operation, ...args: LaneValue[]): LaneValue =>
    lanewise(lanes, (code, ...registers) => code.op(op, ...registers), dtype, width, args);
  const [joinLost, joinSigns] = (
    {
      max: { 4: ["i32x4.max_u", "i32x4.max_s"], 8: ["v128.or", "v128.and"] },
      min: { 4: ["i32x4.max_s", "i32x4.max_u"], 8: ["v128.or", "v128.or"] },
    } as const
  )[fn][width === 8 ? 8 : 4];
  return {
    ...a,
    value: on(width === 8 ? `f64x2.p${fn}` : `f32x4.p${fn}`, a.value, b.value),
    lost: on(joinLost, a.lost!, b.lost!),
    signs: on(joinSigns, a.signs!, b.signs!),
  };
}

/** The signs before the first element: the sign of a maximum is negative if all signs are; that of a minimum if one is. */
export const firstSigns = (code: Lanes["code"], { start, partial }: Accumulation): LaneValue => ({
  ...constantValue(code, 0, partial),
  registers: [code.splat("i64x2", start < 0 ? -1 : 0)],
});

/** The state of an extremum after its first element. */
export const marksOf = (lanes: Lanes, x: LaneValue): State => ({
  ...plain(x),
  lost:
    x.width === 8 ? lanewise(lanes, (code, each) => code.op("f64x2.ne", each!, each!), x.dtype, 8, [x]) : x,
  signs: x,
});

const isGreatest = (fn: Latest): boolean => fn === "lastArgmax" || fn === "lastMax";

/** The state of a single element of a scan, to be joined by {@link follow}. */
export const alone = (
  lanes: Lanes,
  { fn }: { readonly fn: Latest },
  accumulation: Accumulation,
  x: LaneValue,
  position: LaneValue | null,
): State => (accumulation.marked ? marked(lanes, fn, x, position) : { ...plain(x), position });

/** Joins the state of earlier elements of a scan and that of later ones, in the same lanes. */
export const follow = (
  lanes: Lanes,
  accumulator: Accumulator & { readonly fn: Latest },
  accumulation: Accumulation,
  before: State,
  behind: State,
): State =>
  before.lost === null
    ? combine(lanes, accumulator, accumulation, before, behind.value, behind.position)
    : latest(lanes, accumulator.fn, before, behind);

/** Replaces a NaN by the worst number, and records it. */
function marked(lanes: Lanes, fn: Latest, x: LaneValue, position: LaneValue | null): State {
  const { dtype } = x;
  const worst = constantValue(lanes.code, isGreatest(fn) ? -Infinity : Infinity, dtype);
  const lost = apply(lanes, "isnan", dtype, x);
  return { ...plain(applyOp(lanes, "where", dtype, dtype, [lost, worst, x])), lost, position };
}

/** The last of the best numbers and its place; from a NaN on the result is NaN. */
function latest(lanes: Lanes, fn: Latest, before: State, { value, lost, position }: State): State {
  const { dtype, width } = before.value;
  const on = (op: PointwiseOp, ...args: LaneValue[]): LaneValue => apply(lanes, op, "bool", ...args);
  const type = width === 8 ? "f64x2" : "f32x4";
  const result = {
    ...before,
    // pmax and pmin return the first operand, unless it is worse.
    value: lanewise(
      lanes,
      (code, ...args) => code.op(`${type}.${isGreatest(fn) ? "pmax" : "pmin"}`, ...args),
      dtype,
      width,
      [value, before.value],
    ),
    lost: on("logicalOr", before.lost!, lost!),
  };
  if (position === null) return result;
  // Computed from the operands, not from the new value: so the place need not wait for it.
  const asGoodAs = apply(lanes, isGreatest(fn) ? "ge" : "le", dtype, value, before.value);
  const taken = on("logicalOr", lost!, on("logicalAnd", asGoodAs, on("logicalNot", before.lost!)));
  return { ...result, position: take(lanes, taken, before, value, position).position };
}

/** Applies what {@link marked} or {@link extremum} recorded: a zero gets the sign that wins, and a NaN wins over all. */
function applyMarks(lanes: Lanes, fn: Fold, { value, lost, signs, position }: State): State {
  const { dtype, width } = value;
  const choose = (mask: LaneValue, x: LaneValue, y: LaneValue): LaneValue =>
    applyOp(lanes, "where", dtype, dtype, [{ ...mask, dtype: "bool" }, x, y]);
  const nan = constantValue(lanes.code, NaN, dtype);
  if (signs === null) return { ...plain(choose(lost!, nan, value)), position };
  const on = (op: Operation, ...args: LaneValue[]): LaneValue =>
    lanewise(lanes, (code, ...registers) => code.op(op, ...registers), dtype, width, args);
  if (width === 8) {
    const zero = constantValue(lanes.code, 0, dtype);
    // Only the sign bit: the other joined bits may form a NaN.
    const signed = on("v128.and", signs, constantValue(lanes.code, -0, dtype));
    return plain(choose(lost!, nan, choose(on("f64x2.eq", value, zero), signed, value)));
  }
  const zero = constantValue(lanes.code, 0, dtype);
  const [negative, positive] = fn === "max" ? [value, signs] : [signs, value];
  const extreme = choose(on("i32x4.lt_s", signs, zero), negative, positive);
  return plain(choose(on("f32x4.ne", lost!, lost!), nan, extreme));
}

/** log(eᵃ + eᵇ) without overflow; two equal infinities give that infinity. */
function logaddexp(lanes: Lanes, a: LaneValue, b: LaneValue): LaneValue {
  const on = (fn: PointwiseOp, ...args: LaneValue[]): LaneValue => apply(lanes, fn, "float64", ...args);
  const ratio = on("exp", on("neg", on("abs", on("sub", a, b))));
  const usual = on("add", on("maximum", a, b), on("log1p", ratio));
  return on("where", on("eq", a, b), on("add", a, constantValue(lanes.code, Math.LN2, "float64")), usual);
}

/** Resolves all fields but the position into the value. The compensation of a sum that is not finite is invalid, and is ignored. */
export function settled(lanes: Lanes, { fn }: Accumulator, state: State): State {
  const { value, compensation } = state;
  if (state.lost !== null) return applyMarks(lanes, fn, state);
  if (compensation === null) return state;
  const whole = apply(lanes, "add", "float64", value, compensation);
  const finite = apply(lanes, "isfinite", "float64", whole);
  return {
    ...state,
    value: applyOp(lanes, "where", "float64", "float64", [finite, whole, value]),
    compensation: null,
  };
}

/** The result of partial results in the same lanes. */
export const resultOf = (lanes: Lanes, accumulator: Accumulator, state: State): LaneValue =>
  finish(lanes, accumulator, settled(lanes, accumulator, state));

/** Converts a finished fold to the result's dtype. */
export function finish(lanes: Lanes, { fn, to }: Accumulator, { value, position }: State): LaneValue {
  switch (fn) {
    case "argmax":
    case "argmin":
    case "lastArgmax":
    case "lastArgmin":
      return castValue(lanes, position!, "int64");
    case "sum":
    case "prod":
    case "dot":
    case "logaddexp":
      return value.dtype === "float64" ? roundOnce(lanes, value, to) : castValue(lanes, value, to);
    default:
      return value;
  }
}

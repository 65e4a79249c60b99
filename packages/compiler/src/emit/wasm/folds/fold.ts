/**
 * What folds do to values in lanes, as compositions of pointwise ops: ../../closure/accumulate.ts says the same for one
 * element at a time.
 */
import { type Accumulator, type DType, isFloat, type PointwiseOp, resultDType } from "@fuseau/ir";
import { applyOp } from "../pointwise/apply.ts";
import { castValue, roundOnce } from "../values/cast.ts";
import { constantValue, type Lanes, type LaneValue } from "../values/value.ts";
import type { Law } from "./law.ts";

/** Partial results, one in each lane. */
export interface State {
  readonly value: LaneValue;
  readonly compensation: LaneValue | null;
  readonly position: LaneValue | null;
}

const apply = (lanes: Lanes, fn: PointwiseOp, dtype: DType, ...args: LaneValue[]): LaneValue =>
  applyOp(lanes, fn, dtype, resultDType(fn, dtype), args);

/** An element, or the elements of a product, in the form in which it joins. */
export function lift(lanes: Lanes, { fn, from }: Accumulator, law: Law, values: readonly LaneValue[]): LaneValue {
  const [x, y] = values as [LaneValue, LaneValue];
  switch (fn) {
    case "any":
    case "all":
      return castValue(lanes, x, "bool");
    case "dot": {
      if (from === "bool") return apply(lanes, "logicalAnd", "bool", x, y);
      const dtype = isFloat(from) ? law.partial : from;
      return apply(lanes, "mul", dtype, castValue(lanes, x, dtype), castValue(lanes, y, dtype));
    }
    case "sum":
    case "prod":
    case "logaddexp":
      return castValue(lanes, x, law.partial);
    default:
      return x;
  }
}

/** Joins lifted elements to the partial results in the same lanes. */
export function combine(
  lanes: Lanes,
  { fn, from }: Accumulator,
  law: Law,
  state: State,
  x: LaneValue,
  position: LaneValue | null,
): State {
  const { value } = state;
  const joined = (result: LaneValue): State => ({ ...state, value: result });
  switch (fn) {
    case "sum":
      return law.compensated ? neumaier(lanes, state, x) : joined(apply(lanes, "add", law.partial, value, x));
    case "dot":
      return joined(apply(lanes, "add", isFloat(from) ? law.partial : from, value, x));
    case "prod":
      return joined(apply(lanes, "mul", law.partial, value, x));
    case "any":
      return joined(apply(lanes, "logicalOr", "bool", value, x));
    case "all":
      return joined(apply(lanes, "logicalAnd", "bool", value, x));
    case "max":
      return joined(apply(lanes, "maximum", from, value, x));
    case "min":
      return joined(apply(lanes, "minimum", from, value, x));
    case "argmax":
    case "argmin":
      return take(lanes, better(lanes, fn, from, x, value), state, x, position);
    case "lastArgmax":
    case "lastArgmin":
      return take(lanes, asGood(lanes, fn, from, x, value), state, x, position);
    case "logaddexp":
      return joined(logaddexp(lanes, value, x));
    default:
      return fn satisfies never;
  }
}

/** Joins partial results to those in the same lanes. */
export function join(lanes: Lanes, accumulator: Accumulator, law: Law, a: State, b: State): State {
  const { fn, from } = accumulator;
  if (!law.positioned)
    return combine(lanes, accumulator, { ...law, compensated: false }, a, b.value, null);
  // Of equals, the first place; NaN equals NaN here.
  const first = apply(lanes, "lt", a.position!.dtype, b.position!, a.position!);
  const wins = better(lanes, fn as "argmax", from, b.value, a.value);
  const loses = better(lanes, fn as "argmax", from, a.value, b.value);
  const tied = apply(lanes, "logicalNot", "bool", loses);
  const taken = apply(lanes, "logicalOr", "bool", wins, apply(lanes, "logicalAnd", "bool", tied, first));
  return take(lanes, taken, a, b.value, b.position);
}

function take(
  lanes: Lanes,
  taken: LaneValue,
  state: State,
  x: LaneValue,
  position: LaneValue | null,
): State {
  const held = state.position!;
  return {
    value: applyOp(lanes, "where", x.dtype, x.dtype, [taken, x, state.value]),
    compensation: null,
    position: applyOp(lanes, "where", held.dtype, held.dtype, [
      taken,
      castValue(lanes, position!, held.dtype),
      held,
    ]),
  };
}

/** Greater or less; a NaN beats all but a NaN. */
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

/** Not worse, or a NaN. */
function asGood(
  lanes: Lanes,
  fn: "lastArgmax" | "lastArgmin",
  dtype: DType,
  x: LaneValue,
  best: LaneValue,
): LaneValue {
  const notWorse = apply(lanes, fn === "lastArgmax" ? "ge" : "le", dtype, x, best);
  return isFloat(dtype) ? apply(lanes, "logicalOr", "bool", notWorse, apply(lanes, "isnan", dtype, x)) : notWorse;
}

/** What each addition loses is kept, whichever operand is the larger. */
function neumaier(lanes: Lanes, { value, compensation }: State, x: LaneValue): State {
  const on = (fn: PointwiseOp, ...args: LaneValue[]): LaneValue => apply(lanes, fn, "float64", ...args);
  const sum = on("add", value, x);
  const larger = on("ge", on("abs", value), on("abs", x));
  const big = on("where", larger, value, x);
  const small = on("where", larger, x, value);
  const lost = on("add", on("sub", big, sum), small);
  return { value: sum, compensation: on("add", compensation!, lost), position: null };
}

/** log(eᵃ + eᵇ) without overflow; two equal infinities give themselves. */
function logaddexp(lanes: Lanes, a: LaneValue, b: LaneValue): LaneValue {
  const on = (fn: PointwiseOp, ...args: LaneValue[]): LaneValue => apply(lanes, fn, "float64", ...args);
  const apart = on("exp", on("neg", on("abs", on("sub", a, b))));
  const usual = on("add", on("maximum", a, b), on("log1p", apart));
  return on("where", on("eq", a, b), on("add", a, constantValue(lanes.code, Math.LN2, "float64")), usual);
}

/** The partial results without their compensation. A sum that is not finite has lost track of its error. */
export function settled(lanes: Lanes, state: State): State {
  const { value, compensation } = state;
  if (compensation === null) return state;
  const whole = apply(lanes, "add", "float64", value, compensation);
  const finite = apply(lanes, "isfinite", "float64", whole);
  return { ...state, value: applyOp(lanes, "where", "float64", "float64", [finite, whole, value]), compensation: null };
}

/** A finished fold in the result's dtype. */
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

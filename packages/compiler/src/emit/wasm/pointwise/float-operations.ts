/** The pointwise ops on floats and on bools in lanes. */
import type { FloatDType, PointwiseOpOn } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import { float32Functions } from "../functions/float32/index.ts";
import { float64Functions } from "../functions/float64/index.ts";
import type { FloatName } from "../functions/lanes.ts";
import { nextafter } from "../functions/nextafter.ts";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import type { Lanes, LaneValue } from "../values/value.ts";
import { randomNumbers, type Words } from "./random.ts";

type FloatLanes = "f32x4" | "f64x2";

/** An instruction, by its name, in lanes of either width. */
const named =
  (
    name:
      | "add"
      | "sub"
      | "mul"
      | "div"
      | "max"
      | "min"
      | "abs"
      | "neg"
      | "sqrt"
      | "floor"
      | "ceil"
      | "trunc"
      | "nearest",
  ) =>
  (lanes: FloatLanes): LaneFunction =>
  (code, ...args) =>
    code.op(`${lanes}.${name}`, ...args);

type Make = (lanes: FloatLanes) => LaneFunction;

const one = (code: Straight, lanes: FloatLanes): Register => code.splat(lanes, 1);
const zero = (code: Straight): Register => code.splat("i64x2", 0);
const not = (code: Straight, mask: Register): Register => code.op("v128.not", mask);
const ordered = (code: Straight, lanes: FloatLanes, x: Register): Register => code.op(`${lanes}.eq`, x, x);

/** A mask of the lanes in which the sign bit of x is set. */
const signBits = (code: Straight, lanes: FloatLanes, x: Register): Register =>
  code.op(lanes === "f32x4" ? "i32x4.lt_s" : "i64x2.lt_s", x, zero(code));

/** If one operand is NaN, the result is the other one. */
const ignoringNaN =
  (name: "max" | "min"): Make =>
  (lanes) =>
  (code, a, b) => {
    const both = code.op(`${lanes}.${name}`, a, b);
    const orFirst = code.op("v128.bitselect", both, a, ordered(code, lanes, b));
    return code.op("v128.bitselect", orFirst, b, ordered(code, lanes, a));
  };

/**
 * How an op is computed: by a few instructions, which give values or masks; by a lane function, of which there may be one
 * for each format; or from random words. The results are exactly of the operands' format, except float16, which is computed in float32.
 */
type FloatOperation =
  | { readonly kind: "value" | "mask"; readonly make: Make }
  | { readonly kind: "function"; readonly f32x4: LaneFunction; readonly f64x2: LaneFunction }
  | { readonly kind: "formats"; readonly of: Readonly<Record<FloatDType, LaneFunction>> }
  | { readonly kind: "random"; readonly make: (lanes: Lanes, words: Words) => LaneValue };

const value = (make: Make): FloatOperation => ({ kind: "value", make });
const mask = (make: Make): FloatOperation => ({ kind: "mask", make });
/** All ops with lane functions. Those of float64 are looked up when they are called, since their file must not be evaluated earlier. */
const longer = Object.fromEntries(
  (Object.keys(float32Functions) as FloatName[]).map((name): [FloatName, FloatOperation] => [
    name,
    {
      kind: "function",
      f32x4: float32Functions[name],
      f64x2: (code, ...args) => float64Functions[name](code, ...args),
    },
  ]),
) as Readonly<Record<FloatName, FloatOperation>>;

export const floatOperations: { readonly [Op in PointwiseOpOn<"float">]: FloatOperation } = {
  ...longer,
  add: value(named("add")),
  sub: value(named("sub")),
  mul: value(named("mul")),
  div: value(named("div")),
  truncDivide: value((lanes) => (code, a, b) => code.op(`${lanes}.trunc`, code.op(`${lanes}.div`, a, b))),
  maximum: value(named("max")),
  minimum: value(named("min")),
  fmax: value(ignoringNaN("max")),
  fmin: value(ignoringNaN("min")),
  // The sign of a NaN counts as positive.
  copysign: value((lanes) => (code, a, b) => {
    const bits = lanes === "f32x4" ? code.splat("i32x4", 0x80000000) : code.splat("i64x2", 1n << 63n);
    const sign = code.op("v128.and", code.op("v128.and", b, bits), ordered(code, lanes, b));
    return code.op("v128.or", code.op(`${lanes}.abs`, a), sign);
  }),
  nextafter: { kind: "formats", of: nextafter },
  neg: value(named("neg")),
  abs: value(named("abs")),
  sign: value((lanes) => (code, x) => {
    const positive = code.op("v128.and", code.op(`${lanes}.gt`, x, zero(code)), one(code, lanes));
    const negative = code.op("v128.and", code.op(`${lanes}.lt`, x, zero(code)), code.splat(lanes, -1));
    return code.op("v128.or", positive, negative);
  }),
  // relu(−0) is −0; relu(NaN) is NaN.
  relu: value((lanes) => (code, x) => code.op("v128.andnot", x, code.op(`${lanes}.lt`, x, zero(code)))),
  floor: value(named("floor")),
  ceil: value(named("ceil")),
  trunc: value(named("trunc")),
  round: value(named("nearest")),
  sqrt: value(named("sqrt")),
  rsqrt: value(
    (lanes) => (code, x) => code.op(`${lanes}.div`, one(code, lanes), code.op(`${lanes}.sqrt`, x)),
  ),
  reciprocal: value((lanes) => (code, x) => code.op(`${lanes}.div`, one(code, lanes), x)),
  eq: mask(comparing("eq")),
  ne: mask(comparing("ne")),
  lt: mask(comparing("lt")),
  le: mask(comparing("le")),
  gt: mask(comparing("gt")),
  ge: mask(comparing("ge")),
  isnan: mask((lanes) => (code, x) => code.op(`${lanes}.ne`, x, x)),
  isinf: mask(
    (lanes) => (code, x) => code.op(`${lanes}.eq`, code.op(`${lanes}.abs`, x), code.splat(lanes, Infinity)),
  ),
  isfinite: mask(
    (lanes) => (code, x) => code.op(`${lanes}.lt`, code.op(`${lanes}.abs`, x), code.splat(lanes, Infinity)),
  ),
  signbit: mask(
    (lanes) => (code, x) => code.op("v128.and", signBits(code, lanes, x), ordered(code, lanes, x)),
  ),
  randomWord: { kind: "random", make: randomNumbers.randomWord },
  randomNormal: { kind: "random", make: randomNumbers.randomNormal },
};

function comparing(name: "eq" | "ne" | "lt" | "le" | "gt" | "ge"): Make {
  return (lanes) => (code, a, b) => code.op(`${lanes}.${name}` as Operation, a, b);
}

/** Ops on bools, as functions on masks of equal width. */
export const maskOperations: { readonly [Op in PointwiseOpOn<"bool">]: LaneFunction } = {
  add: (code, a, b) => code.op("v128.or", a, b),
  mul: (code, a, b) => code.op("v128.and", a, b),
  maximum: (code, a, b) => code.op("v128.or", a, b),
  minimum: (code, a, b) => code.op("v128.and", a, b),
  fmax: (code, a, b) => code.op("v128.or", a, b),
  fmin: (code, a, b) => code.op("v128.and", a, b),
  sign: (_, a) => a,
  abs: (_, a) => a,
  logicalAnd: (code, a, b) => code.op("v128.and", a, b),
  logicalOr: (code, a, b) => code.op("v128.or", a, b),
  logicalXor: (code, a, b) => code.op("v128.xor", a, b),
  logicalNot: not,
  bitwiseAnd: (code, a, b) => code.op("v128.and", a, b),
  bitwiseOr: (code, a, b) => code.op("v128.or", a, b),
  bitwiseXor: (code, a, b) => code.op("v128.xor", a, b),
  bitwiseNot: not,
  eq: (code, a, b) => not(code, code.op("v128.xor", a, b)),
  ne: (code, a, b) => code.op("v128.xor", a, b),
  lt: (code, a, b) => code.op("v128.andnot", b, a),
  le: (code, a, b) => code.op("v128.or", not(code, a), b),
  gt: (code, a, b) => code.op("v128.andnot", a, b),
  ge: (code, a, b) => code.op("v128.or", a, not(code, b)),
  isnan: zero,
  isinf: zero,
  isfinite: (code) => code.splat("i64x2", -1),
  signbit: zero,
};

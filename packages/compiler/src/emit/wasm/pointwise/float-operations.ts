/** Ops on floats that a few instructions compute exactly, as functions on registers of one kind of lanes. */
import type { PointwiseOp } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import type { LaneFunction } from "./lane-function.ts";

export type FloatLanes = "f32x4" | "f64x2";

/** The instruction of a name, in lanes of either width. */
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

/** All bits of the lanes in which x has its sign bit set. */
const signBits = (code: Straight, lanes: FloatLanes, x: Register): Register =>
  code.op(lanes === "f32x4" ? "i32x4.lt_s" : "i64x2.lt_s", x, zero(code));

/** A NaN loses: the other operand stands. */
const ignoringNaN =
  (name: "max" | "min"): Make =>
  (lanes) =>
  (code, a, b) => {
    const both = code.op(`${lanes}.${name}`, a, b);
    const orFirst = code.op("v128.bitselect", both, a, ordered(code, lanes, b));
    return code.op("v128.bitselect", orFirst, b, ordered(code, lanes, a));
  };

/** The results are of the operands' format exactly. */
export const floatOperations: { readonly [Op in PointwiseOp]?: Make } = {
  add: named("add"),
  sub: named("sub"),
  mul: named("mul"),
  div: named("div"),
  truncDivide: (lanes) => (code, a, b) => code.op(`${lanes}.trunc`, code.op(`${lanes}.div`, a, b)),
  maximum: named("max"),
  minimum: named("min"),
  fmax: ignoringNaN("max"),
  fmin: ignoringNaN("min"),
  // The sign of a NaN counts as positive.
  copysign: (lanes) => (code, a, b) => {
    const bits = lanes === "f32x4" ? code.splat("i32x4", 0x80000000) : code.splat("i64x2", 1n << 63n);
    const sign = code.op("v128.and", code.op("v128.and", b, bits), ordered(code, lanes, b));
    return code.op("v128.or", code.op(`${lanes}.abs`, a), sign);
  },
  neg: named("neg"),
  abs: named("abs"),
  sign: (lanes) => (code, x) => {
    const positive = code.op("v128.and", code.op(`${lanes}.gt`, x, zero(code)), one(code, lanes));
    const negative = code.op("v128.and", code.op(`${lanes}.lt`, x, zero(code)), code.splat(lanes, -1));
    return code.op("v128.or", positive, negative);
  },
  // relu(−0) is −0, and of NaN it is NaN.
  relu: (lanes) => (code, x) => code.op("v128.andnot", x, code.op(`${lanes}.lt`, x, zero(code))),
  floor: named("floor"),
  ceil: named("ceil"),
  trunc: named("trunc"),
  round: named("nearest"),
  sqrt: named("sqrt"),
  rsqrt: (lanes) => (code, x) => code.op(`${lanes}.div`, one(code, lanes), code.op(`${lanes}.sqrt`, x)),
  reciprocal: (lanes) => (code, x) => code.op(`${lanes}.div`, one(code, lanes), x),
};

/** Ops whose results of float16 operands are float16 already: they need no rounding. */
export const exactInFloat16: ReadonlySet<PointwiseOp> = new Set([
  ...(["maximum", "minimum", "fmax", "fmin", "copysign", "neg", "abs", "sign", "relu"] as const),
  ...(["floor", "ceil", "trunc", "round", "fmod", "nextafter"] as const),
]);

/** Ops on floats that give masks. */
export const floatPredicates: { readonly [Op in PointwiseOp]?: Make } = {
  eq: comparing("eq"),
  ne: comparing("ne"),
  lt: comparing("lt"),
  le: comparing("le"),
  gt: comparing("gt"),
  ge: comparing("ge"),
  isnan: (lanes) => (code, x) => code.op(`${lanes}.ne`, x, x),
  isinf: (lanes) => (code, x) =>
    code.op(`${lanes}.eq`, code.op(`${lanes}.abs`, x), code.splat(lanes, Infinity)),
  isfinite: (lanes) => (code, x) =>
    code.op(`${lanes}.lt`, code.op(`${lanes}.abs`, x), code.splat(lanes, Infinity)),
  signbit: (lanes) => (code, x) => code.op("v128.and", signBits(code, lanes, x), ordered(code, lanes, x)),
};

function comparing(name: "eq" | "ne" | "lt" | "le" | "gt" | "ge"): Make {
  return (lanes) => (code, a, b) => code.op(`${lanes}.${name}` as Operation, a, b);
}

/** Ops on bools, as functions on masks of one width. */
export const maskOperations: { readonly [Op in PointwiseOp]?: LaneFunction } = {
  add: (code, a, b) => code.op("v128.or", a, b),
  mul: (code, a, b) => code.op("v128.and", a, b),
  maximum: (code, a, b) => code.op("v128.or", a, b),
  minimum: (code, a, b) => code.op("v128.and", a, b),
  fmax: (code, a, b) => code.op("v128.or", a, b),
  fmin: (code, a, b) => code.op("v128.and", a, b),
  sign: (_, a) => a,
  relu: (_, a) => a,
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

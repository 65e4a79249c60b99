/** Ops on integers that a few instructions compute, in lanes as wide as the dtype: what is computed there wraps by itself. */
import type { DType, PointwiseOp } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import { integerLanes, widthOf } from "../values/value.ts";
import type { LaneFunction } from "./lane-function.ts";

export type IntegerDType = "uint8" | "int8" | "int16" | "int32" | "int64";
type Make = (dtype: IntegerDType) => LaneFunction;

export const lanesOf = (dtype: DType): "i8x16" | "i16x8" | "i32x4" | "i64x2" => integerLanes[widthOf[dtype]];

const zero = (code: Straight): Register => code.splat("i64x2", 0);

/** The instruction of a name, which wraps. */
const wrapping =
  (name: "add" | "sub" | "neg"): Make =>
  (dtype) =>
  (code, ...args) =>
    code.op(`${lanesOf(dtype)}.${name}`, ...args);

/** A comparison, in which uint8 has no sign. */
export function compare(
  code: Straight,
  dtype: IntegerDType,
  name: "lt" | "le" | "gt" | "ge",
  a: Register,
  b: Register,
): Register {
  return code.op(`${lanesOf(dtype)}.${name}_${dtype === "uint8" ? "u" : "s"}` as Operation, a, b);
}

/** The larger or smaller of two; int64 has no instruction for it. */
const extremum =
  (name: "max" | "min"): Make =>
  (dtype) =>
  (code, a, b) => {
    if (dtype === "int64")
      return code.op("v128.bitselect", a, b, compare(code, dtype, name === "max" ? "gt" : "lt", a, b));
    return code.op(`${lanesOf(dtype)}.${name}_${dtype === "uint8" ? "u" : "s"}` as Operation, a, b);
  };

const identity: Make = () => (_, x) => x;
const bitwise =
  (op: "v128.and" | "v128.or" | "v128.xor" | "v128.not"): Make =>
  () =>
  (code, ...args) =>
    code.op(op, ...args);

const interleavedLow = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/** A byte's product is the low byte of a wider one. */
const product: Make = (dtype) => (code, a, b) => {
  const lanes = lanesOf(dtype);
  if (lanes !== "i8x16") return code.op(`${lanes}.mul`, a, b);
  const low = code.op("i16x8.extmul_low_i8x16_u", a, b);
  const high = code.op("i16x8.extmul_high_i8x16_u", a, b);
  return code.with("i8x16.shuffle", interleavedLow, low, high);
};

export const integerOperations: { readonly [Op in PointwiseOp]?: Make } = {
  add: wrapping("add"),
  sub: wrapping("sub"),
  mul: product,
  maximum: extremum("max"),
  minimum: extremum("min"),
  fmax: extremum("max"),
  fmin: extremum("min"),
  neg: wrapping("neg"),
  abs: (dtype) => (code, x) => (dtype === "uint8" ? x : code.op(`${lanesOf(dtype)}.abs`, x)),
  sign: (dtype) => (code, x) => {
    const positive = code.op(
      "v128.and",
      compare(code, dtype, "gt", x, zero(code)),
      code.splat(lanesOf(dtype), 1),
    );
    return dtype === "uint8"
      ? positive
      : code.op("v128.or", positive, compare(code, dtype, "lt", x, zero(code)));
  },
  relu: (dtype) => (code, x) =>
    dtype === "uint8" ? x : code.op("v128.andnot", x, compare(code, dtype, "lt", x, zero(code))),
  floor: identity,
  ceil: identity,
  trunc: identity,
  round: identity,
  bitwiseAnd: bitwise("v128.and"),
  bitwiseOr: bitwise("v128.or"),
  bitwiseXor: bitwise("v128.xor"),
  bitwiseNot: bitwise("v128.not"),
};

/** Ops on integers that give masks. */
export const integerPredicates: { readonly [Op in PointwiseOp]?: Make } = {
  eq: (dtype) => (code, a, b) => code.op(`${lanesOf(dtype)}.eq`, a, b),
  ne: (dtype) => (code, a, b) => code.op(`${lanesOf(dtype)}.ne`, a, b),
  lt: (dtype) => (code, a, b) => compare(code, dtype, "lt", a, b),
  le: (dtype) => (code, a, b) => compare(code, dtype, "le", a, b),
  gt: (dtype) => (code, a, b) => compare(code, dtype, "gt", a, b),
  ge: (dtype) => (code, a, b) => compare(code, dtype, "ge", a, b),
  isnan: () => zero,
  isinf: () => zero,
  isfinite: () => (code) => code.splat("i64x2", -1),
  signbit: (dtype) => (code, x) =>
    dtype === "uint8" ? zero(code) : compare(code, dtype, "lt", x, zero(code)),
};

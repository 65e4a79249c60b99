/** The pointwise ops on integers, in lanes as wide as the dtype, so that results wrap by themselves. */
import { type DType, type IntDType, isUnsigned, type PointwiseOpOn } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import { integerFunctions } from "../functions/integers.ts";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Callee, Register, Straight } from "../lanes/straight.ts";
import { integerLanes, widthOf } from "../values/value.ts";
import type { Division } from "./division.ts";

type Make = (dtype: IntDType) => LaneFunction;

export const lanesOf = (dtype: DType): "i8x16" | "i16x8" | "i32x4" | "i64x2" => integerLanes[widthOf[dtype]];

const zero = (code: Straight): Register => code.splat("i64x2", 0);

/** An instruction, by its name; its results wrap. */
const wrapping =
  (name: "add" | "sub" | "neg"): Make =>
  (dtype) =>
  (code, ...args) =>
    code.op(`${lanesOf(dtype)}.${name}`, ...args);

/** Compares integers; uint8 as unsigned. */
function compare(
  code: Straight,
  dtype: IntDType,
  name: "lt" | "le" | "gt" | "ge",
  a: Register,
  b: Register,
): Register {
  return code.op(`${lanesOf(dtype)}.${name}_${isUnsigned(dtype) ? "u" : "s"}` as Operation, a, b);
}

/** The larger or smaller of two; int64 has no instruction for it. */
const extremum =
  (name: "max" | "min"): Make =>
  (dtype) =>
  (code, a, b) => {
    if (dtype === "int64")
      return code.op("v128.bitselect", a, b, compare(code, dtype, name === "max" ? "gt" : "lt", a, b));
    return code.op(`${lanesOf(dtype)}.${name}_${isUnsigned(dtype) ? "u" : "s"}` as Operation, a, b);
  };

const identity: Make = () => (_, x) => x;
const bitwise =
  (op: "v128.and" | "v128.or" | "v128.xor" | "v128.not"): Make =>
  () =>
  (code, ...args) =>
    code.op(op, ...args);

const interleavedLow = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/** The product of two bytes is the low byte of a wider product. */
const product: Make = (dtype) => (code, a, b) => {
  const lanes = lanesOf(dtype);
  if (lanes !== "i8x16") return code.op(`${lanes}.mul`, a, b);
  const low = code.op("i16x8.extmul_low_i8x16_u", a, b);
  const high = code.op("i16x8.extmul_high_i8x16_u", a, b);
  return code.with("i8x16.shuffle", interleavedLow, low, high);
};

/**
 * How an op is computed: by a few instructions, which give values or masks; as a division or a shift; or by calls of a
 * function on single integers.
 */
type IntegerOperation =
  | { readonly kind: "value" | "mask"; readonly make: Make }
  | ({ readonly kind: "division" } & Division)
  | { readonly kind: "shift"; readonly direction: "left" | "right" }
  | { readonly kind: "call"; readonly callees: Readonly<Record<"i32" | "i64", Callee>> };

const value = (make: Make): IntegerOperation => ({ kind: "value", make });
const mask = (make: Make): IntegerOperation => ({ kind: "mask", make });
const division = (rounding: "floor" | "trunc", wanted: "quotient" | "rest"): IntegerOperation => ({
  kind: "division",
  rounding,
  wanted,
});

export const integerOperations: { readonly [Op in PointwiseOpOn<"int">]: IntegerOperation } = {
  add: value(wrapping("add")),
  sub: value(wrapping("sub")),
  mul: value(product),
  floorDivide: division("floor", "quotient"),
  truncDivide: division("trunc", "quotient"),
  remainder: division("floor", "rest"),
  fmod: division("trunc", "rest"),
  pow: { kind: "call", callees: integerFunctions.pow },
  maximum: value(extremum("max")),
  minimum: value(extremum("min")),
  fmax: value(extremum("max")),
  fmin: value(extremum("min")),
  gcd: { kind: "call", callees: integerFunctions.gcd },
  lcm: { kind: "call", callees: integerFunctions.lcm },
  neg: value(wrapping("neg")),
  abs: value((dtype) => (code, x) => (isUnsigned(dtype) ? x : code.op(`${lanesOf(dtype)}.abs`, x))),
  sign: value((dtype) => (code, x) => {
    const positive = code.op(
      "v128.and",
      compare(code, dtype, "gt", x, zero(code)),
      code.splat(lanesOf(dtype), 1),
    );
    return isUnsigned(dtype)
      ? positive
      : code.op("v128.or", positive, compare(code, dtype, "lt", x, zero(code)));
  }),
  relu: value(
    (dtype) => (code, x) =>
      isUnsigned(dtype) ? x : code.op("v128.andnot", x, compare(code, dtype, "lt", x, zero(code))),
  ),
  floor: value(identity),
  ceil: value(identity),
  trunc: value(identity),
  round: value(identity),
  bitwiseAnd: value(bitwise("v128.and")),
  bitwiseOr: value(bitwise("v128.or")),
  bitwiseXor: value(bitwise("v128.xor")),
  bitwiseNot: value(bitwise("v128.not")),
  bitwiseLeftShift: { kind: "shift", direction: "left" },
  bitwiseRightShift: { kind: "shift", direction: "right" },
  eq: mask((dtype) => (code, a, b) => code.op(`${lanesOf(dtype)}.eq`, a, b)),
  ne: mask((dtype) => (code, a, b) => code.op(`${lanesOf(dtype)}.ne`, a, b)),
  lt: mask((dtype) => (code, a, b) => compare(code, dtype, "lt", a, b)),
  le: mask((dtype) => (code, a, b) => compare(code, dtype, "le", a, b)),
  gt: mask((dtype) => (code, a, b) => compare(code, dtype, "gt", a, b)),
  ge: mask((dtype) => (code, a, b) => compare(code, dtype, "ge", a, b)),
  isnan: mask(() => zero),
  isinf: mask(() => zero),
  isfinite: mask(() => (code) => code.splat("i64x2", -1)),
  signbit: mask(
    (dtype) => (code, x) => (isUnsigned(dtype) ? zero(code) : compare(code, dtype, "lt", x, zero(code))),
  ),
};

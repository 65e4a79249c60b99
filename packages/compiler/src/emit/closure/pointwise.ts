/**
 * The pointwise ops as functions, for places where `new Function` is forbidden, and as the oracle in tests: bit for bit
 * what the text in ../js/pointwise.ts computes, which also says how the values of each dtype are held.
 */
import { type DType, dtypes, isFloat, type PointwiseOp, type TypedArray } from "@fuseau/ir";
import { intrinsics } from "../intrinsics/index.ts";

/** One element in flight: a BigInt for int64, else a number. */
export type Scalar = number | bigint;
/** An op on scalars; those beyond its arity are ignored. */
export type ScalarFunction = (a: Scalar, b?: Scalar, c?: Scalar) => Scalar;

type OnNumbers = (a: number, b: number) => number;
type OnInt64 = (a: bigint, b: bigint) => bigint;
type Choose = (from: DType, to: DType) => ScalarFunction;
/** A choice by the computing dtype alone. */
type ChooseByDType = (from: DType) => ScalarFunction;

/**
 * The dtype decides which kind a Scalar is, and the verifier has checked the dtypes: these three say so to the type
 * checker, once, in place of a test per element.
 */
const numbers = (f: OnNumbers): ScalarFunction => f as ScalarFunction;
const int64 = (f: OnInt64): ScalarFunction => f as ScalarFunction;
const convert = (f: ((a: number) => Scalar) | ((a: bigint) => Scalar)): ScalarFunction => f as ScalarFunction;

export const closurePointwise: { readonly [Op in PointwiseOp]: Choose } = {
  add: arithmetic({ bool: or, number: (a, b) => a + b, int64: (a, b) => a + b }),
  sub: arithmetic({ number: (a, b) => a - b, int64: (a, b) => a - b }),
  mul: arithmetic({ bool: and, int: Math.imul, number: (a, b) => a * b, int64: (a, b) => a * b }),
  div: arithmetic({ number: (a, b) => a / b }),
  floorDivide: (d) =>
    d === "float64"
      ? numbers(intrinsics.floorDivide)
      : isFloat(d)
        ? numbers(wrapped(d, intrinsics.floorDivideFloat32))
        : integer(intrinsics.floorDivideInt, intrinsics.floorDivideInt64)(d),
  truncDivide: (d) =>
    d === "float64"
      ? numbers((a, b) => Math.trunc(a / b))
      : isFloat(d)
        ? numbers(wrapped(d, (a, b) => Math.trunc(Math.fround(a / b))))
        : integer(intrinsics.truncDivideInt, intrinsics.truncDivideInt64)(d),
  remainder: arithmetic({
    int: intrinsics.remainderInt,
    number: intrinsics.remainder,
    int64: intrinsics.remainderInt64,
  }),
  fmod: arithmetic({ int: intrinsics.fmodInt, number: (a, b) => a % b, int64: intrinsics.fmodInt64 }),
  pow: arithmetic({ int: intrinsics.powInt, number: intrinsics.pow, int64: intrinsics.powInt64 }),
  maximum: extremum(max, larger),
  minimum: extremum(min, smaller),
  fmax: extremum(ignoringNaN(max), larger),
  fmin: extremum(ignoringNaN(min), smaller),
  atan2: arithmetic({ number: Math.atan2 }),
  hypot: arithmetic({ number: intrinsics.hypot }),
  copysign: arithmetic({ number: intrinsics.copysign }),
  nextafter: (d) =>
    numbers(
      d === "float64"
        ? intrinsics.nextafterFloat64
        : d === "float32"
          ? intrinsics.nextafterFloat32
          : intrinsics.nextafterFloat16,
    ),
  gcd: integer(intrinsics.gcdInt, intrinsics.gcdInt64),
  lcm: integer(intrinsics.lcmInt, intrinsics.lcmInt64),
  neg: arithmetic({ number: (a) => -a, int64: (a) => -a }),
  abs: arithmetic({ number: Math.abs, int64: (a) => (a < 0n ? -a : a) }),
  sign: (d) =>
    d === "int64"
      ? int64((a) => (a > 0n ? 1n : a < 0n ? -1n : 0n))
      : numbers((a) => (a > 0 ? 1 : a < 0 ? -1 : 0)),
  relu: (d) => (d === "int64" ? int64((a) => (a < 0n ? 0n : a)) : numbers(rectify)),

  floor: rounding(Math.floor),
  ceil: rounding(Math.ceil),
  trunc: rounding(Math.trunc),
  round: rounding(intrinsics.roundHalfEven),

  sqrt: arithmetic({ number: Math.sqrt }),
  rsqrt: arithmetic({ number: (a) => 1 / Math.sqrt(a) }),
  reciprocal: arithmetic({ number: (a) => 1 / a }),
  exp: arithmetic({ number: Math.exp }),
  exp2: arithmetic({ number: intrinsics.exp2 }),
  expm1: arithmetic({ number: Math.expm1 }),
  log: arithmetic({ number: Math.log }),
  log2: arithmetic({ number: Math.log2 }),
  log10: arithmetic({ number: Math.log10 }),
  log1p: arithmetic({ number: Math.log1p }),
  sigmoid: arithmetic({ number: (a) => 1 / (1 + Math.exp(-a)) }),

  sin: arithmetic({ number: Math.sin }),
  cos: arithmetic({ number: Math.cos }),
  tan: arithmetic({ number: Math.tan }),
  asin: arithmetic({ number: Math.asin }),
  acos: arithmetic({ number: Math.acos }),
  atan: arithmetic({ number: Math.atan }),
  sinh: arithmetic({ number: Math.sinh }),
  cosh: arithmetic({ number: Math.cosh }),
  tanh: arithmetic({ number: Math.tanh }),
  asinh: arithmetic({ number: Math.asinh }),
  acosh: arithmetic({ number: Math.acosh }),
  atanh: arithmetic({ number: Math.atanh }),

  erf: arithmetic({ number: intrinsics.erf }),
  erfc: arithmetic({ number: intrinsics.erfc }),
  erfinv: arithmetic({ number: intrinsics.erfinv }),
  lgamma: arithmetic({ number: intrinsics.lgamma }),
  digamma: arithmetic({ number: intrinsics.digamma }),

  eq: () => (a, b) => (a === b ? 1 : 0),
  ne: () => (a, b) => (a !== b ? 1 : 0),
  lt: () => (a, b) => (a < b! ? 1 : 0),
  le: () => (a, b) => (a <= b! ? 1 : 0),
  gt: () => (a, b) => (a > b! ? 1 : 0),
  ge: () => (a, b) => (a >= b! ? 1 : 0),
  isnan: () => (a) => (Number.isNaN(a) ? 1 : 0),
  isinf: () => (a) => (a === Infinity || a === -Infinity ? 1 : 0),
  isfinite: (d) => (isFloat(d) ? (a) => (Number.isFinite(a) ? 1 : 0) : () => 1),
  signbit: (d) =>
    isFloat(d) ? numbers((a) => (a < 0 || (a === 0 && 1 / a < 0) ? 1 : 0)) : (a) => (a < 0 ? 1 : 0),

  logicalAnd: () => numbers(and),
  logicalOr: () => numbers(or),
  logicalXor: () => numbers(xor),
  logicalNot: () => numbers(not),
  bitwiseAnd: (d) => (d === "int64" ? int64((a, b) => a & b) : numbers(and)),
  bitwiseOr: (d) => (d === "int64" ? int64((a, b) => a | b) : numbers(or)),
  bitwiseXor: (d) => (d === "int64" ? int64((a, b) => a ^ b) : numbers(xor)),
  bitwiseNot: arithmetic({ bool: not, number: (a) => ~a, int64: (a) => ~a }),
  bitwiseLeftShift: arithmetic({
    number: (a, b) => (b >>> 0 < 32 ? a << b : 0),
    int64: (a, b) => (b >= 0n && b < 64n ? a << b : 0n),
  }),
  bitwiseRightShift: arithmetic({
    number: (a, b) => a >> (b >>> 0 < 31 ? b : 31),
    int64: (a, b) => a >> (b >= 0n && b < 63n ? b : 63n),
  }),

  where: () => (condition, a, b) => (condition ? a! : b!),
  cast,

  randomWord: () => intrinsics.randomWord as ScalarFunction,
};

/** Reads one element of a dtype's array; float16 is decoded. */
export function closureLoad(dtype: DType): (array: TypedArray, index: number) => Scalar {
  if (dtype === "float16") return (array, index) => intrinsics.float16FromBits(array[index] as number);
  return (array, index) => array[index]!;
}

/** Writes one element of a dtype's array. */
export function closureStore(dtype: DType): (array: TypedArray, index: number, value: Scalar) => void {
  if (dtype === "float16") {
    return (array, index, value) => {
      array[index] = intrinsics.float16ToBits(value as number);
    };
  }
  return (array, index, value) => {
    array[index] = value;
  };
}

function and(a: number, b: number): number {
  return a & b;
}

function or(a: number, b: number): number {
  return a | b;
}

function xor(a: number, b: number): number {
  return a ^ b;
}

function not(a: number): number {
  return a ^ 1;
}

/** Brings a number back into the dtype: wraps integers, rounds floats. */
const wrapNumber: { readonly [D in Exclude<DType, "int64">]: ((x: number) => number) | undefined } = {
  bool: undefined,
  uint8: (x) => x & 255,
  int8: (x) => (x << 24) >> 24,
  int16: (x) => (x << 16) >> 16,
  int32: (x) => x | 0,
  float16: (x) => intrinsics.roundToFloat16(Math.fround(x)),
  float32: Math.fround,
  float64: undefined,
};

function wrapped(dtype: Exclude<DType, "int64">, f: OnNumbers): OnNumbers {
  const wrap = wrapNumber[dtype];
  return wrap === undefined ? f : (a, b) => wrap(f(a, b));
}

/** An op given by its exact result per kind of dtype; `int` and `bool` stand in for `number` where they differ from it. */
function arithmetic(exact: {
  readonly number: OnNumbers;
  readonly bool?: OnNumbers;
  readonly int?: OnNumbers;
  readonly int64?: OnInt64;
}): ChooseByDType {
  return (dtype) => {
    if (dtype === "int64") {
      const onInt64 = exact.int64 ?? noInt64;
      return int64((a, b) => BigInt.asIntN(64, onInt64(a, b)));
    }
    const { category } = dtypes[dtype];
    return numbers(wrapped(dtype, (category === "float" ? undefined : exact[category]) ?? exact.number));
  };
}

function noInt64(): never {
  throw new TypeError("this op is not defined on int64");
}

function integer(int: OnNumbers, onInt64: OnInt64): ChooseByDType {
  return arithmetic({ number: int, int64: onInt64 });
}

/** Of two numbers only: Math.max reads every argument, and those beyond an op's arity may be anything. */
function max(a: number, b: number): number {
  return Math.max(a, b);
}

function min(a: number, b: number): number {
  return Math.min(a, b);
}

/** On int64 too, where Math.max does not go. */
function larger(a: Scalar, b: Scalar): Scalar {
  return a > b ? a : b;
}

function smaller(a: Scalar, b: Scalar): Scalar {
  return a < b ? a : b;
}

/** relu(−0) is −0, as PyTorch's. */
function rectify(a: number): number {
  // Not Math.max: Math.max(−0, 0) is 0
  return a < 0 ? 0 : a;
}

/** Results are one of the operands: nothing to round. */
function extremum(ofFloats: OnNumbers, ofIntegers: (a: Scalar, b: Scalar) => Scalar): ChooseByDType {
  return (dtype) => (isFloat(dtype) ? numbers(ofFloats) : (a, b) => ofIntegers(a, b!));
}

function ignoringNaN(f: OnNumbers): OnNumbers {
  return (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : f(a, b));
}

/** Integers are whole already. */
function rounding(ofFloats: (a: number) => number): ChooseByDType {
  return (dtype) => (isFloat(dtype) ? numbers(ofFloats) : (a) => a);
}

/** Conversions, as ../js/pointwise.ts describes them. */
function cast(from: DType, to: DType): ScalarFunction {
  if (from === to) return (a) => a;
  if (from === "int64") return convert(fromInt64[to]);
  if (to === "int64") return convert(isFloat(from) ? intrinsics.floatToInt64 : BigInt);
  if (to === "bool") return numbers((a) => (a !== 0 ? 1 : 0));
  return numbers(wrapNumber[to] ?? ((a) => a));
}

const fromInt64: { readonly [D in DType]: (a: bigint) => Scalar } = {
  bool: (a) => (a !== 0n ? 1 : 0),
  uint8: (a) => Number(BigInt.asUintN(8, a)),
  int8: (a) => Number(BigInt.asIntN(8, a)),
  int16: (a) => Number(BigInt.asIntN(16, a)),
  int32: (a) => Number(BigInt.asIntN(32, a)),
  int64: (a) => a,
  float16: (a) => intrinsics.roundToFloat16(Number(a)),
  float32: intrinsics.int64ToFloat32,
  float64: Number,
};

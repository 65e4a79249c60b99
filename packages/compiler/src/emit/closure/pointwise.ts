/**
 * The pointwise ops as loops over columns, for hosts where `new Function` is forbidden, and as the oracle in tests. They compute
 * the same bits as the text in ../js/pointwise.ts, which also says how the values of each dtype are held.
 *
 * Each op has a loop of its own. V8 specialises a function for the kinds of arrays and callees it has seen; a single loop that
 * calls a given op would take 20 times as long. For the same reason there are only two kinds of columns.
 */
import { type DType, dtypes, isFloat, type PointwiseOp, pointwiseNames } from "@fuseau/ir";
import { intrinsics } from "../intrinsics/index.ts";
import { type Column, columnOf, type Numbers, type Words } from "./columns.ts";

/** Computes the first n elements of `out`; columns beyond the op's arity are ignored. */
export type Loop = (out: Column, a: Column, b: Column, c: Column, n: number) => void;

type OnNumbers = (o: Numbers, a: Numbers, b: Numbers, c: Numbers, n: number) => void;
type OnWords = (o: Words, a: Words, b: Words, c: Words, n: number) => void;
type Choose = (from: DType, to: DType) => Loop;

/**
 * The dtype determines the kind of a column, and the verifier has checked the dtypes. These functions tell that to the type
 * checker, so that no element needs a test.
 */
const numbers = (loop: OnNumbers): Loop => loop as Loop;
const words = (loop: OnWords): Loop => loop as Loop;

// biome-ignore format: a loop on each line
const or: OnNumbers = (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! | b[i]!; };
// biome-ignore format: a loop on each line
const and: OnNumbers = (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! & b[i]!; };
// biome-ignore format: a loop on each line
const xor: OnNumbers = (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! ^ b[i]!; };
// biome-ignore format: a loop on each line
const not: OnNumbers = (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! ^ 1; };
const copy: OnNumbers = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = a[i]!;
};
const copyWords: OnWords = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = a[i]!;
};
const all =
  (value: number): Loop =>
  (o, _, __, ___, n) => {
    (o as Numbers).fill(value, 0, n);
  };

// biome-ignore format: a loop on each line
const loops: { readonly [Op in PointwiseOp]: Choose } = {
  add: arithmetic({
    bool: or,
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]!; },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = BigInt.asIntN(64, a[i]! + b[i]!); },
  }),
  sub: arithmetic({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! - b[i]!; },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = BigInt.asIntN(64, a[i]! - b[i]!); },
  }),
  mul: arithmetic({
    bool: and,
    int: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.imul(a[i]!, b[i]!); },
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! * b[i]!; },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = BigInt.asIntN(64, a[i]! * b[i]!); },
  }),
  div: arithmetic({ number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! / b[i]!; } }),
  floorDivide: (d) =>
    d === "float64"
      ? numbers((o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.floorDivide(a[i]!, b[i]!); })
      : arithmetic({
          float: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.floorDivideFloat32(a[i]!, b[i]!); },
          number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.floorDivideInt(a[i]!, b[i]!); },
          int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.floorDivideInt64(a[i]!, b[i]!); },
        })(d, d),
  truncDivide: (d) =>
    d === "float64"
      ? numbers((o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.trunc(a[i]! / b[i]!); })
      : arithmetic({
          float: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.trunc(Math.fround(a[i]! / b[i]!)); },
          number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.truncDivideInt(a[i]!, b[i]!); },
          int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.truncDivideInt64(a[i]!, b[i]!); },
        })(d, d),
  remainder: arithmetic({
    int: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.remainderInt(a[i]!, b[i]!); },
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.remainder(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.remainderInt64(a[i]!, b[i]!); },
  }),
  fmod: arithmetic({
    int: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.fmodInt(a[i]!, b[i]!); },
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! % b[i]!; },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.fmodInt64(a[i]!, b[i]!); },
  }),
  pow: arithmetic({
    int: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.powInt(a[i]!, b[i]!); },
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.pow(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.powInt64(a[i]!, b[i]!); },
  }),
  // The result is one of the operands, so it needs no rounding. NaN wins, and −0 is less than 0.
  maximum: exact({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.max(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!; },
  }),
  minimum: exact({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.min(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!; },
  }),
  fmax: exact({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) { const x = a[i]!; const y = b[i]!; o[i] = Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y); } },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!; },
  }),
  fmin: exact({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) { const x = a[i]!; const y = b[i]!; o[i] = Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y); } },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!; },
  }),
  atan2: arithmetic({ number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = Math.atan2(a[i]!, b[i]!); } }),
  hypot: arithmetic({ number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.hypot(a[i]!, b[i]!); } }),
  copysign: arithmetic({ number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.copysign(a[i]!, b[i]!); } }),
  nextafter: (d) =>
    numbers(
      d === "float64"
        ? (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.nextafterFloat64(a[i]!, b[i]!); }
        : d === "float32"
          ? (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.nextafterFloat32(a[i]!, b[i]!); }
          : (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.nextafterFloat16(a[i]!, b[i]!); },
    ),
  gcd: arithmetic({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.gcdInt(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.gcdInt64(a[i]!, b[i]!); },
  }),
  lcm: arithmetic({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.lcmInt(a[i]!, b[i]!); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.lcmInt64(a[i]!, b[i]!); },
  }),
  neg: arithmetic({
    number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = -a[i]!; },
    int64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = BigInt.asIntN(64, -a[i]!); },
  }),
  abs: arithmetic({
    number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.abs(a[i]!); },
    int64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = BigInt.asIntN(64, a[i]! < 0n ? -a[i]! : a[i]!); },
  }),
  sign: exact({
    number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > 0 ? 1 : a[i]! < 0 ? -1 : 0; },
    int64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > 0n ? 1n : a[i]! < 0n ? -1n : 0n; },
  }),
  // relu(−0) is −0, as PyTorch's; Math.max(−0, 0) is 0.
  relu: exact({
    number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < 0 ? 0 : a[i]!; },
    int64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < 0n ? 0n : a[i]!; },
  }),

  // Integers are whole already.
  floor: exact({ int: copy, number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.floor(a[i]!); }, int64: copyWords }),
  ceil: exact({ int: copy, number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.ceil(a[i]!); }, int64: copyWords }),
  trunc: exact({ int: copy, number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.trunc(a[i]!); }, int64: copyWords }),
  round: exact({ int: copy, number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.roundHalfEven(a[i]!); }, int64: copyWords }),

  sqrt: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.sqrt(a[i]!); } }),
  rsqrt: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = 1 / Math.sqrt(a[i]!); } }),
  reciprocal: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = 1 / a[i]!; } }),
  exp: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.exp(a[i]!); } }),
  exp2: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.exp2(a[i]!); } }),
  expm1: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.expm1(a[i]!); } }),
  log: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.log(a[i]!); } }),
  log2: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.log2(a[i]!); } }),
  log10: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.log10(a[i]!); } }),
  log1p: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.log1p(a[i]!); } }),
  sigmoid: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = 1 / (1 + Math.exp(-a[i]!)); } }),

  sin: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.sin(a[i]!); } }),
  cos: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.cos(a[i]!); } }),
  tan: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.tan(a[i]!); } }),
  asin: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.asin(a[i]!); } }),
  acos: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.acos(a[i]!); } }),
  atan: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.atan(a[i]!); } }),
  sinh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.sinh(a[i]!); } }),
  cosh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.cosh(a[i]!); } }),
  tanh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.tanh(a[i]!); } }),
  asinh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.asinh(a[i]!); } }),
  acosh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.acosh(a[i]!); } }),
  atanh: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.atanh(a[i]!); } }),

  erf: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.erf(a[i]!); } }),
  erfc: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.erfc(a[i]!); } }),
  erfinv: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.erfinv(a[i]!); } }),
  ndtri: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.ndtri(a[i]!); } }),
  lgamma: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.lgamma(a[i]!); } }),
  digamma: arithmetic({ number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.digamma(a[i]!); } }),

  eq: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! === b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! === b[i]! ? 1 : 0; },
  ),
  ne: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! !== b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! !== b[i]! ? 1 : 0; },
  ),
  lt: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? 1 : 0; },
  ),
  le: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! <= b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! <= b[i]! ? 1 : 0; },
  ),
  gt: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? 1 : 0; },
  ),
  ge: predicate(
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! >= b[i]! ? 1 : 0; },
    (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! >= b[i]! ? 1 : 0; },
  ),
  isnan: (d) => (isFloat(d) ? numbers((o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Number.isNaN(a[i]!) ? 1 : 0; }) : all(0)),
  isinf: (d) => (isFloat(d) ? numbers((o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Math.abs(a[i]!) === Infinity ? 1 : 0; }) : all(0)),
  isfinite: (d) => (isFloat(d) ? numbers((o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Number.isFinite(a[i]!) ? 1 : 0; }) : all(1)),
  signbit: predicate(
    (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < 0 || (a[i]! === 0 && 1 / a[i]! < 0) ? 1 : 0; },
    (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < 0n ? 1 : 0; },
  ),

  logicalAnd: () => numbers(and),
  logicalOr: () => numbers(or),
  logicalXor: () => numbers(xor),
  logicalNot: () => numbers(not),
  bitwiseAnd: exact({ number: and, int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! & b[i]!; } }),
  bitwiseOr: exact({ number: or, int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! | b[i]!; } }),
  bitwiseXor: exact({ number: xor, int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! ^ b[i]!; } }),
  bitwiseNot: arithmetic({
    bool: not,
    number: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = ~a[i]!; },
    int64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = ~a[i]!; },
  }),
  bitwiseLeftShift: arithmetic({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = b[i]! >>> 0 < 32 ? a[i]! << b[i]! : 0; },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = b[i]! >= 0n && b[i]! < 64n ? BigInt.asIntN(64, a[i]! << b[i]!) : 0n; },
  }),
  bitwiseRightShift: arithmetic({
    number: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! >> (b[i]! >>> 0 < 31 ? b[i]! : 31); },
    int64: (o, a, b, _, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! >> (b[i]! >= 0n && b[i]! < 63n ? b[i]! : 63n); },
  }),

  where: (d) =>
    d === "int64"
      ? ((o: Words, a: Numbers, b: Words, c: Words, n: number) => { for (let i = 0; i < n; i++) o[i] = a[i]! !== 0 ? b[i]! : c[i]!; }) as Loop
      : numbers((o, a, b, c, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! !== 0 ? b[i]! : c[i]!; }),
  cast,

  randomNormal: () => numbers((o, a, b, c, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.randomNormal(a[i]!, b[i]!, c[i]!); }),
  randomWord: () => numbers((o, a, b, c, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.randomWord(a[i]!, b[i]!, c[i]!); }),
};

/** The loop of one op. `from` is the dtype computed in (of a cast: the source's), `to` the result's. */
export const pointwiseLoop = (op: PointwiseOp, from: DType, to: DType): Loop => loops[op](from, to);

type Wrap = (o: Numbers, n: number) => void;

/** Converts numbers to values of the dtype, in place: wraps integers, rounds floats. */
// biome-ignore format: a loop on each line
const wraps: { readonly [D in DType]: Wrap | null } = {
  bool: null,
  uint8: (o, n) => { for (let i = 0; i < n; i++) o[i] = o[i]! & 255; },
  int8: (o, n) => { for (let i = 0; i < n; i++) o[i] = (o[i]! << 24) >> 24; },
  int16: (o, n) => { for (let i = 0; i < n; i++) o[i] = (o[i]! << 16) >> 16; },
  int32: (o, n) => { for (let i = 0; i < n; i++) o[i] = o[i]! | 0; },
  int64: null,
  float16: (o, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.roundToFloat16(Math.fround(o[i]!)); },
  float32: (o, n) => { for (let i = 0; i < n; i++) o[i] = Math.fround(o[i]!); },
  float64: null,
};

/** A loop followed by the conversion of its results to a dtype. */
export function wrapped(dtype: DType, loop: Loop): Loop {
  const wrap = wraps[dtype];
  if (wrap === null) return loop;
  return (o, a, b, c, n) => {
    loop(o, a, b, c, n);
    wrap(o as Numbers, n);
  };
}

/** A loop for each kind of dtype; one for a category replaces `number`, where they differ. */
interface Kinds {
  readonly number: OnNumbers;
  readonly float?: OnNumbers;
  readonly bool?: OnNumbers;
  readonly int?: OnNumbers;
  /** It wraps its results itself. */
  readonly int64?: OnWords;
}

/** An op whose results are values of the dtype already. */
function exact(kinds: Kinds): (dtype: DType) => Loop {
  return (dtype) => {
    if (dtype === "int64") return words(kinds.int64 ?? noInt64);
    return numbers(kinds[dtypes[dtype].category] ?? kinds.number);
  };
}

/** An op whose exact results must be converted to the dtype. */
function arithmetic(kinds: Kinds): (dtype: DType, to?: DType) => Loop {
  const choose = exact(kinds);
  return (dtype) => wrapped(dtype, choose(dtype));
}

function noInt64(): never {
  throw new TypeError("this op is not defined on int64");
}

function predicate(
  ofNumbers: OnNumbers,
  ofWords: (o: Numbers, a: Words, b: Words, c: Column, n: number) => void,
): Choose {
  return (from) => (from === "int64" ? (ofWords as Loop) : numbers(ofNumbers));
}

/** Conversions, as ../js/pointwise.ts describes them. */
function cast(from: DType, to: DType): Loop {
  if (from === to) return from === "int64" ? words(copyWords) : numbers(copy);
  if (from === "int64") return wrapped(to, fromInt64[to] as Loop);
  if (to === "int64") return (isFloat(from) ? floatToWords : integerToWords) as Loop;
  if (to === "bool") return numbers(truth);
  return wrapped(to, numbers(copy));
}

type FromWords = (o: Numbers, a: Words, b: Column, c: Column, n: number) => void;
type ToWords = (o: Words, a: Numbers, b: Column, c: Column, n: number) => void;

const truth: OnNumbers = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = a[i]! !== 0 ? 1 : 0;
};
export const integerToWords: ToWords = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = BigInt(a[i]!);
};
const floatToWords: ToWords = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = intrinsics.floatToInt64(a[i]!);
};
/** A narrower dtype wraps them further. */
const lowWord: FromWords = (o, a, _, __, n) => {
  for (let i = 0; i < n; i++) o[i] = Number(BigInt.asIntN(32, a[i]!));
};
// biome-ignore format: a loop on each line
const fromInt64: { readonly [D in DType]: FromWords } = {
  bool: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! !== 0n ? 1 : 0; },
  uint8: lowWord,
  int8: lowWord,
  int16: lowWord,
  int32: lowWord,
  int64: copyWords as Loop,
  // Finite float16 are below 2^17, which Number keeps exactly.
  float16: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Number(a[i]!); },
  float32: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = intrinsics.int64ToFloat32(a[i]!); },
  float64: (o, a, _, __, n) => { for (let i = 0; i < n; i++) o[i] = Number(a[i]!); },
};

/** A single element: a BigInt for int64, else a number. */
export type Scalar = number | bigint;
/** An op on scalars; those beyond its arity are ignored. */
export type ScalarFunction = (a: Scalar, b?: Scalar, c?: Scalar) => Scalar;

/** The ops on single elements, for constants and for tests: a loop over columns of one. */
export const closurePointwise = Object.fromEntries(
  pointwiseNames.map((op) => [op, (from: DType, to: DType) => scalarFunction(op, from, to)]),
) as { readonly [Op in PointwiseOp]: (from: DType, to: DType) => ScalarFunction };

function scalarFunction(op: PointwiseOp, from: DType, to: DType): ScalarFunction {
  const loop = loops[op](from, to);
  const [out, a, b, c] = [to, op === "where" ? "bool" : from, from, from].map((dtype) =>
    columnOf(dtype as DType, 1),
  ) as [Column, Column, Column, Column];
  return (x, y, z) => {
    a[0] = x;
    if (y !== undefined) b[0] = y;
    if (z !== undefined) c[0] = z;
    loop(out, a, b, c, 1);
    return out[0] as Scalar;
  };
}

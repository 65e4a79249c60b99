/**
 * What each pointwise op that is exact gives for one element, as plainly as possible and by none of the compiler's code: integers are
 * computed without bounds and wrapped, floats are computed in float64 and rounded.
 */
import { type DType, isFloat, type PointwiseOp } from "@fuseau/ir";

type Element = number | bigint;

/** Null for functions of floats that are approximated: their last bits are an emitter's own. */
export function plainPointwise(
  op: PointwiseOp,
  from: DType,
  to: DType,
): ((...x: Element[]) => Element) | null {
  if (op === "cast") return (x) => cast(x as Element, from, to);
  if (op === "where") return (test, a, b) => (test === 0 ? b : a) as Element;
  if (op === "randomWord")
    return (counter, low, high) => randomWord(Number(counter), Number(low), Number(high));
  const compare = comparisons[op];
  if (compare !== undefined) return (a, b) => (compare(a as Element, b as Element) ? 1 : 0);
  if (isFloat(from)) {
    const f = floats[op];
    return f === undefined ? null : (a, b) => rounded(to, f(a as number, b as number, from));
  }
  const f = from === "bool" ? bools[op] : integers[op];
  if (f === undefined) return null;
  const width = from === "int64" ? 64 : 32;
  return (a, b) => wrapped(to, f(BigInt(a as Element), BigInt(b ?? 0), width));
}

// Conversions

function cast(x: Element, from: DType, to: DType): Element {
  if (to === "bool") return Number(x) === 0 ? 0 : 1;
  if (isFloat(to)) return rounded(to, typeof x === "bigint" && to !== "float64" ? toFloat32(x) : Number(x));
  if (isFloat(from) && !Number.isFinite(x)) return wrapped(to, 0n);
  return wrapped(to, BigInt(typeof x === "bigint" ? x : Math.trunc(x)));
}

const bits = { bool: 1, uint8: 8, int8: 8, int16: 16, int32: 32, int64: 64 } as const;

function wrapped(dtype: DType, x: bigint): Element {
  if (isFloat(dtype)) throw new Error(`an integer in ${dtype}`);
  if (dtype === "int64") return BigInt.asIntN(64, x);
  const isSigned = dtype !== "uint8" && dtype !== "bool";
  return Number((isSigned ? BigInt.asIntN : BigInt.asUintN)(bits[dtype], x));
}

export function rounded(dtype: DType, x: number): number {
  if (dtype === "float32") return Math.fround(x);
  return dtype === "float16" ? toFloat16(Math.fround(x)) : x;
}

function toFloat16(x: number): number {
  if (!(Math.abs(x) < 65_520)) return x * Infinity;
  return x === 0 ? x : halfEven(x / spacing16(x)) * spacing16(x);
}

/** From one float16 to the next outward one. */
const spacing16 = (x: number): number => 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(x)))) - 10);

/** With one rounding: Number would round to float64 first. */
function toFloat32(x: bigint): number {
  const size = x < 0n ? -x : x;
  const spare = Math.max(0, size.toString(2).length - 24);
  const unit = 1n << BigInt(spare);
  const rest = 2n * (size % unit);
  const kept = size / unit;
  const up = rest > unit || (rest === unit && kept % 2n === 1n);
  return Number(up ? kept + 1n : kept) * 2 ** spare * (x < 0n ? -1 : 1);
}

// Functions

type Comparison = (a: Element, b: Element) => boolean;
const isNegative = (a: Element): boolean => a < 0 || Object.is(a, -0);

const comparisons: { readonly [Op in PointwiseOp]?: Comparison } = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  isnan: (a) => Number.isNaN(a),
  isinf: (a) => a === Infinity || a === -Infinity,
  isfinite: (a) => typeof a === "bigint" || Number.isFinite(a),
  signbit: isNegative,
  logicalAnd: (a, b) => a === 1 && b === 1,
  logicalOr: (a, b) => a === 1 || b === 1,
  logicalXor: (a, b) => a !== b,
  logicalNot: (a) => a === 0,
};

const abs = (a: bigint): bigint => (a < 0n ? -a : a);
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? abs(a) : gcd(b, a % b));
const isWithin = (amount: bigint, width: number): boolean => amount >= 0n && amount < BigInt(width);

function power(a: bigint, b: bigint): bigint {
  if (b < 0n) return abs(a) !== 1n ? 0n : b % 2n === 0n ? 1n : a;
  let result = 1n;
  for (const bit of b.toString(2)) result = BigInt.asIntN(64, result * result * (bit === "1" ? a : 1n));
  return result;
}

/** `width` is how many bits are computed in. */
type OnIntegers = (a: bigint, b: bigint, width: number) => bigint;

const integers: { readonly [Op in PointwiseOp]?: OnIntegers } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  floorDivide: (a, b) => (a - (((a % b) + b) % b)) / b,
  truncDivide: (a, b) => a / b,
  remainder: (a, b) => ((a % b) + b) % b,
  fmod: (a, b) => a % b,
  pow: power,
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  fmax: (a, b) => (a > b ? a : b),
  fmin: (a, b) => (a < b ? a : b),
  gcd,
  lcm: (a, b, width) => (a === 0n && b === 0n ? 0n : abs(BigInt.asIntN(width, (a / gcd(a, b)) * b))),
  neg: (a) => -a,
  abs,
  sign: (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n),
  relu: (a) => (a < 0n ? 0n : a),
  floor: (a) => a,
  ceil: (a) => a,
  trunc: (a) => a,
  round: (a) => a,
  bitwiseAnd: (a, b) => a & b,
  bitwiseOr: (a, b) => a | b,
  bitwiseXor: (a, b) => a ^ b,
  bitwiseNot: (a) => ~a,
  bitwiseLeftShift: (a, b, width) => (isWithin(b, width) ? a << b : 0n),
  bitwiseRightShift: (a, b, width) => a >> (isWithin(b, width) ? b : BigInt(width)),
};

const bools: { readonly [Op in PointwiseOp]?: OnIntegers } = {
  ...integers,
  add: (a, b) => a | b,
  mul: (a, b) => a & b,
  bitwiseNot: (a) => 1n - a,
};

/** To the nearest whole number, of two the even one. */
function halfEven(x: number): number {
  const below = Math.floor(x);
  const beyond = x - below;
  const whole = beyond < 0.5 || (beyond === 0.5 && below % 2 === 0) ? below : below + 1;
  return whole === 0 ? copysign(0, x) : whole;
}

const copysign = (x: number, y: number): number => (isNegative(y) ? -Math.abs(x) : Math.abs(x));

function remainder(x: number, y: number): number {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
}

/** As PyTorch's div_floor_floating: each step is rounded to the dtype. */
function floorDivide(x: number, y: number, dtype: DType): number {
  const round = dtype === "float64" ? (value: number): number => value : Math.fround;
  if (y === 0) return x / y;
  const rest = x % y;
  const exact = round(round(x - rest) / y);
  const quotient = rest !== 0 && rest < 0 !== y < 0 ? round(exact - 1) : exact;
  if (quotient === 0) return copysign(0, x / y);
  const below = Math.floor(quotient);
  return round(quotient - below) > 0.5 ? round(below + 1) : below;
}

function nextafter(x: number, y: number, dtype: DType): number {
  if (x === y) return y;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === 0)
    return copysign(dtype === "float16" ? 2 ** -24 : dtype === "float32" ? 2 ** -149 : 2 ** -1074, y);
  const isOutward = y > x === x > 0;
  if (dtype === "float16") {
    const size = Math.abs(x);
    if (size === Infinity) return copysign(65_504, x);
    const isFirst = size > 2 ** -14 && Math.log2(size) % 1 === 0;
    const next = isOutward ? size + spacing16(x) : size - spacing16(x) / (isFirst ? 2 : 1);
    return copysign(next > 65_504 ? Infinity : next, x);
  }
  const view = new DataView(new ArrayBuffer(8));
  const step = isOutward ? 1 : -1;
  if (dtype === "float32") {
    view.setFloat32(0, x);
    view.setInt32(0, view.getInt32(0) + step);
    return view.getFloat32(0);
  }
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(step));
  return view.getFloat64(0);
}

type OnFloats = (a: number, b: number, dtype: DType) => number;

const floats: { readonly [Op in PointwiseOp]?: OnFloats } = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  floorDivide,
  truncDivide: (a, b, dtype) => Math.trunc(dtype === "float64" ? a / b : Math.fround(a / b)),
  remainder,
  fmod: (a, b) => a % b,
  maximum: (a, b) => Math.max(a, b),
  minimum: (a, b) => Math.min(a, b),
  fmax: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  fmin: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
  copysign,
  nextafter,
  neg: (a) => -a,
  abs: Math.abs,
  sign: (a) => (a > 0 ? 1 : a < 0 ? -1 : 0),
  relu: (a) => (a < 0 ? 0 : a),
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: halfEven,
  sqrt: Math.sqrt,
  reciprocal: (a) => 1 / a,
};

/** Philox 4x32 in ten rounds (Salmon and others, 2011): word number `counter` of a stream. */
function randomWord(counter: number, low: number, high: number): number {
  const word = (x: bigint): bigint => BigInt.asUintN(32, x);
  const block = BigInt(Math.floor(counter / 4));
  let words = [word(block), word(block >> 32n), 0n, 0n] as [bigint, bigint, bigint, bigint];
  let keys = [word(BigInt(low)), word(BigInt(high))] as [bigint, bigint];
  for (let round = 0; round < 10; round++) {
    const [first, second] = [words[0] * 0xd2511f53n, words[2] * 0xcd9e8d57n];
    words = [
      (second >> 32n) ^ words[1] ^ keys[0],
      word(second),
      (first >> 32n) ^ words[3] ^ keys[1],
      word(first),
    ];
    keys = [word(keys[0] + 0x9e3779b9n), word(keys[1] + 0xbb67ae85n)];
  }
  return Number(words[counter % 4]);
}

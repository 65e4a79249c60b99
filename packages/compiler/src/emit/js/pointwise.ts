/**
 * The pointwise ops as JavaScript text: what a person would write in the inner loop for these dtypes. Each text computes one op
 * and converts the result to a value of its dtype. So a fused chain computes the same bits as the ops one by one.
 * ../closure/pointwise.ts is the same over columns, and the tests compare them.
 *
 * Values: bool is 0 or 1; uint8 … int32 are integers in range; int64 is a BigInt; float32 and float16 are numbers that those
 * formats represent. Dtypes that an op refuses do not occur: the verifier checks that.
 *
 * The only free names in a text are those of {@link jsRuntime}, NaN and Infinity. {@link jsNames} finds them, and the emitter
 * passes them as parameters of `new Function`.
 */
import {
  allocate,
  type Combiner,
  combinerOps,
  type DType,
  dtypes,
  InternalError,
  isFloat,
  isUnsigned,
  type PointwiseOp,
} from "@fuseau/ir";
import { type IntrinsicName, intrinsics } from "../intrinsics/index.ts";

// biome-ignore format: a list of names
const mathNames = [
  "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor",
  "fround", "imul", "log", "log10", "log1p", "log2", "max", "min", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
] as const;
type MathName = (typeof mathNames)[number];

/** A name that the texts may call. */
type JsRuntimeName = IntrinsicName | MathName | "allocate" | "asIntN" | "asUintN" | "BigInt" | "Number";

/** Everything that the texts may call. V8 inlines Math's functions under these names too. */
export const jsRuntime: { readonly [Name in JsRuntimeName]: (...args: never[]) => unknown } = {
  ...(Object.fromEntries(mathNames.map((name) => [name, Math[name]])) as Pick<Math, MathName>),
  ...intrinsics,
  allocate,
  asIntN: BigInt.asIntN,
  asUintN: BigInt.asUintN,
  BigInt,
  Number,
};

/** The names of {@link jsRuntime} that a text calls, each once, in order of appearance. */
export function jsNames(text: string): JsRuntimeName[] {
  const called = text.match(/\b[A-Za-z]\w*(?=\()/g) ?? [];
  return [...new Set(called)].filter((name): name is JsRuntimeName => Object.hasOwn(jsRuntime, name));
}

/** The text of one op on argument texts. `from` is the dtype computed in (of a cast: the source's), `to` the result's. */
type JsPointwise = (args: readonly string[], from: DType, to: DType) => string;

// biome-ignore format: a list of names
const called = [
  "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
  "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "ndtri", "lgamma", "digamma",
] as const;

/** Functions of one number by the names of their ops. */
const callsByName = Object.fromEntries(
  called.map((name) => [name, unary((a, d) => wrap(d, call(name, a)))]),
) as Readonly<Record<(typeof called)[number], JsPointwise>>;

/** Arguments must be identifiers or constants printed by {@link jsConstant}, since a text may repeat them. */
export const jsPointwise: { readonly [Op in PointwiseOp]: JsPointwise } = {
  ...callsByName,

  add: binary((a, b, d) => (d === "bool" ? `(${a} | ${b})` : wrap(d, `${a} + ${b}`))),
  sub: binary((a, b, d) => wrap(d, `${a} - ${b}`)),
  mul: binary((a, b, d) => {
    if (d === "bool") return `(${a} & ${b})`;
    if (isFloat(d) || d === "int64") return wrap(d, `${a} * ${b}`);
    const product = call("imul", a, b);
    return d === "int32" ? product : wrap(d, product);
  }),
  div: binary((a, b, d) => wrap(d, `${a} / ${b}`)),
  floorDivide: binary((a, b, d) => {
    if (d === "float64") return call("floorDivide", a, b);
    if (d === "float32") return call("floorDivideFloat32", a, b);
    if (d === "float16") return wrap(d, call("floorDivideFloat32", a, b));
    return integerCall("floorDivideInt", "floorDivideInt64", a, b, d);
  }),
  truncDivide: binary((a, b, d) => {
    if (d === "float64") return call("trunc", `${a} / ${b}`);
    if (d === "float32") return call("trunc", call("fround", `${a} / ${b}`));
    if (d === "float16") return wrap(d, call("trunc", call("fround", `${a} / ${b}`)));
    return integerCall("truncDivideInt", "truncDivideInt64", a, b, d);
  }),
  remainder: binary((a, b, d) =>
    isFloat(d)
      ? wrap(d, call("remainder", a, b))
      : d === "int64"
        ? call("remainderInt64", a, b)
        : call("remainderInt", a, b),
  ),
  fmod: binary((a, b, d) =>
    isFloat(d) ? `(${a} % ${b})` : d === "int64" ? call("fmodInt64", a, b) : call("fmodInt", a, b),
  ),
  pow: binary((a, b, d) =>
    isFloat(d) ? wrap(d, call("pow", a, b)) : integerCall("powInt", "powInt64", a, b, d),
  ),
  // Math.max and min: NaN wins, and −0 is less than 0, as in WebAssembly's f32x4.max.
  maximum: binary((a, b, d) => (isFloat(d) ? call("max", a, b) : `(${a} > ${b} ? ${a} : ${b})`)),
  minimum: binary((a, b, d) => (isFloat(d) ? call("min", a, b) : `(${a} < ${b} ? ${a} : ${b})`)),
  fmax: binary((a, b, d) =>
    isFloat(d)
      ? `(${a} !== ${a} ? ${b} : ${b} !== ${b} ? ${a} : max(${a}, ${b}))`
      : `(${a} > ${b} ? ${a} : ${b})`,
  ),
  fmin: binary((a, b, d) =>
    isFloat(d)
      ? `(${a} !== ${a} ? ${b} : ${b} !== ${b} ? ${a} : min(${a}, ${b}))`
      : `(${a} < ${b} ? ${a} : ${b})`,
  ),
  atan2: binary((a, b, d) => wrap(d, call("atan2", a, b))),
  hypot: binary((a, b, d) => wrap(d, call("hypot", a, b))),
  copysign: binary((a, b) => call("copysign", a, b)),
  nextafter: binary((a, b, d) => {
    if (d === "float64") return call("nextafterFloat64", a, b);
    return d === "float32" ? call("nextafterFloat32", a, b) : call("nextafterFloat16", a, b);
  }),
  gcd: binary((a, b, d) => integerCall("gcdInt", "gcdInt64", a, b, d)),
  lcm: binary((a, b, d) => integerCall("lcmInt", "lcmInt64", a, b, d)),
  neg: unary((a, d) => (isFloat(d) ? `(-${a})` : wrap(d, `-${a}`))),
  abs: unary((a, d) => {
    if (isFloat(d)) return call("abs", a);
    if (isUnsigned(d)) return a;
    return wrap(d, d === "int64" ? `${a} < 0n ? -${a} : ${a}` : call("abs", a));
  }),
  sign: unary((a, d) => {
    if (isUnsigned(d)) return d === "bool" ? a : `(${a} > 0 ? 1 : 0)`;
    return d === "int64" ? `(${a} > 0n ? 1n : ${a} < 0n ? -1n : 0n)` : `(${a} > 0 ? 1 : ${a} < 0 ? -1 : 0)`;
  }),
  relu: unary((a, d) => (isUnsigned(d) ? a : `(${a} < ${zero(d)} ? ${zero(d)} : ${a})`)), // relu(−0) is −0, as PyTorch's

  floor: unary((a, d) => (isFloat(d) ? call("floor", a) : a)),
  ceil: unary((a, d) => (isFloat(d) ? call("ceil", a) : a)),
  trunc: unary((a, d) => (isFloat(d) ? call("trunc", a) : a)),
  round: unary((a, d) => (isFloat(d) ? call("roundHalfEven", a) : a)),

  rsqrt: unary((a, d) => wrap(d, `1 / ${call("sqrt", a)}`)),
  reciprocal: unary((a, d) => wrap(d, `1 / ${a}`)),
  sigmoid: unary((a, d) => wrap(d, `1 / (1 + ${call("exp", `-${a}`)})`)), // 0 where exp overflows, which is right

  // Computed as a number, without a branch: 4 times as fast on random data.
  eq: binary((a, b) => `(${a} === ${b} | 0)`),
  ne: binary((a, b) => `(${a} !== ${b} | 0)`),
  lt: binary((a, b) => `(${a} < ${b} | 0)`),
  le: binary((a, b) => `(${a} <= ${b} | 0)`),
  gt: binary((a, b) => `(${a} > ${b} | 0)`),
  ge: binary((a, b) => `(${a} >= ${b} | 0)`),
  isnan: unary((a, d) => (isFloat(d) ? `(${a} !== ${a} ? 1 : 0)` : "0")),
  isinf: unary((a, d) => (isFloat(d) ? `(${a} === Infinity || ${a} === -Infinity ? 1 : 0)` : "0")),
  isfinite: unary((a, d) => (isFloat(d) ? `(${a} - ${a} === 0 ? 1 : 0)` : "1")),
  signbit: unary((a, d) => {
    if (isFloat(d)) return `(${a} < 0 || (${a} === 0 && 1 / ${a} < 0) ? 1 : 0)`;
    return isUnsigned(d) ? "0" : `(${a} < ${zero(d)} ? 1 : 0)`;
  }),

  logicalAnd: binary((a, b) => `(${a} & ${b})`),
  logicalOr: binary((a, b) => `(${a} | ${b})`),
  logicalXor: binary((a, b) => `(${a} ^ ${b})`),
  logicalNot: unary((a) => `(${a} ^ 1)`),
  bitwiseAnd: binary((a, b) => `(${a} & ${b})`),
  bitwiseOr: binary((a, b) => `(${a} | ${b})`),
  bitwiseXor: binary((a, b) => `(${a} ^ ${b})`),
  bitwiseNot: unary((a, d) => (d === "bool" ? `(${a} ^ 1)` : d === "uint8" ? `(${a} ^ 255)` : `(~${a})`)),
  // A shift by the width or more, or by a negative count, gives 0; a right shift gives the sign.
  bitwiseLeftShift: binary((a, b, d) =>
    d === "int64"
      ? `(${b} >= 0n && ${b} < 64n ? asIntN(64, ${a} << ${b}) : 0n)`
      : `(${b} >>> 0 < 32 ? ${d === "int32" ? `${a} << ${b}` : wrap(d, `${a} << ${b}`)} : 0)`,
  ),
  bitwiseRightShift: binary((a, b, d) =>
    d === "int64"
      ? `(${a} >> (${b} >= 0n && ${b} < 63n ? ${b} : 63n))`
      : `(${a} >> (${b} >>> 0 < 31 ? ${b} : 31))`,
  ),

  where: (args) => `(${argument(args, 0)} ? ${argument(args, 1)} : ${argument(args, 2)})`,
  cast: (args, from, to) => cast(argument(args, 0), from, to),

  randomNormal: (args) => call("randomNormal", argument(args, 0), argument(args, 1), argument(args, 2)),
  randomWord: (args) => call("randomWord", argument(args, 0), argument(args, 1), argument(args, 2)),
};

/** The text that reads one element, given the text of the array element. float16 is decoded. */
export const jsLoad = (dtype: DType, element: string): string =>
  dtype === "float16" ? call("float16FromBits", element) : element;

/** The text that writes one element, an expression without a semicolon. */
export const jsStore = (dtype: DType, element: string, value: string): string =>
  `${element} = ${dtype === "float16" ? call("float16ToBits", value) : value}`;

/**
 * The one function that prints constants. The text evaluates to `value` bit for bit; negative ones are in parentheses.
 * @throws InternalError unless `value` is one of the dtype's own values: a BigInt for int64, else a number in its range.
 */
export function jsConstant(value: number | bigint, dtype: DType): string {
  if (!represents(dtype, value))
    throw new InternalError(`a constant of dtype ${dtype} cannot be the ${typeof value} ${String(value)}`);
  if (typeof value === "bigint") return value < 0n ? `(${value}n)` : `${value}n`;
  return Object.is(value, -0) ? "(-0)" : value < 0 ? `(${value})` : `${value}`;
}

function represents(dtype: DType, value: unknown): value is number | bigint {
  if (dtype === "int64") return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
  if (typeof value !== "number") return false;
  switch (dtype) {
    case "float64":
      return true;
    case "float32":
      return Object.is(Math.fround(value), value);
    case "float16":
      return Object.is(intrinsics.roundToFloat16(value), value);
    default: {
      const bits = dtype === "bool" ? 1 : dtypes[dtype].bytes * 8;
      const low = isUnsigned(dtype) ? 0 : -(2 ** (bits - 1));
      return Number.isInteger(value) && !Object.is(value, -0) && value >= low && value < low + 2 ** bits;
    }
  }
}

const zero = (dtype: DType): string => (dtype === "int64" ? "0n" : "0");

/** A call by name. Its type allows only names that the emitter can bind. */
const call = (name: JsRuntimeName, ...args: readonly string[]): string => `${name}(${args.join(", ")})`;

/** A function of two integers whose result is then wrapped; the BigInt one wraps it itself. */
const integerCall = (
  name: JsRuntimeName,
  name64: JsRuntimeName,
  a: string,
  b: string,
  dtype: DType,
): string => (dtype === "int64" ? call(name64, a, b) : wrap(dtype, call(name, a, b)));

/** Converts the value of an expression to a value of the dtype: wraps integers, rounds floats. */
function wrap(dtype: DType, expression: string): string {
  switch (dtype) {
    case "bool":
    case "float64":
      return `(${expression})`;
    case "uint8":
      return `((${expression}) & 255)`;
    case "int8":
      return `((${expression}) << 24 >> 24)`;
    case "int16":
      return `((${expression}) << 16 >> 16)`;
    case "int32":
      return `((${expression}) | 0)`;
    case "int64":
      return call("asIntN", "64", expression);
    case "float32":
      return call("fround", expression);
    case "float16":
      // float16 is computed in float32. For + − × ÷ √ rounding twice gives the same as rounding once.
      return call("roundToFloat16", call("fround", expression));
  }
}

/**
 * Conversions. A float becomes an integer by truncation, wrapped to the width; NaN and ±∞ become 0. Anything nonzero is true, NaN
 * too. float64 is rounded to float32 before float16, as in PyTorch.
 */
function cast(a: string, from: DType, to: DType): string {
  if (from === to) return a;
  if (to === "bool") return `(${a} !== ${zero(from)} ? 1 : 0)`;
  if (from === "int64") return castFromInt64(a, to);
  switch (to) {
    case "float64":
      return a;
    case "float32":
      return from === "int32" || from === "float64" ? call("fround", a) : a;
    case "float16":
      return from === "bool" || from === "uint8" || from === "int8" ? a : wrap(to, a);
    case "int64":
      return isFloat(from) ? call("floatToInt64", a) : call("BigInt", a);
    default:
      return holds(to, from) ? a : wrap(to, a); // ToInt32 is modular for every finite number, 0 for the others
  }
}

function castFromInt64(a: string, to: DType): string {
  switch (to) {
    case "float64":
      return call("Number", a);
    case "float32":
      return call("int64ToFloat32", a);
    case "float16":
      return call("roundToFloat16", call("Number", a)); // finite results are below 2^17, which Number keeps exactly
    case "uint8":
      return call("Number", call("asUintN", "8", a));
    default:
      return call("Number", call("asIntN", String(dtypes[to].bytes * 8), a));
  }
}

/** True when every value of the number dtype `narrow` is one of `wide`; both are bool or integer. */
const holds = (wide: DType, narrow: DType): boolean =>
  !isFloat(narrow) && (narrow === "bool" || (dtypes[wide].bytes > dtypes[narrow].bytes && wide !== "uint8"));

function unary(text: (a: string, dtype: DType) => string): JsPointwise {
  return (args, from) => text(argument(args, 0), from);
}

function binary(text: (a: string, b: string, dtype: DType) => string): JsPointwise {
  return (args, from) => text(argument(args, 0), argument(args, 1), from);
}

function argument(args: readonly string[], index: number): string {
  const text = args[index];
  if (text === undefined)
    throw new InternalError(`a pointwise op lacks operand ${index}: (${args.join(", ")})`);
  return text;
}

/** The text of the stored value: the new value combined with the one at its place. */
export function jsCombine(combine: Combiner, dtype: DType, element: string, value: string): string {
  if (combine === "set") return value;
  return jsPointwise[combinerOps[combine]]([jsLoad(dtype, element), value], dtype, dtype);
}

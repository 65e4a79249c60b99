/** Operands of recorded ops: values, and plain numbers, which are promoted as PyTorch promotes Python scalars. */
import { roundToFloat16 } from "@fuseau/compiler";
import {
  checkNumber,
  type DType,
  DTypeError,
  type FloatScalar,
  type IntDType,
  isFloat,
  isInt,
  promoteTypes,
  resultType,
  type Scalar,
  showArgument,
  type Weight,
} from "@fuseau/ir";
import { kernelName } from "../messages/called.ts";
import { showGiven } from "../messages/given.ts";
import { cast, constant } from "../record.ts";
import { tracing } from "../tracing.ts";
import { Value } from "../value.ts";

/** A value, or a scalar that becomes a constant of the dtype that it is promoted to. */
export type Term = Value | Scalar;

class Float implements FloatScalar {
  readonly #value: number;
  /** The slot from which a jitted function reads the number at each call; −1 if it is this number always. */
  readonly #slot: number;

  constructor(value: number, slot = -1) {
    this.#value = value;
    this.#slot = slot;
  }

  get float(): number {
    if (this.#slot >= 0 && tracing !== null) tracing.noteRead(this.#slot);
    return this.#value;
  }

  /**
   * JavaScript's operators would make NaN of it.
   * @throws TypeError unless it is converted to text.
   */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return `float(${this.float})`;
    throw new TypeError(
      `float(${this.#value}) is a number for operations on tensors, not for JavaScript's: its \`float\` is the number`,
    );
  }

  /** A constant, or a number that is read at each call. */
  static as(dtype: DType, scalar: Float): Value {
    if (scalar.#slot >= 0 && tracing !== null) return tracing.numberAt(scalar.#slot, dtype);
    return constant(dtype, elementOf(dtype, scalar.#value));
  }
}

/** A floating scalar that may differ between calls of a jitted function. */
export const floatAt = (slot: number, value: number): FloatScalar => new Float(value, slot);

/**
 * Marks a number as a floating scalar: in JavaScript 2.0 is 2, and `x.mul(2)` leaves an int64 tensor int64, where
 * `x.mul(float(2))` gives float32, as `x * 2.0` does in PyTorch.
 */
export function float(value: number): FloatScalar {
  checkNumber("value", value);
  return new Float(value);
}

export const isFloatScalar = (value: unknown): value is FloatScalar => value instanceof Float;

const twoTo63 = 2 ** 63;

/** The dtype that a scalar counts as. An integer-valued number is an integer, as far as int64 goes. */
export function scalarDType(scalar: Scalar): "bool" | "int64" | "float32" {
  switch (typeof scalar) {
    case "number":
      return Number.isInteger(scalar) && scalar >= -twoTo63 && scalar < twoTo63 ? "int64" : "float32";
    case "bigint":
      return "int64";
    case "boolean":
      return "bool";
    default:
      return "float32";
  }
}

/**
 * Refuses what is neither a value nor a scalar, and bigints that no dtype holds.
 * @throws TypeError, RangeError.
 */
export function checkTerm(term: unknown): asserts term is Term {
  if (term instanceof Value || term instanceof Float) return;
  switch (typeof term) {
    case "number":
    case "boolean":
      return;
    case "bigint":
      if (BigInt.asIntN(64, term) === term) return;
      throw new RangeError(`Overflow when unpacking long (${term} does not fit int64)`);
    default:
      throw new TypeError(
        `an operand is a Tensor, a number, a bigint, a boolean or float(2), but got ${showGiven(term)}`,
      );
  }
}

/** The element of `dtype` that `scalar` becomes: integers wrap, bool is 0 or 1, int64 a bigint. */
export function elementOf(dtype: DType, scalar: Scalar): number | bigint {
  const value = typeof scalar === "object" ? scalar.float : scalar;
  switch (dtype) {
    case "bool":
      // NaN is not 0.
      return Number(value) === 0 ? 0 : 1;
    case "int64":
      return BigInt.asIntN(64, integerOf(value));
    case "uint8":
      return typeof value === "bigint" ? Number(BigInt.asUintN(8, value)) : Number(value) & 255;
    case "int8":
      return (toInt32(value) << 24) >> 24;
    case "int16":
      return (toInt32(value) << 16) >> 16;
    case "int32":
      return toInt32(value);
    case "float16":
      return roundToFloat16(Math.fround(Number(value)));
    case "float32":
      return Math.fround(Number(value));
    case "float64":
      return Number(value);
    default:
      return dtype satisfies never;
  }
}

const toInt32 = (value: number | bigint | boolean): number =>
  typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : Number(value) | 0;

/** Rounded toward zero; infinities and NaN become 0. */
const integerOf = (value: number | bigint | boolean): bigint =>
  typeof value === "number" ? (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n) : BigInt(value);

/** What an integer dtype holds. */
export const ranges: { readonly [D in Exclude<IntDType, "int64">]: readonly [number, number] } = {
  // As in PyTorch, the negative of what it holds wraps.
  uint8: [-255, 255],
  int8: [-128, 127],
  int16: [-32768, 32767],
  int32: [-2147483648, 2147483647],
};

/** @throws RangeError for a number that the integer dtype does not hold. A fraction is dropped first. Of uint8, −1 is 255. */
export function checkHolds(dtype: IntDType, value: number | bigint | boolean, which: string): void {
  const number = Number(value);
  if (!Number.isFinite(number)) {
    const name = Number.isNaN(number) ? "NaN" : "infinity";
    throw new RangeError(`cannot convert float ${name} to integer (${which && `${which}, `}dtype ${dtype})`);
  }
  const whole = Math.trunc(number);
  const holds =
    dtype === "int64"
      ? typeof value === "bigint"
        ? BigInt.asIntN(64, value) === value
        : whole >= -twoTo63 && whole < twoTo63
      : whole >= ranges[dtype][0] && whole <= ranges[dtype][1];
  if (holds) return;
  throw new RangeError(
    `value cannot be converted to type ${dtype} without overflow (${which && `${which} is `}${showArgument(value)})`,
  );
}

/** `term` as a value of `dtype`. */
export const as = (dtype: DType, term: Term): Value =>
  term instanceof Value
    ? cast(term, dtype)
    : term instanceof Float
      ? Float.as(dtype, term)
      : constant(dtype, elementOf(dtype, term));

/**
 * The same for a number that no arithmetic is done with: bounds, fillings, factors. Operands of arithmetic wrap.
 * @throws RangeError when it is an integer dtype that does not hold the number (PyTorch: "value cannot be converted to type … without overflow").
 */
export function exactly(dtype: DType, term: Term): Value {
  if (!(term instanceof Value) && isInt(dtype))
    checkHolds(dtype, typeof term === "object" ? term.float : term, "");
  return as(dtype, term);
}

/** The dtype that two operands are promoted to. */
export function promotePair(a: Term, b: Term): DType {
  if (a instanceof Value) {
    if (!(b instanceof Value)) return promoteScalar(a.node.dtype, b);
    const dtype = a.node.dtype;
    return dtype === b.node.dtype ? dtype : resultType([weigh(a), weigh(b)]);
  }
  if (b instanceof Value) return promoteScalar(b.node.dtype, a);
  checkTerm(a);
  checkTerm(b);
  return promoteTypes(scalarDType(a), scalarDType(b));
}

/** A scalar counts only if its category is higher. */
function promoteScalar(dtype: DType, scalar: Scalar): DType {
  checkTerm(scalar);
  if (isFloat(dtype)) return dtype;
  const spoken = scalarDType(scalar);
  return dtype === "bool" || spoken === "float32" ? spoken : dtype;
}

/** The dtype that any operands are promoted to. */
export function promoteAll(terms: readonly Term[]): DType {
  for (const term of terms) checkTerm(term);
  return resultType(terms.map(weigh));
}

const weigh = (term: Term): { readonly dtype: DType; readonly weight: Weight } =>
  term instanceof Value
    ? { dtype: term.node.dtype, weight: term.node.shape.length === 0 ? "zeroDim" : "tensor" }
    : { dtype: scalarDType(term), weight: "scalar" };

/** The names of dtypes in PyTorch's messages. */
export const torchName = {
  bool: "Bool",
  uint8: "Byte",
  int8: "Char",
  int16: "Short",
  int32: "Int",
  int64: "Long",
  float16: "Half",
  float32: "Float",
  float64: "Double",
} as const;
torchName satisfies { readonly [D in DType]: string };

/**
 * `x` itself, which must be floating.
 * @throws DTypeError for an integer or bool, as from PyTorch's kernels for floats only.
 */
export function onlyFloat(x: Value): Value {
  if (isFloat(x.node.dtype)) return x;
  throw new DTypeError(
    `"${kernelName()}" not implemented for '${torchName[x.node.dtype]}' (cast it first, e.g. x.to("float32"))`,
  );
}

/**
 * Refuses two dtypes, where PyTorch does not promote.
 * @throws DTypeError.
 */
export function checkSameDType(a: Value, b: Value): void {
  if (a.node.dtype === b.node.dtype) return;
  throw new DTypeError(
    `expected scalar type ${torchName[a.node.dtype]} but found ${torchName[b.node.dtype]} (operands of ${a.node.dtype} and ${b.node.dtype}; cast one of them)`,
  );
}

/** {@link checkSameDType} of operands that PyTorch names. */
export function checkNamedDTypes([x, y]: readonly [string, string], a: Value, b: Value): void {
  if (a.node.dtype === b.node.dtype) return;
  throw new DTypeError(
    `Expected ${x} and ${y} to have the same dtype, but found ${x} of type ${a.node.dtype} and ${y} of type ${b.node.dtype} instead (cast one of them)`,
  );
}

/** `x` as a float: an integer or bool becomes float32. */
export const floating = (x: Value): Value => (isFloat(x.node.dtype) ? x : cast(x, "float32"));

/** `x` in the given dtype, if there is one. */
export const asked = (x: Value, dtype: DType | null): Value => (dtype === null ? x : cast(x, dtype));

/** What `run` makes of x, a float16 as float32: so only the result is rounded, and nothing on the way overflows. */
export const roundedOnce = (x: Value, run: (x: Value) => Value): Value =>
  x.node.dtype === "float16" ? cast(run(cast(x, "float32")), "float16") : run(x);

/** Computes float16 in float32, so that only the result is rounded to float16. */
export const wide = (x: Value): Value => (x.node.dtype === "float16" ? cast(x, "float32") : x);

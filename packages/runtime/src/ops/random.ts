/** Distributions, as compositions of random words. docs/random.md says which words each of them takes. */
import {
  checkNumber,
  checkShape,
  type DType,
  DTypeError,
  type FloatDType,
  isFloat,
  type Shape,
  showArgument,
  type TypedArray,
} from "@fuseau/ir";
import type { Generator } from "../random/generator.ts";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { as, torchName } from "./operand.ts";
import { add, ge, log, lt, map, mul, sqrt, sub, where } from "./pointwise.ts";
import { drawNormal, drawUniform, drawWide, drawWords, openInterval } from "./words.ts";

/** Bits of a uniform number: as many as the dtype's significand has, so that every number is exact and 1 never occurs. */
const digits: { readonly [D in FloatDType]: number } = { float16: 11, float32: 24, float64: 53 };

/** @throws DTypeError unless the dtype is floating. `kernel` is PyTorch's name of the missing kernel. */
export function checkFloat(kernel: string, dtype: DType): asserts dtype is FloatDType {
  if (isFloat(dtype)) return;
  throw new DTypeError(
    `"${kernel}" not implemented for '${torchName[dtype]}' (ask for a floating dtype, e.g. { dtype: "float32" })`,
  );
}

/** Uniform on [from, to). */
export function uniform(generator: Generator, shape: Shape, dtype: DType, from = 0, to = 1): Value {
  checkShape(shape);
  checkFloat("check_uniform_bounds", dtype);
  checkNumber("from", from);
  checkNumber("to", to);
  if (!(from <= to))
    throw new RangeError(`uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`);
  if (!Number.isFinite(to - from))
    throw new RangeError(
      `uniform_ expects to-from <= std::numeric_limits<${torchName[dtype]}>::max(), but found to=${to} and from=${from} which result in to-from to exceed the limit`,
    );
  const unit = drawUniform(generator, shape, digits[dtype]);
  if (from === 0 && to === 1) return record.cast(unit, dtype);
  const scaled = record.cast(add(mul(unit, to - from), from), dtype);
  // Rounding may give `to`, which is outside the range.
  return where(lt(scaled, to), scaled, as(dtype, from));
}

/** Standard normal numbers by the Box-Muller transform, √(−2 ln u) · cos 2πv of uniform u and v: in float64, or rounded to float32. */
function standardNormal(generator: Generator, shape: Shape, dtype: FloatDType): Value {
  if (dtype !== "float64") return drawNormal(generator, shape);
  const words = drawWords(generator, shape, 4);
  const radius = sqrt(mul(log(openInterval(words.slice(0, 2))), -2));
  return mul(radius, map("cos", mul(openInterval(words.slice(2)), 2 * Math.PI)));
}

export function normal(generator: Generator, shape: Shape, dtype: DType, mean = 0, std = 1): Value {
  checkShape(shape);
  checkFloat("normal_kernel_cpu", dtype);
  checkNumber("mean", mean);
  checkNumber("std", std);
  if (!(std >= 0)) throw new RangeError(`normal expects std >= 0.0, but found std ${std}`);
  const standard = standardNormal(generator, shape, dtype);
  if (mean === 0 && std === 1) return record.cast(standard, dtype);
  return record.cast(add(mul(record.cast(standard, "float64"), std), mean), dtype);
}

/** The C++ names of dtypes in PyTorch's range errors, and the integers that each dtype holds exactly. */
const integers: { readonly [D in DType]: readonly [name: string, low: bigint, high: bigint] } = {
  bool: ["bool", 0n, 1n],
  uint8: ["unsigned char", 0n, 255n],
  int8: ["signed char", -128n, 127n],
  int16: ["short", -32768n, 32767n],
  int32: ["int", -2147483648n, 2147483647n],
  int64: ["long", -(2n ** 63n), 2n ** 63n - 1n],
  float16: ["c10::Half", -(2n ** 11n), 2n ** 11n],
  float32: ["float", -(2n ** 24n), 2n ** 24n],
  float64: ["double", -(2n ** 53n), 2n ** 53n],
};

/** The largest integer up to which a dtype holds every integer exactly. */
export const largestInteger = (dtype: DType): bigint => integers[dtype][2];

function checkBound(name: string, value: bigint, dtype: DType): void {
  const [cName, low, high] = integers[dtype];
  if (value >= low && value <= high) return;
  throw new RangeError(
    `${name} is out of bounds for ${cName} (${name} is ${value}, and ${dtype} holds the integers from ${low} to ${high})`,
  );
}

/** @throws TypeError for what is no integer. */
export function integerArgument(name: string, value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  throw new TypeError(`argument '${name}' must be int, not ${showArgument(value)}`);
}

/**
 * Integers from `low` up to but without `high`. One word each for at most 2^20 of them, otherwise two.
 * @throws RangeError for an empty range, or one that the dtype does not hold.
 */
export function integersBetween(
  generator: Generator,
  shape: Shape,
  dtype: DType,
  low: bigint,
  high: bigint,
): Value {
  checkShape(shape);
  if (low >= high)
    throw new RangeError(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  checkBound("from", low, dtype);
  checkBound("to - 1", high - 1n, dtype);
  const count = high - low;
  if (count > 2n ** 53n) return wideIntegers(generator, shape, low, high);
  const steps = Number(count);
  const place =
    steps <= 2 ** 20
      ? map("floor", mul(drawUniform(generator, shape, 32), steps))
      : map("floor", mul(mul(drawWide(generator, shape), 2 ** -53), steps));
  if (low === 0n) return record.cast(place, dtype);
  const exact = low >= -(2n ** 53n) && high <= 2n ** 53n;
  return record.cast(add(exact ? place : record.cast(place, "int64"), exact ? Number(low) : low), dtype);
}

/** More than 2^53 int64s: 64 random bits, mapped into the range by adding or subtracting a count. */
function wideIntegers(generator: Generator, shape: Shape, low: bigint, high: bigint): Value {
  const [a, b] = drawWords(generator, shape, 2).map((word) => record.cast(word, "int64")) as [Value, Value];
  const bits = add(mul(a, 2n ** 32n), b);
  const count = high - low;
  if (count < 2n ** 63n) return add(record.binary("remainder", bits, as("int64", count)), low);
  // The count wraps as the sums do. Both are right modulo 2^64, and results are within int64.
  const below = add(bits, as("int64", count));
  const above = sub(bits, as("int64", count));
  return where(lt(bits, as("int64", low)), below, where(ge(bits, as("int64", high)), above, bits));
}

/** 1 with probability p, else 0: compares the 32 bits of a word with p. */
export function bernoulli(generator: Generator, shape: Shape, dtype: DType, p: number): Value {
  checkNumber("p", p);
  if (!(p >= 0 && p <= 1)) throw new RangeError(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
  return record.cast(lt(drawUniform(generator, shape, 32), p), dtype);
}

/**
 * 1 with the probability at its place, else 0. `elementsOf` computes the probabilities at the call, since they are checked.
 * @throws RangeError for one that is not from 0 to 1; DTypeError unless they are floating.
 */
export function bernoulliOf(
  op: string,
  generator: Generator,
  shape: Shape,
  dtype: DType,
  probabilities: Value,
  elementsOf: (op: string, exact: Value) => TypedArray,
): Value {
  const kernel = op === "bernoulli" ? "bernoulli_tensor_cpu_self_" : "bernoulli_tensor_cpu_p_";
  checkFloat(kernel, probabilities.node.dtype);
  const exact = record.cast(probabilities, "float64");
  const values = elementsOf(op, exact) as Float64Array;
  const wrong = values.find((p) => !(p >= 0 && p <= 1));
  if (wrong !== undefined)
    throw new RangeError(
      `Expected p_in >= 0 && p_in <= 1 to be true, but got false. (a probability is ${wrong})`,
    );
  return record.cast(lt(drawUniform(generator, shape, 32), exact), dtype);
}

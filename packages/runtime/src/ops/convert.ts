/** Converts arrays of numbers, and nested arrays, to elements of a dtype: one loop for each kind of source, without a call for each element. */
import {
  type DType,
  type IntDType,
  isInt,
  type Nested,
  type Scalar,
  stores,
  type TypedArray,
} from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { dtypeOr } from "./creation.ts";
import type { ElementArray, OtherArray } from "./elements.ts";
import { checkHolds, ranges } from "./operand.ts";

type Shown = ArrayLike<number | bigint>;
type Numbers = Exclude<ElementArray | OtherArray, BigInt64Array | BigUint64Array>;

/**
 * A copy of the array's elements in another dtype, float16 excepted.
 * @throws RangeError for a number that an integer dtype does not hold.
 */
export function converted(array: ElementArray | OtherArray, dtype: Exclude<DType, "float16">): TypedArray {
  const elements = takeArray(dtype, array.length);
  if (dtype !== "bool" && stores(dtype, array)) (elements as Float32Array).set(array as Float32Array);
  else if (array instanceof BigUint64Array && dtype === "int64") toSigned(array, elements as BigInt64Array);
  else if (!isOfBigInts(array)) convert(array, dtype, elements, array);
  else {
    const numbers = takeArray("float64", array.length) as Float64Array;
    toNumbers(array, numbers);
    convert(numbers, dtype, elements, array);
    giveArray(numbers);
  }
  return elements;
}

const isOfBigInts = (array: ElementArray | OtherArray): array is BigInt64Array | BigUint64Array =>
  array instanceof BigInt64Array || array instanceof BigUint64Array;

/** Errors show the element of `original`. */
function convert(numbers: Numbers, dtype: DType, elements: TypedArray, original: Shown): void {
  if (dtype === "bool") toBools(numbers, elements as Uint8Array);
  else if (dtype === "int64") toInt64(numbers, elements as BigInt64Array, original);
  else {
    if (isInt(dtype)) checkAll(numbers, dtype, original);
    (elements as Float64Array).set(numbers);
  }
}

/** NaN is not 0. */
function toBools(array: Numbers, elements: Uint8Array): void {
  for (let i = 0; i < array.length; i++) elements[i] = array[i] === 0 ? 0 : 1;
}

/** A fraction is dropped first. */
function checkAll(array: Numbers, dtype: Exclude<IntDType, "int64">, original: Shown): void {
  const [below, above] = [ranges[dtype][0] - 1, ranges[dtype][1] + 1];
  for (let i = 0; i < array.length; i++) {
    const value = array[i]!;
    if (!(value > below && value < above)) checkHolds(dtype, original[i]!, `element ${i}`);
  }
}

const WORD = 2 ** 32;

/** By the words of each element: to make a BigInt for each would cost more than everything else. */
function toInt64(array: Numbers, elements: BigInt64Array, original: Shown): void {
  const words = wordsOf(elements);
  if (array instanceof Int32Array) {
    for (let i = 0; i < array.length; i++) {
      words[2 * i] = array[i]!;
      words[2 * i + 1] = array[i]! >> 31;
    }
    return;
  }
  for (let i = 0; i < array.length; i++) {
    const value = array[i]!;
    if (!(value >= -(2 ** 63) && value < 2 ** 63)) checkHolds("int64", original[i]!, `element ${i}`);
    const whole = Math.trunc(value);
    const high = Math.floor(whole / WORD);
    words[2 * i] = whole - high * WORD;
    words[2 * i + 1] = high;
  }
}

/** The nearest numbers: the only rounding is that of the sum. */
function toNumbers(array: BigInt64Array | BigUint64Array, numbers: Float64Array): void {
  const words = wordsOf(array);
  const isSigned = array instanceof BigInt64Array;
  for (let i = 0; i < numbers.length; i++) {
    const high = words[2 * i + 1]!;
    numbers[i] = (isSigned ? high : high >>> 0) * WORD + (words[2 * i]! >>> 0);
  }
}

function toSigned(array: BigUint64Array, elements: BigInt64Array): void {
  const words = wordsOf(array);
  for (let i = 0; i < array.length; i++)
    if (words[2 * i + 1]! < 0) checkHolds("int64", array[i]!, `element ${i}`);
  elements.set(new BigInt64Array(array.buffer, array.byteOffset, array.length));
}

const wordsOf = ({ buffer, byteOffset, length }: BigInt64Array | BigUint64Array): Int32Array =>
  new Int32Array(buffer, byteOffset, 2 * length);

export interface Converted {
  readonly dtype: Exclude<DType, "float16">;
  readonly elements: TypedArray;
}

/** float16 is rounded from float32, as PyTorch does. */
export const keptAs = (dtype: DType): Exclude<DType, "float16"> => (dtype === "float16" ? "float32" : dtype);

const usual = { number: "float32", boolean: "bool" } as const;
type Leaf = keyof typeof usual;
type Leaves = Float64Array | Float32Array | Uint8Array;

/**
 * The elements of nested arrays whose leaves are all numbers, or all booleans; null for any others.
 * @throws RangeError for a number that an integer dtype does not hold.
 */
export function convertedNested(
  nested: Nested,
  rank: number,
  count: number,
  asked: DType | undefined,
): Converted | null {
  for (const leaf of ["number", "boolean"] as const) {
    const dtype = keptAs(dtypeOr(asked, usual[leaf]));
    const read = leaf === "boolean" ? "bool" : dtype === "float32" ? "float32" : "float64";
    const leaves = takeArray(read, count) as Leaves;
    const isAll = copyLeaves(nested, rank, leaf, leaves, 0) === count;
    if (isAll && dtype === read) return { dtype, elements: leaves };
    const elements = isAll ? converted(leaves, dtype) : null;
    giveArray(leaves);
    if (elements !== null) return { dtype, elements };
  }
  return null;
}

/** Copies leaves of one kind. Returns the position after the last; less than that at a leaf of another kind. */
function copyLeaves(nested: Nested, rank: number, kind: Leaf, into: Leaves, from: number): number {
  const inner = (rank === 0 ? [nested] : nested) as readonly Nested[];
  if (rank <= 1) return copyRow(inner as readonly Scalar[], kind, into, from);
  let at = from;
  for (const each of inner) {
    const next = copyLeaves(each, rank - 1, kind, into, at);
    if (next < 0) return next;
    at = next;
  }
  return at;
}

function copyRow(row: readonly Scalar[], kind: Leaf, into: Leaves, from: number): number {
  for (let i = 0; i < row.length; i++) {
    const leaf = row[i];
    const isOfKind = kind === "number" ? typeof leaf === "number" : typeof leaf === "boolean";
    if (!isOfKind) return -1;
    into[from + i] = leaf as number;
  }
  return from + row.length;
}

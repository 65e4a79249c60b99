/** Elements from the user: copied from arrays, or lent without a copy. */
import {
  type ArrayTypes,
  checkShape,
  type DType,
  DTypeError,
  elementCount,
  isInt,
  type Nested,
  nestedShape,
  type Scalar,
  type Shape,
  ShapeError,
  showArgument,
  showShape,
  stores,
  type TypedArray,
} from "@fuseau/ir";
import { takeArray } from "../pool.ts";
import { cast, stored } from "../record.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { type Converted, converted, convertedNested, keptAs } from "./convert.ts";
import { checkDType, dtypeOr } from "./creation.ts";
import { checkHolds, elementOf, isFloatScalar } from "./operand.ts";

/** Arrays whose class determines the dtype. */
export type ElementArray = Exclude<TypedArray, Uint16Array> | Uint8ClampedArray;

/** Arrays of numbers that no dtype is stored in: they are converted to one that is named. */
export type OtherArray = Uint16Array | Uint32Array | BigUint64Array;

const dtypesOfArrays: readonly (readonly [new (length: number) => ElementArray, DType])[] = [
  [Float32Array, "float32"],
  [Float64Array, "float64"],
  [Int32Array, "int32"],
  [Uint8Array, "uint8"],
  [Uint8ClampedArray, "uint8"],
  [Int8Array, "int8"],
  [Int16Array, "int16"],
  [BigInt64Array, "int64"],
];

/** The dtype of a typed array's elements; undefined for an array that stores none. */
export const dtypeOfArray = (array: unknown): DType | undefined =>
  dtypesOfArrays.find(([kind]) => array instanceof kind)?.[1];

/** True for an array of numbers or bigints, whether a dtype is stored so or not. */
export const isOfNumbers = (array: ArrayBufferView): array is ElementArray | OtherArray =>
  !(array instanceof DataView);

/** A value of `shape` with a copy of `array`, converted if another dtype is given. */
export function fromElements(
  op: string,
  array: ElementArray | OtherArray,
  shape: Shape,
  dtype: DType,
): Value {
  if (dtype === "float16") return cast(fromElements(op, array, shape, "float32"), dtype);
  const isQuick = array.length > FEW || stores(dtype, array);
  const elements = isQuick ? converted(array, dtype) : written(array, dtype);
  return stored(dtype, shape, new Storage(dtype, elements));
}

/**
 * A value that reads `array` itself, which is lent: it is read when a result is computed, and never written.
 * @throws ShapeError when its length is not that of the shape; DTypeError when it does not store the dtype; RangeError for a byte other
 * than 0 and 1 if the dtype is bool.
 */
export function lent(
  op: string,
  array: TypedArray | Uint8ClampedArray,
  shape: Shape | undefined,
  asked: DType | undefined,
): Value {
  if (!ArrayBuffer.isView(array))
    throw new TypeError(`a typed array is lent, but got ${showArgument(array)} (tensor(...) copies arrays)`);
  const dtype = asked === undefined ? dtypeOfArray(array) : checkDType(asked);
  const bytes =
    array instanceof Uint8ClampedArray ? new Uint8Array(array.buffer, array.byteOffset, array.length) : array;
  if (dtype === undefined || !stores(dtype, bytes))
    throw new DTypeError(
      `a ${array.constructor.name} stores ${dtype === undefined ? "no dtype by itself" : `no ${dtype}`}; tensor(array, { dtype }) copies and converts`,
    );
  if (dtype === "bool") checkBooleans(bytes as Uint8Array);
  const full = shapeFor(array.length, shape);
  return stored(dtype, full, new Storage(dtype, bytes, { op, shape: full }));
}

/** Kernels rely on bools being 0 or 1, and a lent array must not be changed. */
function checkBooleans(bytes: Uint8Array): void {
  for (let k = 0; k < bytes.length; k++) {
    if (bytes[k]! > 1)
      throw new RangeError(
        `a bool is lent as bytes of 0 and 1, but element ${k} is ${bytes[k]} (lend it as uint8 and compare: fromTypedArray(array).ne(0))`,
      );
  }
}

/** The given shape, if the elements fit it; without one, a single axis. */
export function shapeFor(length: number, shape: Shape | undefined): Shape {
  if (shape === undefined) return [length];
  checkShape(shape);
  if (elementCount(shape) === length) return [...shape];
  throw new ShapeError(
    `shape '${showShape(shape)}' is invalid for input of size ${length} (${showShape(shape)} has ${elementCount(shape)} elements)`,
  );
}

/** So few elements are written one by one: that takes no set-up. */
const FEW = 32;

/** A value with a copy of nested arrays. A flat array may be given another shape. */
export function fromNested(
  op: string,
  nested: Nested,
  asked: Shape | undefined,
  askedDType: DType | undefined,
): Value {
  const shape = nestedShape(op, nested);
  checkShape(shape);
  const count = elementCount(shape);
  const result = asked === undefined ? shape : shapeFor(count, asked);
  const { dtype, elements } =
    (count > FEW ? convertedNested(nested, shape.length, count, askedDType) : null) ??
    oneByOne(nested, askedDType);
  return cast(stored(dtype, result, new Storage(dtype, elements)), askedDType ?? dtype);
}

function oneByOne(nested: Nested, asked: DType | undefined): Converted {
  const leaves: Scalar[] = [];
  flatten(nested, leaves);
  const dtype = keptAs(dtypeOr(asked, leafDType(leaves)));
  return { dtype, elements: written(leaves, dtype) };
}

function written(leaves: ArrayLike<Scalar>, dtype: Converted["dtype"]): TypedArray {
  const elements = takeArray(dtype, leaves.length);
  for (let i = 0; i < leaves.length; i++) write(elements, dtype, i, leaves[i]!);
  return elements;
}

function flatten(nested: Nested, into: Scalar[]): void {
  if (Array.isArray(nested)) for (const inner of nested) flatten(inner, into);
  else into.push(nested as Scalar);
}

/** Booleans make bool, bigints int64, numbers float32. */
function leafDType(leaves: readonly Scalar[]): DType {
  let numbers = 0;
  let bigints = 0;
  for (const leaf of leaves) {
    if (typeof leaf === "number" || isFloatScalar(leaf)) numbers++;
    else if (typeof leaf === "bigint") bigints++;
  }
  if (numbers > 0 && bigints > 0)
    throw new TypeError(`numbers and bigints are mixed; give a dtype, e.g. { dtype: "int64" }`);
  if (bigints > 0) return "int64";
  return numbers > 0 || leaves.length === 0 ? "float32" : "bool";
}

/**
 * Stores one element.
 * @throws RangeError for a number that an integer dtype does not hold; TypeError for what is no number.
 */
function write(elements: ArrayTypes[DType], dtype: DType, at: number, leaf: Scalar): void {
  const value = isFloatScalar(leaf) ? leaf.float : leaf;
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "boolean")
    throw new TypeError(
      `elements are numbers, bigints or booleans, but element ${at} is ${showArgument(value)}`,
    );
  if (isInt(dtype)) checkHolds(dtype, value, `element ${at}`);
  elements[at] = elementOf(dtype, value);
}

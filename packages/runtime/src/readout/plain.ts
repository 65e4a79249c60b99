/** A tensor as a plain object, for JSON and for other threads. */
import { float16FromBits } from "@fuseau/compiler";
import {
  type ArrayTypes,
  type DType,
  elementCount,
  type Nested,
  nestedShape,
  type Shape,
  ShapeError,
  sameNumbers,
  showArgument,
  showShape,
  type TypedArray,
} from "@fuseau/ir";
import { grouped } from "./nested.ts";

/** The result of `toTransferable`, which `fromTransferable` reads: plain data that can be cloned and sent. */
export interface Plain<D extends DType = DType> {
  readonly dtype: D;
  readonly shape: readonly number[];
  /** The elements, row-major: bool as bytes, float16 as its 16 bits, int64 as a BigInt64Array. */
  readonly data: ArrayTypes[D];
}

/** An element in JSON. Numbers that JSON lacks are text: "NaN", "-0", "Infinity", an int64 beyond 2^53. */
export type JsonElement = number | boolean | string;

/** The result of `toJSON`, which `fromJSON` reads. */
export interface PlainJson {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Nested arrays with a level for each axis; for a 0-d tensor the element itself. */
  readonly data: JsonElement | readonly NestedJson[];
}
export type NestedJson = JsonElement | readonly NestedJson[];

export const plainJson = (dtype: DType, shape: Shape, elements: TypedArray): PlainJson => ({
  dtype,
  shape: [...shape],
  data: grouped(jsonElements(dtype, elements), shape),
});

/** The elements as JSON has them. */
export function jsonElements(dtype: DType, elements: TypedArray): JsonElement[] {
  if (elements instanceof BigInt64Array) return Array.from(elements, jsonInteger);
  if (dtype === "bool") return Array.from(elements as Uint8Array, Boolean);
  if (dtype === "float16")
    return Array.from(elements as Uint16Array, (bits) => jsonNumber(float16FromBits(bits)));
  return Array.from(elements as Float64Array, jsonNumber);
}

const jsonNumber = (value: number): number | string =>
  Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value);

const jsonInteger = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

const special: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity", "-0"]);

/**
 * The elements that `plainJson` wrote, row-major: bigints for int64, else numbers.
 * @throws TypeError for anything that it did not write, ShapeError when the elements do not fit the shape.
 */
export function elementsOfJson(op: string, { dtype, shape, data }: PlainJson): Float64Array | BigInt64Array {
  const count = elementCount(shape);
  const found = nestedShape(op, data as Nested);
  // The nested arrays do not show the sizes after an empty axis.
  if (count === 0 ? elementCount(found) !== 0 : !sameNumbers(found, shape))
    throw new ShapeError(
      `${op}: data of shape ${showShape(found)} does not fit the shape ${showShape(shape)}`,
    );
  const flat = ([data] as unknown[]).flat(Infinity as 1) as JsonElement[];
  return dtype === "int64"
    ? BigInt64Array.from(flat, (element) => integerOf(op, element))
    : Float64Array.from(flat, (element) => numberOf(op, element));
}

function numberOf(op: string, element: unknown): number {
  if (typeof element === "number" || typeof element === "boolean") return Number(element);
  if (typeof element === "string" && special.has(element)) return Number(element);
  throw refused(op, element);
}

function integerOf(op: string, element: unknown): bigint {
  if (Number.isSafeInteger(element)) return BigInt(element as number);
  if (typeof element === "string" && /^-?\d+$/.test(element)) {
    const value = BigInt(element);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  throw refused(op, element);
}

const refused = (op: string, element: unknown): TypeError =>
  new TypeError(`${op}: ${showArgument(element)} is no element that toJSON writes`);

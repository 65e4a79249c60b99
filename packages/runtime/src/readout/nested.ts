/** Elements as plain JavaScript values: numbers, and booleans for bool. */
import { float16FromBits } from "@fuseau/compiler";
import { type DType, elementCount, type Shape, ShapeError, type TypedArray } from "@fuseau/ir";

export type Scalar = number | boolean;

/** Scalars in nested arrays, with a level for each axis; a 0-d tensor is its scalar. */
export type NestedScalars = NestedParts<Scalar>;
export type NestedParts<P> = P | NestedParts<P>[];

/**
 * PyTorch's `tolist()`.
 * @param elements contiguous, the last axis innermost; as many as `shape` has.
 * @throws RangeError when an int64 is beyond 2^53.
 */
export function toNested(dtype: DType, shape: Shape, elements: TypedArray): NestedScalars {
  const rank = shape.length;
  if (rank === 0) return scalars("toArray", dtype, shape, elements, 0, 1)[0]!;
  const width = shape[rank - 1]!;
  const rows: NestedScalars[] = [];
  const rowCount = elementCount(shape.slice(0, -1));
  for (let row = 0; row < rowCount; row++) {
    rows.push(scalars("toArray", dtype, shape, elements, row * width, width));
  }
  return grouped(rows, shape.slice(0, -1));
}

/**
 * PyTorch's `item()`: the only element.
 * @throws ShapeError when there is not exactly one; RangeError when it is an int64 beyond 2^53.
 */
export function toScalar(dtype: DType, elements: TypedArray): Scalar {
  if (elements.length !== 1)
    throw new ShapeError(
      `item: a Tensor with ${elements.length} elements cannot be converted to Scalar (use toArray() or toTypedArray())`,
    );
  return scalars("item", dtype, [], elements, 0, 1)[0]!;
}

/** Groups the parts axis by axis, innermost first, until one is left. It is not recursive, and empty axes stay. */
export function grouped<P>(parts: NestedParts<P>[], shape: Shape): NestedParts<P> {
  let level = parts;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis]!;
    const blocks: NestedParts<P>[] = [];
    const blockCount = elementCount(shape.slice(0, axis));
    for (let block = 0; block < blockCount; block++) {
      blocks.push(level.slice(block * size, (block + 1) * size));
    }
    level = blocks;
  }
  return level[0]!;
}

/** `count` elements from position `start` on. Each dtype has a loop of its own, so that V8 specialises each of them. */
function scalars(
  op: string,
  dtype: DType,
  shape: Shape,
  elements: TypedArray,
  start: number,
  count: number,
): Scalar[] {
  if (dtype === "int64") return integers(op, shape, elements as BigInt64Array, start, count);
  if (dtype === "bool") return booleans(elements as Uint8Array, start, count);
  if (dtype === "float16") return halves(elements as Uint16Array, start, count);
  return numbers(elements as Exclude<TypedArray, BigInt64Array>, start, count);
}

/** Above this length V8 makes `new Array(count)` a hash table. */
const longestPreallocated = 2 ** 25;
const row = <S extends Scalar>(count: number): S[] => (count <= longestPreallocated ? new Array(count) : []);

function numbers(elements: Exclude<TypedArray, BigInt64Array>, start: number, count: number): number[] {
  const result = row<number>(count);
  for (let i = 0; i < count; i++) result[i] = elements[start + i]!;
  return result;
}

function booleans(elements: Uint8Array, start: number, count: number): boolean[] {
  const result = row<boolean>(count);
  for (let i = 0; i < count; i++) result[i] = elements[start + i] !== 0;
  return result;
}

function halves(elements: Uint16Array, start: number, count: number): number[] {
  const result = row<number>(count);
  for (let i = 0; i < count; i++) result[i] = float16FromBits(elements[start + i]!);
  return result;
}

/** Up to ±2^53 every int64 is a number exactly; 2^53 + 1 would read as 2^53. */
const exactLimit = 2n ** 53n;
const roundedLimit = Number(exactLimit);

function integers(op: string, shape: Shape, elements: BigInt64Array, start: number, count: number): number[] {
  const result = row<number>(count);
  for (let i = 0; i < count; i++) {
    const value = elements[start + i]!;
    const rounded = Number(value);
    if (rounded >= roundedLimit || rounded <= -roundedLimit) checkExact(op, shape, start + i, value);
    result[i] = rounded;
  }
  return result;
}

function checkExact(op: string, shape: Shape, position: number, value: bigint): void {
  if (value >= -exactLimit && value <= exactLimit) return;
  const indices: number[] = [];
  for (let axis = shape.length - 1, rest = position; axis >= 0; axis--) {
    indices.unshift(rest % shape[axis]!);
    rest = Math.floor(rest / shape[axis]!);
  }
  const where = indices.length > 0 ? ` at [${indices.join(", ")}]` : "";
  throw new RangeError(
    `${op}: the int64 ${value}${where} is beyond 2^53, where numbers no longer hold every integer ` +
      "(toTypedArray() gives a BigInt64Array)",
  );
}

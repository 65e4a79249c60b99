/** Elements on their way between the JavaScript heap and the linear memory. */
import { type DType, dtypes, type TypedArray } from "@fuseau/ir";
import { takeArray } from "../pool.ts";
import { type LinearMemory, linearMemory } from "./linear.ts";

/** Pointers come from a memory that exists. */
const memory = (): LinearMemory => linearMemory() as LinearMemory;

/** The arrays are of one dtype, hence of one kind. */
const copy = (from: TypedArray, to: TypedArray): void => (to as Float32Array).set(from as Float32Array);

/** Copies an array's elements to a place in linear memory. */
export function copyIn(dtype: DType, array: TypedArray, pointer: number): void {
  copy(array, memory().elements(dtype, pointer, array.length));
}

/** A pooled array with the elements at a place in linear memory. @throws RangeError when memory is out. */
export function copyOut(dtype: DType, pointer: number, cells: number): TypedArray {
  const array = takeArray(dtype, cells);
  copy(memory().elements(dtype, pointer, cells), array);
  return array;
}

/** The same, for a reader to keep: an array of its own, never pooled. */
export const copyForReader = (dtype: DType, pointer: number, cells: number): TypedArray =>
  memory().elements(dtype, pointer, cells).slice();

export const bytesOf = (dtype: DType, cells: number): number => cells * dtypes[dtype].bytes;

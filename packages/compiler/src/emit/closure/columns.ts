/**
 * Columns hold the elements of a run. Elements of all dtypes are held in Float64Arrays, which represent them exactly, except
 * int64, in BigInt64Arrays. Buffers have nine dtypes, and loads and stores have a function for each: V8 specialises a function
 * for the kinds of arrays it has seen, and gives up above four.
 */
import type { ArrayTypes, DType, TypedArray } from "@fuseau/ir";
import { intrinsics } from "../intrinsics/index.ts";

/** Elements of a run: few enough that the columns of a kernel fit the first-level cache. */
export const RUN = 256;

export type Numbers = Float64Array;
export type Words = BigInt64Array;
export type Column = Numbers | Words;

export const columnOf = (dtype: DType, length: number): Column =>
  dtype === "int64" ? new BigInt64Array(length) : new Float64Array(length);

/**
 * Columns of RUN elements, shared by all kernels: only one kernel runs at a time, and nothing is kept in them between calls.
 * Their distance is a little more than their length; otherwise they would map to the same cache sets.
 */
class ColumnPool<A> {
  readonly #make: (buffer: ArrayBuffer, offset: number) => A;
  readonly #bytes: number;
  readonly #columns: A[] = [];

  constructor(bytes: number, make: (buffer: ArrayBuffer, offset: number) => A) {
    this.#make = make;
    this.#bytes = bytes;
  }

  column(k: number): A {
    while (this.#columns.length <= k) {
      const [together, pitch] = [8, RUN * this.#bytes + 64];
      const buffer = new ArrayBuffer(together * pitch);
      for (let each = 0; each < together; each++) this.#columns.push(this.#make(buffer, each * pitch));
    }
    return this.#columns[k] as A;
  }
}

const numbers = new ColumnPool(8, (buffer, offset) => new Float64Array(buffer, offset, RUN));
const words = new ColumnPool(8, (buffer, offset) => new BigInt64Array(buffer, offset, RUN));
const places = new ColumnPool(4, (buffer, offset) => new Int32Array(buffer, offset, RUN));

/** Allocates the columns of one walk. Walks that are not nested share them. */
export class Columns {
  readonly width: number;
  #numbers = 0;
  #words = 0;
  #places = 0;

  /** Columns of one element are allocated anew, those of RUN elements are shared. */
  constructor(width: 1 | typeof RUN) {
    this.width = width;
  }

  values(dtype: DType): Column {
    if (this.width === 1) return columnOf(dtype, 1);
    return dtype === "int64" ? words.column(this.#words++) : numbers.column(this.#numbers++);
  }

  places(): Int32Array {
    return this.width === 1 ? new Int32Array(1) : places.column(this.#places++);
  }
}

/** The elements of a column from `from` to before `to`; a whole column needs no new view. */
export const part = <A extends Column>(column: A, from: number, to: number): A =>
  from === 0 && to === column.length ? column : (column.subarray(from, to) as A);

/**
 * Loads or stores at places in arithmetic progression (`strided`), or one by one (`each`). They work on the elements of the
 * column from `from` to before `to`.
 */
interface Access<D extends DType> {
  strided(c: ColumnOf<D>, b: ArrayTypes[D], at: number, step: number, from: number, to: number): void;
  each(c: ColumnOf<D>, b: ArrayTypes[D], at: Int32Array, from: number, to: number): void;
}
type ColumnOf<D extends DType> = D extends "int64" ? Words : Numbers;
/** The dtype determines the kinds of column and buffer. */
type AnyAccess = {
  strided(c: Column, b: TypedArray, at: number, step: number, from: number, to: number): void;
  each(c: Column, b: TypedArray, at: Int32Array, from: number, to: number): void;
};

// biome-ignore format: a loop on each line
const loads: { readonly [D in DType]: Access<D> } = {
  bool: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  uint8: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  int8: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  int16: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  int32: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  int64: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  float16: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = intrinsics.float16FromBits(b[at + i * step]!); },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = intrinsics.float16FromBits(b[at[i]!]!); },
  },
  float32: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
  float64: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) c[i] = b[at + i * step]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) c[i] = b[at[i]!]!; },
  },
};

// biome-ignore format: a loop on each line
const stores: { readonly [D in DType]: Access<D> } = {
  bool: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  uint8: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  int8: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  int16: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  int32: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  int64: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  float16: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = intrinsics.float16ToBits(c[i]!); },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = intrinsics.float16ToBits(c[i]!); },
  },
  float32: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
  float64: {
    strided(c, b, at, step, from, to) { for (let i = from; i < to; i++) b[at + i * step] = c[i]!; },
    each(c, b, at, from, to) { for (let i = from; i < to; i++) b[at[i]!] = c[i]!; },
  },
};

export const loadsOf = (dtype: DType): AnyAccess => loads[dtype] as AnyAccess;
export const storesOf = (dtype: DType): AnyAccess => stores[dtype] as AnyAccess;

/** From this many contiguous elements on, the typed array's own copy is faster than a loop. */
const BULK = 24;

/** Loads elements from at + i · step, for i from `from` to before `to`. */
export function loadEven(
  dtype: DType,
  c: Column,
  b: TypedArray,
  at: number,
  step: number,
  from: number,
  to: number,
): void {
  if (step === 1 && dtype !== "float16" && to - from >= BULK)
    (c as Numbers).set(b.subarray(at + from, at + to) as Numbers, from);
  else loadsOf(dtype).strided(c, b, at, step, from, to);
}

/** Stores the first n elements to at + i · step. */
export function storeEven(dtype: DType, c: Column, b: TypedArray, at: number, step: number, n: number): void {
  if (step === 1 && dtype !== "float16" && n >= BULK) (b as Numbers).set(part(c as Numbers, 0, n), at);
  else storesOf(dtype).strided(c, b, at, step, 0, n);
}

/** Loads one element; for tests and stores that combine. */
export function closureLoad(dtype: DType): (array: TypedArray, index: number) => number | bigint {
  const column = columnOf(dtype, 1);
  return (array, index) => {
    loadsOf(dtype).strided(column, array, index, 1, 0, 1);
    return column[0] as number | bigint;
  };
}

export function closureStore(
  dtype: DType,
): (array: TypedArray, index: number, value: number | bigint) => void {
  const column = columnOf(dtype, 1);
  return (array, index, value) => {
    column[0] = value;
    storesOf(dtype).strided(column, array, index, 1, 0, 1);
  };
}

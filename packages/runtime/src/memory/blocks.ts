/** Blocks of the linear memory. Results and copies have room together (residents.ts); what was used longest ago leaves. */
import type { DType, TypedArray } from "@fuseau/ir";
import { takeArray } from "../pool.ts";
import { Allocator } from "./allocator.ts";
import { type LinearMemory, linearBytes, linearMemory } from "./linear.ts";
import type { Block, Memory, Use } from "./memory.ts";
import { leaveOldest } from "./residents.ts";

export interface LinearCounters {
  /** Bytes of the linear memory; untouched ones take up addresses only. */
  readonly reserved: number;
  /** Bytes of all blocks taken, rounding included. */
  readonly used: number;
  /** Bytes of results that live in linear memory. */
  readonly results: number;
  /** Bytes of copies of operands, kept for the next run. */
  readonly copies: number;
}

/** What 32-bit pointers reach. */
const MOST_BYTES = 2 ** 32;
/** Nothing lies at address 0. */
const FIRST_ADDRESS = 64;

const allocator = new Allocator(FIRST_ADDRESS, 0);
const held = { run: 0, result: 0, copy: 0, free: 0 };

export class LinearBlock implements Block {
  /** The address in linear memory, a multiple of 64. */
  readonly pointer: number;
  /** There are 64 more behind them, which may be read and hold anything. */
  readonly bytes: number;
  /** What the allocator knows it by. */
  readonly #record: number;
  #use: Use = "run";

  constructor(record: number, bytes: number) {
    this.pointer = allocator.pointerOf(record);
    this.bytes = bytes;
    this.#record = record;
    held.run += bytes;
  }

  get use(): Use {
    return this.#use;
  }

  assign(use: Use): void {
    held[this.#use] -= this.bytes;
    held[use] += this.bytes;
    this.#use = use;
  }

  give(): void {
    this.assign("free");
    allocator.give(this.#record);
  }

  write(dtype: DType, array: TypedArray): void {
    copy(array, this.#elements(dtype, array.length));
  }

  read(dtype: DType, cells: number): TypedArray {
    const array = takeArray(dtype, cells);
    copy(this.#elements(dtype, cells), array);
    return array;
  }

  copy(dtype: DType, cells: number): TypedArray {
    return this.#elements(dtype, cells).slice();
  }

  /** Those very bytes, for as long as nothing is allocated. Blocks come from a memory that exists. */
  #elements(dtype: DType, cells: number): TypedArray {
    return (linearMemory() as LinearMemory).elements(dtype, this.pointer, cells);
  }
}

/** The arrays are of one dtype, hence of one kind. */
export const copy = (from: TypedArray, to: TypedArray): void =>
  (to as Float32Array).set(from as Float32Array);

export const linearBlocks: Memory<LinearBlock> = {
  /** When the memory cannot grow, what is idle leaves to make room. */
  take(bytes) {
    let record = allocator.take(bytes);
    if (record < 0 && grow(bytes)) record = allocator.take(bytes);
    while (record < 0 && bytes <= MOST_BYTES && leaveOldest()) record = allocator.take(bytes);
    if (record < 0) throw outOfMemory(bytes);
    return new LinearBlock(record, bytes);
  },
  own: (block) => (block instanceof LinearBlock ? block : null),
};

function grow(bytes: number): boolean {
  const memory = linearMemory();
  if (memory === null || !memory.growTo(allocator.endFor(bytes))) return false;
  allocator.extend(memory.bytes);
  return true;
}

const outOfMemory = (bytes: number): RangeError =>
  new RangeError(
    `compute: out of memory: ${bytes} bytes of linear memory were asked for, and ${allocator.taken} are in use (${held.result} by results, ${held.copy} by copies of operands); dispose() of results that are no longer needed, let tidy() do so, compute in parts, or on the JavaScript heap with compute({ emitter: "js" })`,
  );

export const linearCounters = (): LinearCounters => ({
  reserved: linearBytes(),
  used: allocator.taken,
  results: held.result,
  copies: held.copy,
});

/** Blocks of the linear memory. Results and copies share a limit (residents.ts); what was used longest ago is moved out first. */
import type { DType, TypedArray } from "@fuseau/ir";
import { takeArray } from "../pool.ts";
import { Allocator } from "./allocator.ts";
import { type LinearMemory, linearBytes, linearMemory } from "./linear.ts";
import type { Block, Memory, Use } from "./memory.ts";
import { leaveOldest } from "./residents.ts";

export interface LinearCounters {
  /** Size of the linear memory in bytes. Pages that were never touched take up addresses only. */
  readonly reserved: number;
  /** Bytes of all blocks, rounding included. */
  readonly used: number;
  /** Bytes of results in linear memory. */
  readonly results: number;
  /** Bytes of copies of operands that are kept for later runs. */
  readonly copies: number;
}

/** The most that 32-bit pointers reach. */
const MOST_BYTES = 2 ** 32;
/** Nothing is at address 0. */
const FIRST_ADDRESS = 64;

const allocator = new Allocator(FIRST_ADDRESS, 0);
const held = { run: 0, result: 0, copy: 0, free: 0 };

export class LinearBlock implements Block {
  /** The address in linear memory, a multiple of 64. */
  readonly pointer: number;
  /** The size. 64 more bytes follow, which may be read and hold anything. */
  readonly bytes: number;
  /** The allocator's record. */
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
    copy(array, this.peek(dtype, array.length));
  }

  read(dtype: DType, cells: number): TypedArray {
    const array = takeArray(dtype, cells);
    copy(this.peek(dtype, cells), array);
    return array;
  }

  copy(dtype: DType, cells: number): TypedArray {
    return this.peek(dtype, cells).slice();
  }

  /** A block exists only in a memory that exists. */
  peek(dtype: DType, cells: number): TypedArray {
    return (linearMemory() as LinearMemory).elements(dtype, this.pointer, cells);
  }
}

/** Both arrays have one dtype, and so one class. */
export const copy = (from: TypedArray, to: TypedArray): void =>
  (to as Float32Array).set(from as Float32Array);

export const linearBlocks: Memory<LinearBlock> = {
  /** If the memory cannot grow, idle blocks are moved out to make room. */
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

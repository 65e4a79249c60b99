/**
 * Blocks of the linear memory and what each is held for.
 *
 * - A *run* takes blocks for what it computes, and gives back or hands on each of them when it ends.
 * - A *result* is the only place of a tensor's elements.
 * - A *copy* is of elements that live on the JavaScript heap, made for kernels to read, and kept for the next run.
 *
 * Results and copies have room together (residents.ts); what was used longest ago leaves.
 */
import { Allocator } from "./allocator.ts";
import { linearBytes, linearMemory } from "./linear.ts";
import { leaveOldest } from "./residents.ts";

export interface Block {
  /** The address in linear memory, a multiple of 64. */
  readonly pointer: number;
  /** As asked for. There are 64 more behind them, which may be read and hold anything. */
  readonly bytes: number;
  /** What the allocator knows it by. */
  readonly record: number;
  use: "run" | "result" | "copy" | "free";
}

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

/**
 * A block for a run, its contents undefined.
 * @throws RangeError when the memory cannot grow and nothing idle is left to make room.
 */
export function takeBlock(bytes: number): Block {
  let record = allocator.take(bytes);
  if (record < 0 && grow(bytes)) record = allocator.take(bytes);
  while (record < 0 && bytes <= MOST_BYTES && leaveOldest()) record = allocator.take(bytes);
  if (record < 0) throw outOfMemory(bytes);
  held.run += bytes;
  return { pointer: allocator.pointerOf(record), bytes, record, use: "run" };
}

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

/** Gives a block back; whoever knew its pointer must forget it. */
export function giveBlock(block: Block): void {
  assign(block, "free");
  allocator.give(block.record);
}

/** Says what a block is held for from now on. */
export function assign(block: Block, use: Block["use"]): void {
  held[block.use] -= block.bytes;
  held[use] += block.bytes;
  block.use = use;
}

export const linearCounters = (): LinearCounters => ({
  reserved: linearBytes(),
  used: allocator.taken,
  results: held.result,
  copies: held.copy,
});

/**
 * Blocks of the linear memory and what each is held for.
 *
 * - A *run* takes blocks for what it computes, and gives back or hands on each of them when it ends.
 * - A *result* is the only place of a tensor's elements. Together they stay within a budget; `admitResult` says whether one
 *   more does.
 * - A *copy* is of elements that live on the JavaScript heap, made for kernels to read. Copies stay for the next run, within
 *   a budget of the same size; those not read for longest go first, and no run's operand goes while it runs.
 *
 * A result or a copy comes back by `giveBlock` at once, or when the garbage collector finds its owner dead.
 */
import { watchOptions } from "../options.ts";
import { Allocator } from "./allocator.ts";
import { linearBytes, linearMemory } from "./linear.ts";
import { pressCollector } from "./pressure.ts";

export interface Block {
  /** The address in linear memory, a multiple of 64. */
  readonly pointer: number;
  /** As asked for. There are 64 more behind them, which may be read and hold anything. */
  readonly bytes: number;
  /** What the allocator knows it by. */
  readonly record: number;
  use: "run" | "result" | "copy" | "free";
  /** Runs that read it now. */
  readers: number;
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
  /** Results that were moved to the JavaScript heap because the budget was spent. */
  readonly movedOut: number;
  /** Blocks that were given back by the garbage collector. */
  readonly reclaimed: number;
}

const DEFAULT_BUDGET = 512 * 2 ** 20;
/** Nothing lies at address 0. */
const FIRST_ADDRESS = 64;

const allocator = new Allocator(FIRST_ADDRESS, 0);
/** Oldest use first. */
const copies = new Set<Block>();
let budget = DEFAULT_BUDGET;
let resultBytes = 0;
let copyBytes = 0;
let movedOut = 0;
let reclaimed = 0;

watchOptions((options) => {
  budget = options.linearBytesLimit ?? DEFAULT_BUDGET;
  trimCopies();
});

const owners = new FinalizationRegistry<Block>((block) => {
  reclaimed++;
  giveBlock(block);
});

/**
 * A block for a run, its contents undefined.
 * @throws RangeError when the memory cannot grow and nothing idle is left to make room.
 */
export function takeBlock(bytes: number): Block {
  let record = allocator.take(bytes);
  if (record < 0 && grow(bytes)) record = allocator.take(bytes);
  for (const copy of copies) {
    if (record >= 0) break;
    if (copy.readers > 0) continue;
    giveBlock(copy);
    record = allocator.take(bytes);
  }
  if (record < 0) {
    pressCollector(reclaimed);
    throw outOfMemory(bytes);
  }
  return { pointer: allocator.pointerOf(record), bytes, record, use: "run", readers: 0 };
}

function grow(bytes: number): boolean {
  const memory = linearMemory();
  if (memory === null || !memory.growTo(allocator.endFor(bytes))) return false;
  allocator.extend(memory.bytes);
  return true;
}

const outOfMemory = (bytes: number): RangeError =>
  new RangeError(
    `compute: out of memory: ${bytes} bytes of linear memory were asked for, and ${allocator.taken} are in use (${resultBytes} by results, ${copyBytes} by copies of operands); dispose() of results that are no longer needed, let tidy() do so, compute in parts, or on the JavaScript heap with compute({ emitter: "js" })`,
  );

/** Gives a block back; whoever knew its pointer must forget it. */
export function giveBlock(block: Block): void {
  if (block.use !== "run") owners.unregister(block);
  leave(block);
  block.use = "free";
  allocator.give(block.record);
}

function leave(block: Block): void {
  if (block.use === "result") resultBytes -= block.bytes;
  else if (block.use === "copy") {
    copyBytes -= block.bytes;
    copies.delete(block);
  }
}

/**
 * Whether one more result stays within the budget; one that does not is counted as moved out. From half of the budget on, the
 * collector is made to look for dead ones.
 */
export function admitResult(bytes: number): boolean {
  const total = resultBytes + bytes;
  if (total > budget / 2) pressCollector(reclaimed);
  if (total <= budget) return true;
  movedOut++;
  return false;
}

/** Makes a run's block the only place of `owner`'s elements. */
export function keepAsResult(block: Block, owner: object): void {
  owners.register(owner, block, block);
  resultBytes += block.bytes;
  block.use = "result";
}

/** Makes a run's block a copy of what `owner` has on the heap. */
export function keepAsCopy(block: Block, owner: object): void {
  owners.register(owner, block, block);
  demote(block);
}

/** Makes a result a copy, its elements being on the heap as well now. */
export function demote(block: Block): void {
  leave(block);
  block.use = "copy";
  copyBytes += block.bytes;
  copies.add(block);
}

/** Makes a result or a copy a run's own again: whoever had it has it no longer. */
export function withdraw(block: Block): void {
  if (block.use === "run") return;
  owners.unregister(block);
  leave(block);
  block.use = "run";
}

/** Says that a copy is read once more. */
export function touch(block: Block): void {
  if (copies.delete(block)) copies.add(block);
}

/** Gives back what is beyond the budget, oldest first; operands of runs stay. */
export function trimCopies(limit: number = budget): void {
  if (copyBytes <= limit) return;
  for (const copy of copies) {
    if (copy.readers > 0) continue;
    giveBlock(copy);
    if (copyBytes <= limit) return;
  }
}

export const linearCounters = (): LinearCounters => ({
  reserved: linearBytes(),
  used: allocator.taken,
  results: resultBytes,
  copies: copyBytes,
  movedOut,
  reclaimed,
});

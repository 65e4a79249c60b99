/** Decides where the elements of a result stay. */
import type { DType } from "@fuseau/ir";
import { Storage } from "../storage.ts";
import type { Block } from "./memory.ts";

/** Results of at most so many elements are copied to the heap, which costs as much as to manage a block. */
const SMALL = 1_024;

/**
 * The storage of a result that a run left in a block of its own. It keeps that block, unless it is small.
 * @throws RangeError when memory is out; then the block is still the run's.
 */
export function settleResult(block: Block, dtype: DType, cells: number): Storage {
  if (cells > SMALL) return Storage.inBlock(dtype, cells, block);
  const array = block.read(dtype, cells);
  block.give();
  return new Storage(dtype, array);
}

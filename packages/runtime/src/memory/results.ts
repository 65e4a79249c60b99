/** Where the elements of a result stay. */
import type { DType } from "@fuseau/ir";
import { Storage } from "../storage.ts";
import type { Block } from "./memory.ts";

/** Results of no more elements are copied to the heap: it costs as much as watching over a block. */
const SMALL = 1_024;

/**
 * The storage of a result that a run left in a block of its own. It is that block, but for small ones.
 * @throws RangeError when memory is out; the block is the run's then, as before.
 */
export function settleResult(block: Block, dtype: DType, cells: number): Storage {
  if (cells > SMALL) return Storage.inBlock(dtype, cells, block);
  const array = block.read(dtype, cells);
  block.give();
  return new Storage(dtype, array);
}

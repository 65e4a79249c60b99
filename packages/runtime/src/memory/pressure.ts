/**
 * Makes the garbage collector run. A block of linear memory weighs nothing to it: when results that nobody reads any more hold hundreds of
 * megabytes, it sees a few small objects. A new WebAssembly.Memory does weigh, although its pages are not used until they are touched. So a
 * few of those are made and dropped at once. The collection that follows finds the dead results too, and their blocks are freed in the next
 * macrotask. Finalizers never run earlier, so a loop that does not yield gains nothing by this.
 */
import { hostMemory } from "./web-assembly.ts";

/** Four of 64 MiB were enough for a full collection when measured. */
const MEMORIES = 4;
const PAGES = 1_024;

/** To copy fewer bytes to the heap costs less than a burst. */
const LEAST_BYTES = 2 ** 16;

/** Calls between two bursts: at least so many, and twice as many after each burst that freed nothing. */
const SHORTEST_WAIT = 8;
const LONGEST_WAIT = 1_024;

let wait = SHORTEST_WAIT;
let remaining = 0;
let reclaimedBefore = 0;

/**
 * To be called with each result for which memory was short. Now and then it makes a burst.
 * @param bytes those of the result
 * @param reclaimed how many blocks finalizers have freed so far
 */
export function pressCollector(bytes: number, reclaimed: number): void {
  if (bytes < LEAST_BYTES || remaining-- > 0) return;
  wait = reclaimed > reclaimedBefore ? SHORTEST_WAIT : Math.min(2 * wait, LONGEST_WAIT);
  remaining = wait;
  reclaimedBefore = reclaimed;
  const Memory = hostMemory();
  if (Memory === undefined) return;
  try {
    for (let k = 0; k < MEMORIES; k++) new Memory({ initial: PAGES, maximum: PAGES });
  } catch {
    // The address space is full of memories that wait to be collected, so there is pressure already.
  }
}

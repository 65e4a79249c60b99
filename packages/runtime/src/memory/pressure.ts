/**
 * A block of linear memory weighs nothing to the garbage collector. With hundreds of megabytes held by results that nobody reads
 * any more, it sees a few small objects and does not run. A WebAssembly.Memory of its own does weigh, though as long as nobody
 * touches it there is nothing behind it. So a few of those are made and dropped at once. The collection that they bring about finds
 * the dead results too, and their blocks come back in the next macrotask. (Finalizers never run earlier: a loop that does not yield
 * gets nothing back by this.)
 */
import { hostMemory } from "./web-assembly.ts";

/** Four of 64 MiB: measured to be enough for a full collection. */
const MEMORIES = 4;
const PAGES = 1_024;

/** Calls from one burst to the next: so many at least, and twice as many each time that a burst gained nothing. */
const SHORTEST_WAIT = 8;
const LONGEST_WAIT = 1_024;

let wait = SHORTEST_WAIT;
let remaining = 0;
let reclaimedBefore = 0;

/**
 * To be called with each result that finds memory short; makes a burst now and then.
 * @param reclaimed how many blocks were ever given back by finalizers
 */
export function pressCollector(reclaimed: number): void {
  if (remaining-- > 0) return;
  wait = reclaimed > reclaimedBefore ? SHORTEST_WAIT : Math.min(2 * wait, LONGEST_WAIT);
  remaining = wait;
  reclaimedBefore = reclaimed;
  const Memory = hostMemory();
  if (Memory === undefined) return;
  try {
    for (let k = 0; k < MEMORIES; k++) new Memory({ initial: PAGES, maximum: PAGES });
  } catch {
    // The address space is full of memories that wait for their collection: pressure there is.
  }
}

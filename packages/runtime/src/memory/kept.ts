/**
 * Arrays on the heap that may be kept alive for forgotten results smaller than they are. A loop that reads one array in each round
 * (`for (…) y = f(x).compute()`) would otherwise copy each result to the heap. What is kept for a result that is still wanted, though its
 * operand is not, is memory that nobody expects: so it has a limit.
 */
import { ONCE_AND_AGAIN } from "./lent.ts";
import type { Stay } from "./stay.ts";

const MOST_BYTES = 2 ** 27;

let kept = 0;

const collected = new FinalizationRegistry<number>((bytes) => {
  kept -= bytes;
});

/**
 * True if the array may be kept for results of so many bytes a run; from then on it counts until it is collected or given back. Runs that
 * gave as many bytes as it has would, if their results were held, take as much as it does.
 */
export function mayBeKept(stay: Stay, bytes: number, resultBytes: number): boolean {
  if (stay.isKept) return true;
  if (stay.uses < ONCE_AND_AGAIN || stay.uses * resultBytes < bytes || kept + bytes > MOST_BYTES)
    return false;
  kept += bytes;
  stay.isKept = true;
  collected.register(stay, bytes, stay);
  return true;
}

/** The array is given back. */
export function endKeeping(stay: Stay, bytes: number): void {
  if (!stay.isKept) return;
  kept -= bytes;
  stay.isKept = false;
  collected.unregister(stay);
}

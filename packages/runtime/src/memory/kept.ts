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

/** True if the array of so many bytes may be kept; from then on it counts until it is collected. */
export function mayBeKept(stay: Stay, bytes: number): boolean {
  if (stay.isKept) return true;
  if (stay.uses < ONCE_AND_AGAIN || kept + bytes > MOST_BYTES) return false;
  kept += bytes;
  stay.isKept = true;
  collected.register(stay, bytes);
  return true;
}

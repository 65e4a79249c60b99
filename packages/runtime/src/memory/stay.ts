/** What is known of elements that may have to leave memory, or from which such are to be computed: of small ones there is nothing. */
import type { Repeatable } from "./repeatable.ts";
import { Residence } from "./residents.ts";

export class Stay extends Residence {
  /** The run to repeat when they are forgotten, and which of its results they are; null where none can be. */
  origin: Repeatable | null = null;
  position = 0;
  /** How many forgotten results are to be computed from them. */
  pins = 0;
  /** What may be spent on computing them again, for the sake of what is to be computed from them. */
  allowance: number = Number.POSITIVE_INFINITY;
  /** Runs that have read them, counted while they are borrowed. */
  uses = 0;
  /** Their owner's end is waited for. */
  isWatched = false;
  /** They have left for want of room; should they be wanted again, there was too little. */
  hasLeft = false;
  /** The run that is about to begin writes over them: nothing can be computed from them afterwards. */
  isDoomed = false;
}

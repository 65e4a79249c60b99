/** The state of elements that may have to leave memory, or from which forgotten ones can be computed. Small elements have none. */
import type { Repeatable } from "./repeatable.ts";
import { Residence } from "./residents.ts";

export class Stay extends Residence {
  /** The run to repeat if the elements are forgotten, and which of its results they are; null if there is none. */
  origin: Repeatable | null = null;
  position = 0;
  /** How many forgotten results can only be computed from them. */
  pins = 0;
  /** The most that computing them again may cost, for the sake of what is computed from them. */
  allowance: number = Number.POSITIVE_INFINITY;
  /** How many runs have read them while they were lent, or larger than what was computed. */
  uses = 0;
  /** True if they may be kept for results that are smaller. */
  isKept = false;
  /** True if a finalizer watches their owner. */
  isWatched = false;
  /** True after they left for lack of room and not by being forgotten. If they are asked for again, there was too little room. */
  hasLeft = false;
  /** True while a run is about to overwrite them: nothing can be computed from them afterwards. */
  isDoomed = false;
}

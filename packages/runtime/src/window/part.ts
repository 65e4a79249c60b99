/**
 * A view, as it was made: what is read and written through one view is at one place, wherever the host has put it. Views of equal places are
 * other parts, as they need not be equal the next time (`execute/places/places.ts`).
 */
export class Part {
  /** What it is a view of; null for all of a tensor. */
  readonly within: Part | null;

  constructor(within: Part | null) {
    this.within = within;
  }
}

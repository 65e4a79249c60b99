/** Choices that a seed decides. */
import { generator } from "../measure/inputs.ts";

/** Spreads neighbouring seeds: 2³² over the golden ratio. */
const SPREAD = 0x9e3779b1;

export class Choices {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = generator(Math.imul(seed, SPREAD));
  }

  chance(part: number): boolean {
    return this.#next() < part;
  }

  /** A whole number from `low` to `high`, both among them. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** The same, small ones as likely as large ones: its logarithm is evenly spread. */
  magnitude(low: number, high: number): number {
    return Math.round(low * (high / low) ** this.#next());
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.between(0, list.length - 1)]!;
  }
}

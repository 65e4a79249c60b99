/** Lists of sizes that come again: what is computed in parts for sizes that are always others is compiled for sizes that are the same each time. */
import { mix } from "@fuseau/ir";

/** A list that came so often before comes again. */
const OFTEN = 8;
/** Recordings of more nodes have to come more often, as they take longer to compile. */
const NODES = 64;
/** So many lists are counted. */
const MOST = 256;

export class Recurring {
  /** By a hash of the list: how often it came. If two have the same, one of them is compiled sooner. */
  readonly #counts = new Map<number, number>();

  /** Counts a list. True if it has come often for what takes so many nodes to compute. */
  comesAgain(sizes: readonly number[], nodes = NODES): boolean {
    const key = sizes.reduce(mix, sizes.length);
    const count = this.#counts.get(key) ?? 0;
    this.#counts.delete(key);
    this.#counts.set(key, count + 1);
    if (this.#counts.size > MOST) this.#counts.delete(this.#counts.keys().next().value as number);
    return count >= OFTEN * Math.max(1, nodes / NODES);
  }
}

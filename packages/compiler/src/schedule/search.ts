/** A search beneath a node, through the indexes at which others are read. */
import type { Index } from "../indexing/index-expression.ts";

/** A node's element at an index. */
export interface Use {
  readonly node: number;
  readonly index: readonly Index[];
}

/** The uses found so far, each once, in the order of finding. The loop over them may visit more: at most `limit`, so that it stays linear. */
export class Search {
  readonly uses: Use[] = [];
  readonly #seen = new Map<number, (readonly Index[])[]>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  visit(node: number, index: readonly Index[]): void {
    if (this.uses.length >= this.#limit) return;
    const known = this.#seen.get(node);
    if (known === undefined) this.#seen.set(node, [index]);
    else if (known.some((other) => other.every((part, k) => part === index[k]))) return;
    else known.push(index);
    this.uses.push({ node, index });
  }
}

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
  readonly #seen = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  visit(node: number, index: readonly Index[]): void {
    const key = `${node},${index.map(({ id }) => id)}`;
    if (this.#seen.has(key) || this.#seen.size >= this.#limit) return;
    this.#seen.add(key);
    this.uses.push({ node, index });
  }
}

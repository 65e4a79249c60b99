/** A bounded map that forgets what was used longest ago. Keys are compared by the engine, so a hit is a true equality. */
export interface CacheCounters {
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly size: number;
  readonly limit: number;
}

export class LruCache<Key, Entry> {
  readonly #entries = new Map<Key, { entry: Entry; used: number }>();
  #clock = 0;
  #limit: number;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  readonly #forgotten: (entry: Entry) => void;

  /** `forgotten` is told of every entry that leaves. */
  constructor(limit: number, forgotten: (entry: Entry) => void = () => {}) {
    this.#limit = limit;
    this.#forgotten = forgotten;
  }

  get(key: Key): Entry | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    found.used = ++this.#clock;
    return found.entry;
  }

  set(key: Key, entry: Entry): void {
    this.#entries.set(key, { entry, used: ++this.#clock });
    this.#shrink();
  }

  setLimit(limit: number): void {
    this.#limit = limit;
    this.#shrink();
  }

  clear(): void {
    for (const { entry } of this.#entries.values()) this.#forgotten(entry);
    this.#entries.clear();
  }

  counters(): CacheCounters {
    return {
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      size: this.#entries.size,
      limit: this.#limit,
    };
  }

  #shrink(): void {
    while (this.#entries.size > this.#limit) {
      let oldest: Key | undefined;
      let used = Number.POSITIVE_INFINITY;
      // A scan, since it is paid for by a miss, which costs a thousand times more.
      for (const [key, held] of this.#entries) if (held.used < used) [oldest, used] = [key, held.used];
      this.#forgotten((this.#entries.get(oldest as Key) as { entry: Entry }).entry);
      this.#entries.delete(oldest as Key);
      this.#evictions++;
    }
  }
}

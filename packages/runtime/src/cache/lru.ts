/** A cache bounded in entries and in bytes, which forgets what was used longest ago. Several entries may have one key. */
export interface CacheCounters {
  /** Look-ups that found the very entry, and those that did not. */
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** Entries held, and at most. */
  readonly size: number;
  readonly limit: number;
  /** Bytes held, as estimated, and at most. */
  readonly bytes: number;
  readonly bytesLimit: number;
}

interface Held<Key, Entry> {
  readonly key: Key;
  readonly entry: Entry;
  readonly bytes: number;
}

export class LruCache<Key, Entry> {
  readonly #byKey = new Map<Key, Held<Key, Entry>[]>();
  /** The one used longest ago first. */
  readonly #inOrder = new Set<Held<Key, Entry>>();
  #limit = Number.POSITIVE_INFINITY;
  #bytesLimit = Number.POSITIVE_INFINITY;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  readonly #forgotten: (entry: Entry) => void;

  /** `forgotten` is told of every entry that leaves. */
  constructor(forgotten: (entry: Entry) => void = () => {}) {
    this.#forgotten = forgotten;
  }

  /** The entry of that key which `isWanted`. */
  find(key: Key, isWanted: (entry: Entry) => boolean = () => true): Entry | undefined {
    const found = this.#byKey.get(key)?.find(({ entry }) => isWanted(entry));
    if (found === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.#inOrder.delete(found);
    this.#inOrder.add(found);
    return found.entry;
  }

  /** The entry of that key, without counting or using it. */
  peek(key: Key): Entry | undefined {
    return this.#byKey.get(key)?.[0]?.entry;
  }

  add(key: Key, entry: Entry, bytes: number): void {
    const held = { key, entry, bytes };
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [held]);
    else known.push(held);
    this.#inOrder.add(held);
    this.#bytes += bytes;
    this.#shrink();
  }

  setLimits(limit: number, bytesLimit: number): void {
    this.#limit = limit;
    this.#bytesLimit = bytesLimit;
    this.#shrink();
  }

  clear(): void {
    for (const { entry } of this.#inOrder) this.#forgotten(entry);
    this.#byKey.clear();
    this.#inOrder.clear();
    this.#bytes = 0;
  }

  counters(): CacheCounters {
    return {
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      size: this.#inOrder.size,
      limit: this.#limit,
      bytes: this.#bytes,
      bytesLimit: this.#bytesLimit,
    };
  }

  #shrink(): void {
    for (const oldest of this.#inOrder) {
      if (this.#inOrder.size <= this.#limit && this.#bytes <= this.#bytesLimit) return;
      const rest = (this.#byKey.get(oldest.key) as Held<Key, Entry>[]).filter((held) => held !== oldest);
      if (rest.length === 0) this.#byKey.delete(oldest.key);
      else this.#byKey.set(oldest.key, rest);
      this.#inOrder.delete(oldest);
      this.#bytes -= oldest.bytes;
      this.#evictions++;
      this.#forgotten(oldest.entry);
    }
  }
}

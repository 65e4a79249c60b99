/** A cache that is bounded in entries and in bytes and drops what was used longest ago. Several entries may have one key. */
export interface CacheCounters {
  /** Lookups that found their entry, and those that did not. */
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** Entries now, and the most allowed. */
  readonly size: number;
  readonly limit: number;
  /** Estimated bytes now, and the most allowed. */
  readonly bytes: number;
  readonly bytesLimit: number;
}

/** An entry, linked to the one used before it and the one used after it. */
export class Held<Key, Entry> {
  readonly key: Key;
  readonly entry: Entry;
  bytes: number;
  /** False once it was dropped. */
  isIn = true;
  /** Another entry of the same key. */
  next: Held<Key, Entry> | null = null;
  older: Held<Key, Entry> | null = null;
  newer: Held<Key, Entry> | null = null;

  constructor(key: Key, entry: Entry, bytes: number) {
    this.key = key;
    this.entry = entry;
    this.bytes = bytes;
  }
}

/**
 * The order of use is a linked list. A Map whose entries are deleted and inserted again at each use fills its table, which is rebuilt every
 * few uses; the old tables of small maps live long enough to keep each other from being collected.
 */
export class LruCache<Key, Entry> {
  /** By key: the first of its entries. */
  readonly #byKey = new Map<Key, Held<Key, Entry>>();
  #oldest: Held<Key, Entry> | null = null;
  #newest: Held<Key, Entry> | null = null;
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #bytesLimit = Number.POSITIVE_INFINITY;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  readonly #forgotten: (entry: Entry) => void;

  /** `forgotten` is called with every entry that is dropped. */
  constructor(forgotten: (entry: Entry) => void = () => {}) {
    this.#forgotten = forgotten;
  }

  /** The entry of that key for which `isWanted` is true. */
  find(key: Key, isWanted: (entry: Entry) => boolean = () => true): Entry | undefined {
    let held = this.#byKey.get(key) ?? null;
    while (held !== null && !isWanted(held.entry)) held = held.next;
    if (held === null) {
      this.#misses++;
      return undefined;
    }
    this.use(held);
    return held.entry;
  }

  /** Uses an entry, and counts a hit. One that was dropped stays so. */
  use(held: Held<Key, Entry>): void {
    this.#hits++;
    if (held === this.#newest || !held.isIn) return;
    this.#unlink(held);
    this.#append(held);
  }

  /** The entry of that key, without counting or using it. */
  peek(key: Key): Entry | undefined {
    return this.#byKey.get(key)?.entry;
  }

  /** If there is no room for the value, `forgotten` is called at once. */
  add(key: Key, entry: Entry, bytes: number): Held<Key, Entry> {
    const held = new Held(key, entry, bytes);
    let last = this.#byKey.get(key);
    if (last === undefined) this.#byKey.set(key, held);
    else {
      while (last.next !== null) last = last.next;
      last.next = held;
    }
    this.#append(held);
    this.#size++;
    this.#bytes += bytes;
    this.#shrink();
    return held;
  }

  /** The entry now holds so many bytes more, or fewer if that is negative. It may be dropped for that. */
  grow(held: Held<Key, Entry>, bytes: number): void {
    if (!held.isIn) return;
    held.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink();
  }

  setLimits(limit: number, bytesLimit: number): void {
    this.#limit = limit;
    this.#bytesLimit = bytesLimit;
    this.#shrink();
  }

  clear(): void {
    for (let held = this.#oldest; held !== null; held = held.newer) {
      held.isIn = false;
      this.#forgotten(held.entry);
    }
    this.#byKey.clear();
    this.#oldest = this.#newest = null;
    this.#size = this.#bytes = 0;
  }

  counters(): CacheCounters {
    return {
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      size: this.#size,
      limit: this.#limit,
      bytes: this.#bytes,
      bytesLimit: this.#bytesLimit,
    };
  }

  #append(held: Held<Key, Entry>): void {
    held.older = this.#newest;
    held.newer = null;
    if (this.#newest === null) this.#oldest = held;
    else this.#newest.newer = held;
    this.#newest = held;
  }

  #unlink({ older, newer }: Held<Key, Entry>): void {
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
  }

  #shrink(): void {
    for (let held = this.#oldest; held !== null; held = this.#oldest) {
      if (this.#size <= this.#limit && this.#bytes <= this.#bytesLimit) return;
      held.isIn = false;
      this.#unlink(held);
      this.#removeFromKey(held);
      this.#size--;
      this.#bytes -= held.bytes;
      this.#evictions++;
      this.#forgotten(held.entry);
    }
  }

  #removeFromKey(held: Held<Key, Entry>): void {
    let known = this.#byKey.get(held.key) as Held<Key, Entry>;
    if (known === held) {
      if (held.next === null) this.#byKey.delete(held.key);
      else this.#byKey.set(held.key, held.next);
      return;
    }
    while (known.next !== held) known = known.next as Held<Key, Entry>;
    known.next = held.next;
  }
}

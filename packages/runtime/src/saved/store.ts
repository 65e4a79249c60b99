/** A store of saved entries: a folder, or what a page has. Names consist of letters, digits and hyphens. */
export interface CacheStore {
  /** Loads all entries, so that `read` finds them, in hosts that cannot read at once. `await ready()` waits for it. */
  load?(): Promise<void>;
  /** An entry; null if there is none, or none yet. */
  read(name: string): Uint8Array | null;
  /** Writes an entry, in place of one of that name. It may finish in the background. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
  remove(name: string): void | Promise<void>;
  /** The entries, the oldest first. */
  list(): readonly StoredEntry[];
}

export interface StoredEntry {
  readonly name: string;
  readonly bytes: number;
}

/** Where saved entries lie: a folder, or what a page has. Names are made of letters, digits and a hyphen. */
export interface CacheStore {
  /** Brings what is there to where `read` finds it, in hosts that cannot read at once; `await ready()` waits for it. */
  load?(): Promise<void>;
  /** An entry; null where there is none, or none yet. */
  read(name: string): Uint8Array | null;
  /** Keeps an entry in place of one of that name; may go on in the background. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
  remove(name: string): void | Promise<void>;
  /** What is there, that written longest ago first. */
  list(): readonly StoredEntry[];
}

export interface StoredEntry {
  readonly name: string;
  readonly bytes: number;
}

/** A store that is read as a whole in advance and answers from memory, for hosts that can only read in the background. */
import type { CacheStore } from "./store.ts";

export interface Background {
  /** In the order in which they were written. */
  all(): Promise<readonly { readonly name: string; readonly bytes: Uint8Array }[]>;
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  remove(name: string): Promise<void>;
}

export function loadedStore(background: Background): CacheStore {
  const entries = new Map<string, Uint8Array>();
  return {
    async load() {
      // An entry that was written in the meantime is newer.
      const written = [...entries];
      entries.clear();
      for (const { name, bytes } of await background.all()) entries.set(name, bytes);
      for (const [name, bytes] of written) entries.set(name, bytes);
    },
    read: (name) => entries.get(name) ?? null,
    write(name, bytes) {
      entries.delete(name);
      entries.set(name, bytes);
      return background.put(name, bytes);
    },
    remove(name) {
      entries.delete(name);
      return background.remove(name);
    },
    list: () => [...entries].map(([name, bytes]) => ({ name, bytes: bytes.length })),
  };
}

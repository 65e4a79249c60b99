/** fuseau/cache: stores in which pages keep compiled programs for the next visit. docs/latency.md has the details. */
export { cacheApiCache } from "./saved/cache-api.ts";
export { indexedDBCache } from "./saved/indexed-db.ts";
export type { CacheStore, StoredEntry } from "./saved/store.ts";

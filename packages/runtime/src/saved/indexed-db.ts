/** IndexedDB as a store of saved programs, in pages and their workers. */
import { declareFunction } from "../declare/declaration.ts";
import { loadedStore } from "./loaded.ts";
import type { CacheStore } from "./store.ts";

interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface OpenRequest extends Request<Database> {
  onupgradeneeded: (() => void) | null;
}

interface Database {
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: "readonly" | "readwrite"): { objectStore(name: string): ObjectStore };
}

interface ObjectStore {
  getAllKeys(): Request<readonly string[]>;
  getAll(): Request<readonly Kept[]>;
  put(value: Kept, key: string): Request<unknown>;
  delete(key: string): Request<unknown>;
}

interface Kept {
  readonly bytes: Uint8Array;
  /** When it was written, in milliseconds. */
  readonly written: number;
}

interface Host {
  readonly indexedDB?: { open(name: string, version: number): OpenRequest };
}

const PROGRAMS = "programs";

/**
 * For `setOptions({ cache: indexedDBCache() })`: saves programs in a database of this name. `await ready()` reads them; programs that run
 * before that are compiled.
 * @throws Error where there is no IndexedDB.
 */
export const indexedDBCache = declareFunction(
  "indexedDBCache(name?: text)",
  (name = "fuseau"): CacheStore => {
    const { indexedDB } = globalThis as unknown as Host;
    if (indexedDB === undefined) throw new Error("this host has no IndexedDB");
    let opened: Promise<Database> | undefined;
    const open = (): Promise<Database> => {
      opened ??= (() => {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(PROGRAMS);
        return resultOf(request);
      })();
      return opened;
    };
    const objects = async (mode: "readonly" | "readwrite"): Promise<ObjectStore> =>
      (await open()).transaction(PROGRAMS, mode).objectStore(PROGRAMS);
    return loadedStore({
      async all() {
        const store = await objects("readonly");
        const [names, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
        const found = names.map((key, k) => ({ name: key, ...(values[k] as Kept) }));
        return found.sort((a, b) => a.written - b.written);
      },
      async put(key, bytes) {
        await resultOf((await objects("readwrite")).put({ bytes, written: Date.now() }, key));
      },
      async remove(key) {
        await resultOf((await objects("readwrite")).delete(key));
      },
    });
  },
);

const resultOf = <T>(request: Request<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

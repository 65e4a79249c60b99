/** The Cache API as a store of saved programs: in pages, their workers, and Deno. */
import { declareFunction } from "../declare/declaration.ts";
import { loadedStore } from "./loaded.ts";
import type { CacheStore } from "./store.ts";

interface ResponseLike {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface RequestCache {
  keys(): Promise<readonly { readonly url: string }[]>;
  match(url: string): Promise<ResponseLike | undefined>;
  put(url: string, response: ResponseLike): Promise<void>;
  delete(url: string): Promise<boolean>;
}

interface Host {
  readonly caches?: { open(name: string): Promise<RequestCache> };
  readonly Response: new (
    body: Uint8Array<ArrayBuffer>,
    options: { readonly headers: Readonly<Record<string, string>> },
  ) => ResponseLike;
}

/** A name for entries; nothing is ever fetched from there. */
const BASE = "https://fuseau.invalid/";
const WRITTEN = "x-written";

/**
 * For `setOptions({ cache: cacheApiCache() })`: saves programs in the cache of this name. `await ready()` reads them; programs that run
 * before that are compiled.
 * @throws Error where there is no Cache API, as in pages that are not secure.
 */
export const cacheApiCache = declareFunction("cacheApiCache(name?: text)", (name = "fuseau"): CacheStore => {
  const { caches, Response } = globalThis as unknown as Host;
  if (caches === undefined) throw new Error("this host has no Cache API (pages have it over https)");
  let opened: Promise<RequestCache> | undefined;
  const open = (): Promise<RequestCache> => {
    opened ??= caches.open(name);
    return opened;
  };
  return loadedStore({
    async all() {
      const cache = await open();
      const found = await Promise.all(
        (await cache.keys()).map(async ({ url }) => {
          const response = (await cache.match(url)) as ResponseLike;
          const written = Number(response.headers.get(WRITTEN));
          return {
            name: url.slice(BASE.length),
            written,
            bytes: new Uint8Array(await response.arrayBuffer()),
          };
        }),
      );
      return found.sort((a, b) => a.written - b.written);
    },
    async put(key, bytes) {
      const headers = { [WRITTEN]: String(Date.now()) };
      await (await open()).put(BASE + key, new Response(bytes, { headers }));
    },
    async remove(key) {
      await (await open()).delete(BASE + key);
    },
  });
});

/**
 * Saves entries for later processes, under a text that identifies each. If anything fails, a warning is printed once, and work goes on
 * without the store.
 */
import { watchOptions } from "../options.ts";
import { encodeText } from "../text-coding.ts";
import { decode, encode } from "./encode.ts";
import { folderStore } from "./folder.ts";
import { hashOf, sealed, unsealed } from "./seal.ts";
import type { CacheStore } from "./store.ts";

/** Counters of the cache that outlives the process. */
export interface SavedCounters {
  readonly hits: number;
  readonly misses: number;
  readonly written: number;
  /** Entries that could not be read or written, that were damaged, or that another version wrote. */
  readonly failures: number;
}

const DEFAULT_BYTES = 2 ** 26;

let chosen: CacheStore | string | undefined;
let store: CacheStore | null = null;
let limit = DEFAULT_BYTES;
/** Bytes by name, oldest first; null until they are needed. */
let sizes: Map<string, number> | null = null;
let counters: SavedCounters = { hits: 0, misses: 0, written: 0, failures: 0 };
let isSaid = false;

watchOptions(({ cache, cacheBytesLimit = DEFAULT_BYTES }) => {
  limit = cacheBytesLimit;
  if (cache === chosen) return;
  chosen = cache;
  store = sizes = null;
  isSaid = false;
  if (cache === undefined) return;
  store = tried("opened", () => (typeof cache === "string" ? folderStore(cache) : cache));
});

export const savedCounters = (): SavedCounters => counters;

/** True if anything is saved at all. */
export const isSaving = (): boolean => store !== null;

/** Waits for stores that cannot read at once. */
export async function loadSaved(): Promise<void> {
  try {
    await store?.load?.();
  } catch (error) {
    note("read", error);
  }
}

/** The entry of this text; null if there is none, or none that is certain to be what was written. */
export function readSaved<T>(of: string, accept: (data: unknown) => T | null): T | null {
  const from = store;
  if (from === null) return null;
  const found = tried("read", () => {
    const entry = from.read(nameOf(of));
    if (entry === null) return null;
    const saved = decode(unsealed(entry)) as { readonly of: string; readonly data: unknown };
    // Two texts may have one hash, so the text itself is compared.
    return saved.of === of ? accept(saved.data) : null;
  });
  const hit = found !== null;
  counters = { ...counters, hits: counters.hits + (hit ? 1 : 0), misses: counters.misses + (hit ? 0 : 1) };
  return found;
}

export function save(of: string, data: unknown): void {
  const to = store;
  if (to === null) return;
  tried("written", () => {
    const bytes = sealed(encode({ of, data }));
    if (bytes.length > limit) return null;
    const name = nameOf(of);
    makeRoom(to, name, bytes.length);
    later(to.write(name, bytes));
    counters = { ...counters, written: counters.written + 1 };
    return null;
  });
}

/** Deletes the oldest entries until there is room for one more. */
function makeRoom(from: CacheStore, name: string, bytes: number): void {
  sizes ??= new Map(from.list().map((entry) => [entry.name, entry.bytes]));
  sizes.delete(name);
  let held = bytes;
  for (const size of sizes.values()) held += size;
  for (const [oldest, size] of sizes) {
    if (held <= limit) break;
    later(from.remove(oldest));
    sizes.delete(oldest);
    held -= size;
  }
  sizes.set(name, bytes);
}

const nameOf = (of: string): string => hashOf(encodeText(of));

/** Null if it throws, which is counted. */
export function tried<T>(done: string, run: () => T | null): T | null {
  try {
    return run();
  } catch (error) {
    note(done, error);
    return null;
  }
}

function later(written: void | Promise<void>): void {
  if (written instanceof Promise) written.catch((error: unknown) => note("written", error));
}

interface Host {
  readonly console?: { warn(message: string): void };
}

function note(done: string, error: unknown): void {
  counters = { ...counters, failures: counters.failures + 1 };
  if (isSaid) return;
  isSaid = true;
  const why = error instanceof Error ? error.message : String(error);
  const where = typeof chosen === "string" ? `${chosen}: ` : "";
  (globalThis as unknown as Host).console?.warn(
    `fuseau: the cache could not be ${done}: ${where}${why}. Programs are compiled without it. (stats().saved.failures counts what fails; this is said once.)`,
  );
}

/** A folder as a store, in Node, Deno and Bun. */
import { builtin } from "../builtin.ts";
import type { CacheStore, StoredEntry } from "./store.ts";

interface Files {
  mkdirSync(path: string, options: { readonly recursive: true }): void;
  existsSync(path: string): boolean;
  readFileSync(path: string): Uint8Array;
  writeFileSync(path: string, bytes: Uint8Array): void;
  renameSync(from: string, to: string): void;
  rmSync(path: string, options: { readonly force: true }): void;
  readdirSync(path: string): readonly string[];
  statSync(path: string): { readonly size: number; readonly mtimeMs: number };
}

/** Files with another ending are left alone. */
const SUFFIX = ".fuseau";

/** @throws Error in hosts without files. */
export function folderStore(folder: string): CacheStore {
  const files = builtin("node:fs") as Files | undefined;
  if (files === undefined)
    throw new Error(
      "this host has no folders (Node has from 20.16 on; pages have indexedDBCache and cacheApiCache of fuseau/cache)",
    );
  const pathOf = (name: string): string => `${folder}/${name}${SUFFIX}`;
  const writer = (builtin("node:process") as { readonly pid: number } | undefined)?.pid ?? 0;
  return {
    read(name) {
      const path = pathOf(name);
      return files.existsSync(path) ? files.readFileSync(path) : null;
    },
    // Written under another name first, so that no other process reads half of it.
    write(name, bytes) {
      files.mkdirSync(folder, { recursive: true });
      const draft = `${folder}/${name}-${writer}.draft`;
      files.writeFileSync(draft, bytes);
      try {
        files.renameSync(draft, pathOf(name));
      } catch (error) {
        files.rmSync(draft, { force: true });
        throw error;
      }
    },
    remove: (name) => files.rmSync(pathOf(name), { force: true }),
    list() {
      if (!files.existsSync(folder)) return [];
      const found: (StoredEntry & { readonly age: number })[] = [];
      for (const file of files.readdirSync(folder)) {
        if (!file.endsWith(SUFFIX)) continue;
        const { size, mtimeMs } = files.statSync(`${folder}/${file}`);
        found.push({ name: file.slice(0, -SUFFIX.length), bytes: size, age: mtimeMs });
      }
      return found.sort((a, b) => a.age - b.age);
    },
  };
}

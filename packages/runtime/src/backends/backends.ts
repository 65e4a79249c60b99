/** The list of backends. An entry point may add to those that every host has. */
import type { LinearCounters } from "../memory/blocks.ts";
import type { Backend } from "./backend.ts";
import { closure } from "./closure.ts";
import { js } from "./js.ts";

const known: Backend[] = [js, closure];

/** In order of preference, if a program is worth it. Every host has the last one. */
export const backends: readonly Backend[] = known;

/** Adds a backend in front of the others. */
export function addBackend(backend: Backend): void {
  if (!known.includes(backend)) known.unshift(backend);
}

/** By its key, which is the name of its emitter where that is asked for. @throws Error if no imported entry point has it. */
export function backendNamed(name: string): Backend {
  const found = known.find(({ key }) => key === name);
  if (found !== undefined) return found;
  const there = [...new Set(known.map((backend) => `"${backend.name}"`))].join(" and ");
  throw new Error(
    `compute: emitter "${name}": fuseau/js has ${there} alone (import "fuseau" for all, or leave emitter out)`,
  );
}

/** True if some backend computes on several threads. */
export const canHaveThreads = (): boolean => known.some((backend) => backend.ready !== undefined);

/** How many threads compute once all are ready or have failed. */
export async function ready(): Promise<number> {
  const threads = await Promise.all(known.map((backend) => backend.ready?.() ?? 1));
  return Math.max(...threads);
}

const none: LinearCounters = { reserved: 0, used: 0, results: 0, copies: 0 };

/** Counters of the one memory beside the heap. */
export const linearCounters = (): LinearCounters =>
  known.find((backend) => backend.counters !== undefined)?.counters?.() ?? none;

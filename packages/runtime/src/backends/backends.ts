/** The backends there are. An entry point may add to those that every host has. */
import type { Emitter } from "@fuseau/compiler";
import type { LinearCounters } from "../memory/blocks.ts";
import type { Backend } from "./backend.ts";
import { closure } from "./closure.ts";
import { js } from "./js.ts";

const known: Backend[] = [js, closure];

/** In the order in which they are preferred, if a program is worth it; the last is there in every host. */
export const backends: readonly Backend[] = known;

/** It is preferred to those there are. */
export function addBackend(backend: Backend): void {
  if (!known.includes(backend)) known.unshift(backend);
}

/** @throws Error when the entry points that were imported do not have it. */
export function backendNamed(name: Emitter): Backend {
  const found = known.find((backend) => backend.name === name);
  if (found !== undefined) return found;
  const there = known.map((backend) => `"${backend.name}"`).join(" and ");
  throw new Error(
    `compute: emitter "${name}": fuseau/js has ${there} alone (import "fuseau" for all, or leave emitter out)`,
  );
}

/** Whether any backend computes on several. */
export const canHaveThreads = (): boolean => known.some((backend) => backend.ready !== undefined);

/** How many threads compute once all are ready or will never be. */
export async function ready(): Promise<number> {
  const threads = await Promise.all(known.map((backend) => backend.ready?.() ?? 1));
  return Math.max(...threads);
}

const none: LinearCounters = { reserved: 0, used: 0, results: 0, copies: 0 };

/** Of the one memory beside the heap that there is. */
export const linearCounters = (): LinearCounters =>
  known.find((backend) => backend.counters !== undefined)?.counters?.() ?? none;

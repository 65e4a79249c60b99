/** How many threads compute: a setting of the process. */
import { showArgument } from "@fuseau/ir";
import { findHost, type Host } from "./host.ts";
import { SLOTS } from "./layout.ts";

/** More than this gain little, because threads share the memory's bandwidth. */
const MOST_BY_DEFAULT = 8;
/** Half of the slots, so that there is room for new workers while old ones end. */
const MOST = SLOTS / 2;

let host: Host | null = null;
let chosen: number | null = null;
let refused = false;
const watchers: ((threads: number) => void)[] = [];

/** The host of all threads of the process. */
export function threadHost(): Host {
  host ??= findHost();
  return host;
}

/**
 * How many threads compute at most, the main thread included: the number given to `setThreads`, else as many as the machine runs at the
 * same time, up to 8. Always 1 where threads cannot share memory, as in a page that is not cross-origin isolated. Kernels in JavaScript
 * always run on one thread.
 */
export function getThreads(): number {
  const { parallelism, startWorker } = threadHost();
  if (startWorker === null || refused) return 1;
  return chosen ?? Math.min(parallelism, MOST_BY_DEFAULT);
}

/**
 * Sets how many threads compute at most, the main thread included. With 1 no other thread is ever started. Results do not depend on it.
 * @throws RangeError unless it is a whole number from 1 to 32.
 */
export function setThreads(threads: number): void {
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST)
    throw new RangeError(
      `setThreads: threads must be a whole number from 1 to ${MOST}, not ${showArgument(threads)}`,
    );
  chosen = threads;
  announce();
}

/** Called when the host has refused to start a worker: one thread from now on. */
export function refuseThreads(): void {
  refused = true;
  announce();
}

/** Calls `listener` now and after each change. */
export function watchThreads(watcher: (threads: number) => void): void {
  watchers.push(watcher);
  watcher(getThreads());
}

function announce(): void {
  for (const watcher of watchers) watcher(getThreads());
}

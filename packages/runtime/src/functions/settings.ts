/** Settings and counters of the whole process. */

import { canHaveThreads, ready as prepared } from "../backends/backends.ts";
import { declareFunction } from "../declare/declaration.ts";
import { getOptions as options, setOptions as set } from "../options.ts";
import { loadSaved } from "../saved/saved.ts";
import { clearCaches as clear, stats as counted } from "../stats.ts";
import { setThreads as limit, getThreads as threads } from "../threads/thread-count.ts";

/**
 * Sets options for all later calls. Options that are not named keep their values, and `undefined` restores the default.
 * @throws TypeError for an unknown option or value.
 */
export const setOptions = declareFunction("setOptions(options)", set);

/** The options that were set. */
export const getOptions = declareFunction("getOptions()", options);

/** A snapshot of the counters. All of them only grow, except sizes and bytes in use. */
export const stats = declareFunction("stats()", counted);

/** Drops every compiled program and kernel, and frees pooled memory. Results stay readable. */
export const clearCaches = declareFunction("clearCaches()", clear);

/**
 * How many threads compute at most, the main thread included: the number given to `setThreads`, else as many as the machine runs at the
 * same time, up to 8. Always 1 where threads cannot share memory, as in a page that is not cross-origin isolated, and in `fuseau/js`.
 * Kernels in JavaScript always run on one thread.
 */
export const getThreads = declareFunction("getThreads()", () => (canHaveThreads() ? threads() : 1));

/**
 * Sets how many threads compute at most, the main thread included. With 1 no other thread is ever started. Results do
 * not depend on it.
 * @throws RangeError unless it is a whole number from 1 to 32.
 */
export const setThreads = declareFunction("setThreads(threads)", limit);

/**
 * Resolves when as many threads are ready as `setThreads` allows, or as can be started, with their number, the main thread included. Until
 * then the process stays alive; idle workers do not keep it alive. Programs that a page has saved (`setOptions({ cache })`) are loaded then
 * too. It is never needed: threads are started in the background when large programs run. It saves the first of them the wait, and lets
 * tests and timings know that all are ready.
 */
export const ready = declareFunction("ready()", async (): Promise<number> => {
  await loadSaved();
  return prepared();
});

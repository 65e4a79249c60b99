/** Runs one program once, in a process that does nothing else: `node once.mjs NAME`. */
import { readFileSync } from "node:fs";
import { setOptions, stats } from "fuseau";
import { programs } from "./programs.ts";

export interface Once {
  /** From the first call to the last, compiling included. */
  readonly milliseconds: number;
  readonly value: number;
  /** Programs that were compiled. */
  readonly compiled: number;
  /** Bytes of the largest resident set that the process ever had (Linux). */
  readonly peak: number;
}

// One item of work is for one thread.
setOptions({ slice: Number.MAX_SAFE_INTEGER });
const start = performance.now();
const value = (programs[process.argv[2] ?? ""] as () => number)();
const milliseconds = performance.now() - start;
const kilobytes = /VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
const { misses } = stats().programs;
const once: Once = { milliseconds, value, compiled: misses, peak: 1024 * Number(kilobytes) };
console.log(JSON.stringify(once));
process.exit();

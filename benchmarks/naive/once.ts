/** Runs one program once, in a process that does nothing else: `node once.mjs NAME fuseau|loop [1]`. */
import { readFileSync } from "node:fs";
import { setOptions } from "fuseau";
import { programs } from "./programs.ts";

export interface Once {
  readonly milliseconds: number;
  /** Bytes of the largest resident set that the process ever had (Linux). */
  readonly peak: number;
  readonly value: number;
}

const [name = "", variant = "fuseau", threads] = process.argv.slice(2);
// One item of work is for one thread.
if (threads === "1") setOptions({ slice: Number.MAX_SAFE_INTEGER });
const run = programs[name]![variant as "fuseau" | "loop"]();
const start = performance.now();
const value = run();
const milliseconds = performance.now() - start;
const kilobytes = /VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
const once: Once = { milliseconds, peak: 1024 * Number(kilobytes), value };
console.log(JSON.stringify(once));
process.exit();

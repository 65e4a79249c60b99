/** Peak memory of the airports, in a process that does nothing else. */
import { existsSync, readFileSync } from "node:fs";
import { computeTogether, explainTogether, stats } from "../measure/runtime.ts";
import { airportCoordinates, nearestOf, placesAt } from "../suites/airports.ts";
import { send } from "./send.ts";

export interface AirportsMemory {
  readonly kernels: number;
  /** Bytes of all arrays that the program takes: inputs, results, what is handed between kernels, scratch. */
  readonly arrays: number;
  /** Bytes of the largest resident set that the process ever had. */
  readonly peak: number;
  /** The same before the computation began. */
  readonly peakBefore: number;
  /** Bytes of typed arrays after it, results and what the pool keeps included. */
  readonly arrayBuffers: number;
}

const fusion = process.argv[2] === "eager" ? "none" : "on";

/** Linux hands `maxRSS` of a parent down to its children; VmHWM is the process's own. */
function peakOf(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const own = /VmHWM:\s*(\d+) kB/.exec(status)?.[1];
  return 1024 * (own === undefined ? process.resourceUsage().maxRSS : Number(own));
}

const places = placesAt(airportCoordinates());
const arrays = explainTogether(nearestOf(places), { fusion }).bytes.peak;
const peakBefore = peakOf();
const before = stats().runs.kernels;
computeTogether(nearestOf(places), { fusion });
const result: AirportsMemory = {
  kernels: stats().runs.kernels - before,
  arrays,
  peak: peakOf(),
  peakBefore,
  arrayBuffers: process.memoryUsage().arrayBuffers,
};
send(result);

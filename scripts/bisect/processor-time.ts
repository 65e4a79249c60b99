/** How long something takes the processor. */
import { cpuUsage } from "node:process";

/** Milliseconds in a measurement: processor time is counted in steps of a few. */
const LEAST = 40;

/** Milliseconds of processor time that a run takes, of as many as fill a measurement. */
export function processorTime(run: () => void): number {
  for (let times = 1; ; times *= 2) {
    const begin = cpuUsage();
    for (let k = 0; k < times; k++) run();
    const { user, system } = cpuUsage(begin);
    const ms = (user + system) / 1_000;
    if (ms >= LEAST) return ms / times;
  }
}

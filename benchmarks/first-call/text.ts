/** First calls as lines of a table. */
import { type FirstCall, passes } from "./measure.ts";

const columns = ["first", "again", ...passes, "run", "kernels", "bytes", "largest"];
const WIDTH = 9;

export const headText: string = `${columns.map((column) => column.padStart(WIDTH)).join("")}  program`;

export function lineOf(name: string, call: FirstCall): string {
  const times = passes.map((pass) => call.passes[pass]);
  const rest = call.first - times.reduce((a, b) => a + b, 0);
  const shown = [call.first, call.second, ...times, rest].map((time) => time.toFixed(1));
  const sizes = [call.kernels, call.bytes, call.largest].map(String);
  return `${[...shown, ...sizes].map((cell) => cell.padStart(WIDTH)).join("")}  ${name} (${call.emitter})`;
}

/** Of first calls and of bytes: the middle, nine of ten, nineteen of twenty, the most. */
export function distributionText(calls: readonly FirstCall[]): string {
  const row = (what: string, numbers: readonly number[], digits: number): string => {
    const sorted = [...numbers].sort((a, b) => a - b);
    const at = (part: number): string =>
      (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(digits);
    return `${what}: median ${at(0.5)}, 90 % ${at(0.9)}, 95 % ${at(0.95)}, most ${at(1)}`;
  };
  return [
    row(
      `first calls of ${calls.length}, ms`,
      calls.map(({ first }) => first),
      1,
    ),
    row(
      "of these the processor's, ms",
      calls.map(({ processor }) => processor),
      1,
    ),
    row(
      "bytes of all kernels",
      calls.map(({ bytes }) => bytes),
      0,
    ),
    row(
      "bytes of a kernel",
      calls.map(({ largest }) => largest),
      0,
    ),
  ].join("\n");
}

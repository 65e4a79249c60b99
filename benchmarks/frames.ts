/**
 * Frames that are late while programs are new: each program computes 120 frames, 60 in a second, with what fuseau does while the host is idle
 * (`warm`) and without it. Each run is a process of its own, in turn.
 *
 *     node benchmarks/bundled.mjs frames.ts [--only NAME] [--rounds 5]
 */
import { execFileSync } from "node:child_process";
import { setOptions } from "fuseau";
import { commandLine } from "../scripts/command-line.ts";
import { programs } from "./frames/programs.ts";
import { median } from "./measure/statistics.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    once: { type: "string" },
    cold: { type: "boolean", default: false },
  },
});
const [FRAMES, BETWEEN] = [120, 1000 / 60];

interface Once {
  readonly late: number;
  readonly total: number;
}

if (asked.once === undefined) await compare();
else console.log(JSON.stringify(await run(asked.once, asked.cold)));
process.exit();

async function run(name: string, isCold: boolean): Promise<Once> {
  setOptions({ warm: isCold ? false : undefined });
  const frame = (programs[name] as () => (frame: number) => unknown)();
  const times: number[] = [];
  const start = performance.now();
  for (let k = 0; k < FRAMES; k++) {
    const wait = start + k * BETWEEN - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    const begin = performance.now();
    frame(k);
    times.push(performance.now() - begin);
  }
  return {
    late: times.filter((time) => time > BETWEEN).length,
    total: times.reduce((sum, time) => sum + time, 0),
  };
}

function compare(): void {
  console.log(
    `frames of ${FRAMES} that take longer than ${BETWEEN.toFixed(1)} ms, and all frames in ms: with idle time used, and without`,
  );
  for (const name of Object.keys(programs)) {
    if (asked.only !== undefined && !name.includes(asked.only)) continue;
    const runs: [Once[], Once[]] = [[], []];
    for (let round = 0; round < Number(asked.rounds); round++)
      for (const [k, options] of [[], ["--cold"]].entries()) {
        const own = [...process.execArgv, process.argv[1] as string, "--once", name, ...options];
        runs[k as 0 | 1].push(JSON.parse(execFileSync(process.execPath, own, { encoding: "utf8" })));
      }
    const of = (list: readonly Once[], what: keyof Once): string =>
      median(list.map((once) => once[what])).toFixed(0);
    const [warm, cold] = runs.map(
      (list) => `${of(list, "late").padStart(3)} ${of(list, "total").padStart(6)} ms`,
    );
    console.log(`${name.padEnd(10)} ${warm}   | ${cold}`);
  }
}

/**
 * Programs as people write them first, against plain loops over typed arrays: time from the first call to the last, compiling
 * included, and peak memory, each run in a fresh process of plain Node.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/naive.ts [--only NAME] [--rounds 5] [--node PATH]
 */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandLine } from "../scripts/command-line.ts";
import { inOneFile } from "./measure/in-one-file.mjs";
import { median } from "./measure/statistics.ts";
import type { Once } from "./naive/once.ts";
import { programs } from "./naive/programs.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "5" },
    node: { type: "string", default: process.execPath },
  },
});
const MEBIBYTE = 2 ** 20;
const MOST_PEAK = 300 * MEBIBYTE;
/** What a program may take more than one that gives its values back. */
const MOST_EXTRA = 200 * MEBIBYTE;

const { file, remove } = await inOneFile(fileURLToPath(new URL("naive/once.ts", import.meta.url)));
let failed = false;
try {
  const version = execFileSync(asked.node, ["--version"], { encoding: "utf8" }).trim();
  console.log(`Node ${version}, medians of ${asked.rounds} rounds; times as ratios to the loop\n`);
  console.log("program         loop ms   threads  one thread   peak MB  one thread   loop");
  for (const name of Object.keys(programs))
    if (asked.only === undefined || asked.only.includes(name)) race(file, name);
} finally {
  remove();
}
process.exit(failed ? 1 : 0);

function race(child: string, name: string): void {
  const program = programs[name]!;
  const run = (...args: string[]): Once =>
    JSON.parse(execFileSync(asked.node, [child, name, ...args], { encoding: "utf8" }));
  const rounds = Array.from({ length: Number(asked.rounds) }, () => ({
    loop: run("loop"),
    threads: run("fuseau"),
    one: run("fuseau", "1"),
  }));
  const peaks = (variant: "loop" | "threads" | "one"): number =>
    median(rounds.map((round) => round[variant].peak));
  const threads = median(rounds.map((round) => round.threads.milliseconds / round.loop.milliseconds));
  const one = median(rounds.map((round) => round.one.milliseconds / round.loop.milliseconds));
  const wrong = rounds.find(({ loop, threads: given }) => differ(loop.value, given.value, program.tolerance));
  const mostPeak = program.against === undefined ? MOST_PEAK : peaks("loop") + MOST_EXTRA;
  const isLost = threads > program.mostTime || peaks("threads") > mostPeak;
  if (isLost || wrong !== undefined) failed = true;
  const cells = [
    name.padEnd(14),
    median(rounds.map((round) => round.loop.milliseconds))
      .toFixed(0)
      .padStart(8),
    threads.toFixed(2).padStart(9),
    one.toFixed(2).padStart(11),
    ...(["threads", "one", "loop"] as const).map((variant) =>
      (peaks(variant) / MEBIBYTE).toFixed(0).padStart(variant === "one" ? 11 : variant === "loop" ? 6 : 9),
    ),
    program.against === undefined ? "" : ` (the loop is the same with ${program.against})`,
    isLost ? " LOST" : "",
    wrong === undefined ? "" : ` WRONG: ${wrong.threads.value}, the loop gives ${wrong.loop.value}`,
  ];
  console.log(cells.join(" "));
}

function differ(one: number, other: number, tolerance: number): boolean {
  return !(Math.abs(one - other) <= tolerance * Math.abs(one));
}

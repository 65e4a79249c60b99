/**
 * Loops of the host over small tensors, as people write them first, against the same in PyTorch on one thread: time from the first call to
 * the last, compiling included, each run in a fresh process. Rows that are lost are printed like the others; a wrong value fails.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/host-loops.ts [--only NAME] [--rounds 3]
 */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandLine } from "../scripts/command-line.ts";
import type { Once } from "./host-loops/once.ts";
import { programs } from "./host-loops/programs.ts";
import { inOneFile } from "./measure/in-one-file.mjs";
import { median } from "./measure/statistics.ts";
import { ONE_THREAD, pythons } from "./peers/torch/torch.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: { only: { type: "string", multiple: true }, rounds: { type: "string", default: "3" } },
});
const TOLERANCE = 1e-3;

const env = { ...process.env, ...ONE_THREAD };
const twins = fileURLToPath(new URL("host-loops/programs.py", import.meta.url));
const python = pythons().find((path) => {
  try {
    execFileSync(path, ["-c", "import torch"], { env, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

const { file, remove } = await inOneFile(fileURLToPath(new URL("host-loops/once.ts", import.meta.url)));
let failed = false;
try {
  console.log(
    `medians of ${asked.rounds} rounds; ${python === undefined ? "no python3 with torch" : "PyTorch"}\n`,
  );
  console.log("program          ms  programs  peak MB   PyTorch ms   ×");
  for (const name of Object.keys(programs))
    if (asked.only === undefined || asked.only.includes(name)) race(name);
} finally {
  remove();
}
process.exit(failed ? 1 : 0);

function race(name: string): void {
  const rounds = Array.from({ length: Number(asked.rounds) }, () => ({
    own: JSON.parse(execFileSync(process.execPath, [file, name], { encoding: "utf8" })) as Once,
    twin:
      python === undefined
        ? null
        : (JSON.parse(execFileSync(python, [twins, name], { env, encoding: "utf8" })) as Pick<
            Once,
            "milliseconds" | "value"
          >),
  }));
  const { own: first, twin } = rounds[0]!;
  const own = median(rounds.map(({ own: { milliseconds } }) => milliseconds));
  const cells = [
    name.padEnd(12),
    own.toFixed(0).padStart(6),
    String(first.compiled).padStart(9),
    (first.peak / 2 ** 20).toFixed(0).padStart(8),
  ];
  if (twin !== null) {
    const theirs = median(rounds.map((round) => round.twin?.milliseconds ?? 0));
    cells.push(theirs.toFixed(0).padStart(12), (own / theirs).toFixed(1).padStart(5));
    if (!(Math.abs(first.value - twin.value) <= TOLERANCE * Math.abs(twin.value))) {
      failed = true;
      cells.push(` WRONG: ${first.value}, PyTorch gives ${twin.value}`);
    }
  }
  console.log(cells.join(" "));
}

// Runs a benchmark as one file of plain JavaScript, as users run what is published. tsx puts a call around each closure that is made, to
// keep its name. Emitting takes a quarter longer for it, which is no part of what is measured.
//   node benchmarks/bundled.mjs first-call.ts [options of the benchmark]

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inOneFile } from "./measure/in-one-file.mjs";

const [benchmark, ...options] = process.argv.slice(2);
if (benchmark === undefined) throw new Error("which benchmark? node benchmarks/bundled.mjs first-call.ts");

const { file, remove } = await inOneFile(fileURLToPath(new URL(benchmark, import.meta.url)));
try {
  process.exitCode = spawnSync(process.execPath, [file, ...options], { stdio: "inherit" }).status ?? 1;
} finally {
  remove();
}

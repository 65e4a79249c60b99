// Runs a benchmark as one file of plain JavaScript, as users run what is published. tsx puts a call around each closure that is made, to
// keep its name. Emitting takes a quarter longer for it, which is no part of what is measured.
//   node benchmarks/bundled.mjs first-call.ts [options of the benchmark]

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const [benchmark, ...options] = process.argv.slice(2);
if (benchmark === undefined) throw new Error("which benchmark? node benchmarks/bundled.mjs first-call.ts");

const folder = mkdtempSync(join(tmpdir(), "fuseau-benchmark-"));
try {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(benchmark, import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["fuseau:source", "import", "node"] },
    // All of it, as where the packages are loaded from their files.
    treeshake: false,
  });
  const file = join(folder, "benchmark.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  process.exitCode = spawnSync(process.execPath, [file, ...options], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}

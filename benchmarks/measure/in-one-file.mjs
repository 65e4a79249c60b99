// A benchmark with all that it imports, as one file of plain JavaScript.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Where the file is, and what removes it.
 * @param {string} source
 */
export async function inOneFile(source) {
  const folder = mkdtempSync(join(tmpdir(), "fuseau-benchmark-"));
  const bundle = await rolldown({
    input: source,
    platform: "node",
    resolve: { conditionNames: ["fuseau:source", "import", "node"] },
    // All of it, as where the packages are loaded from their files.
    treeshake: false,
  });
  const file = join(folder, "benchmark.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

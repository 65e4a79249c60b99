// A benchmark with all that it imports, as one file of plain JavaScript.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const benchmarks = fileURLToPath(new URL("..", import.meta.url));

/** A benchmark finds its files (PyTorch's part, say) by its own address, which the one file has not. */
const ownAddresses = {
  name: "own-addresses",
  /** @param {string} code @param {string} id */
  transform: (code, id) =>
    id.startsWith(benchmarks) && !id.includes("node_modules")
      ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      : null,
};

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
    plugins: [ownAddresses],
  });
  const file = join(folder, "benchmark.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

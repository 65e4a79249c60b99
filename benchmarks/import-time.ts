/**
 * What `import "fuseau"` costs in a fresh process of plain Node, as it is published, and as it would be with a file for each source.
 *   npm run build && npx tsx benchmarks/import-time.ts
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { median } from "./measure/statistics.ts";

const ROUNDS = 21;
/** Milliseconds that the import may take. */
const TARGET = 50;

const runtime = fileURLToPath(new URL("../packages/runtime/", import.meta.url));
const published = join(runtime, "dist/index.mjs");
if (!existsSync(published)) throw new Error("npm run build first");

const folder = mkdtempSync(join(tmpdir(), "fuseau-import-"));
try {
  const sources = await rolldown({
    input: join(runtime, "src/index.ts"),
    platform: "node",
    resolve: { conditionNames: ["fuseau:source"] },
    treeshake: false,
  });
  await sources.write({ dir: folder, format: "es", preserveModules: true, entryFileNames: "[name].mjs" });
  await sources.close();
  const entry = execFileSync("find", [folder, "-path", "*runtime/src/index.mjs"], {
    encoding: "utf8",
  }).trim();
  const [together, apart]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    together.push(importTime(published));
    apart.push(importTime(entry));
  }
  const [ours, theirs] = [median(together), median(apart)];
  console.log(
    `published: ${ours.toFixed(1)} ms (asked for: ${TARGET}), least ${Math.min(...together).toFixed(1)}`,
  );
  console.log(`a file for each source: ${theirs.toFixed(1)} ms, ${(theirs / ours).toFixed(1)} × as long`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds in a process of its own, with a tensor made and its methods looked at. */
function importTime(module: string): number {
  const program = join(folder, "import.mjs");
  writeFileSync(
    program,
    `const start = performance.now();
const { tensor } = await import(${JSON.stringify(pathToFileURL(module).href)});
const time = performance.now() - start;
if (typeof tensor([1]).mul !== "function") throw new Error("no methods");
console.log(time);`,
  );
  return Number(execFileSync(process.execPath, [program], { encoding: "utf8" }));
}

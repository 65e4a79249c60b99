// Everything that can be known of the code without running it: style, types, and the packages as they would be published.
//   npm run check                     all steps
//   npm run check -- lint types       some of them

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const packages = ["packages/ir", "packages/compiler", "packages/runtime"];
const programs = ["tests", "benchmarks", "examples", "scripts"];

/** @type {Record<string, () => void>} */
const steps = {
  lint() {
    run("biome", "check", "--error-on-warnings");
  },
  types() {
    run("tsc", "--build");
    for (const folder of programs) run("tsc", "--project", folder);
  },
  packages() {
    run("node", "scripts/build.mjs");
    // The published declarations, by the oldest and the newest TypeScript that is promised.
    const types = ["--project", "tests/types/tsconfig.published.json"];
    for (const version of ["5.7", "6.0"]) run("node", `node_modules/typescript-${version}/bin/tsc`, ...types);
    run("tsc", ...types);
    const packed = mkdtempSync(join(tmpdir(), "fuseau-packed-"));
    try {
      for (const folder of packages)
        run("pnpm", "--silent", "--dir", folder, "pack", "--pack-destination", packed);
      for (const name of readdirSync(packed)) {
        run("publint", "run", join(packed, name), "--strict");
        // What TypeScript read before it knew `exports` finds the main entry points alone.
        run("attw", join(packed, name), "--profile", "node16", "--no-summary");
      }
    } finally {
      rmSync(packed, { recursive: true, force: true });
    }
  },
};

/**
 * Runs a tool of node_modules/.bin, which npm has put on the path.
 *
 * @param {string} tool
 * @param {string[]} args
 */
function run(tool, ...args) {
  console.log(`$ ${[tool, ...args].join(" ")}`);
  const { status, error } = spawnSync(tool, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${tool} failed (${error?.message ?? `exit code ${status}`})`);
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`check: no step named ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}`);
  process.exit(2);
}

for (const [name, step] of Object.entries(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const start = performance.now();
  let verdict = "passed";
  try {
    step();
  } catch (error) {
    verdict = `FAILED: ${error instanceof Error ? error.message : error}`;
    process.exitCode = 1;
  }
  console.log(`check: ${name} ${verdict} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
}

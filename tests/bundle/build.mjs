// Before all tests: the packages as one file, from their sources. A process loads it in 0.1 s, and 450 modules through tsx in 1.2 s.
// Each module still has a file under its name (which hands on what it exports), so tests import what they like, and there is one of each.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../../packages", import.meta.url));

/** What runs something when it is imported stays out of the one file: it runs for those alone who import it. */
const ENTRIES = /[\\/]runtime[\\/]src[\\/](?:index|js)\.ts$/;

/** @param {import("vitest/node").TestProject} project */
export default async function setup(project) {
  // There are several projects, and it is made once.
  if (process.env.FUSEAU_BUNDLE !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "fuseau-tests-"));
  process.env.FUSEAU_BUNDLE = folder;
  await build(folder);
  project.onTestsRerun(() => build(folder));
  return () => rmSync(folder, { recursive: true });
}

/** @param {string} folder */
async function build(folder) {
  const modules = ["ir", "compiler", "runtime"].flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => [join(name, file.slice(0, -3)), join(packages, name, "src", file)]),
  );
  const bundle = await rolldown({
    input: Object.fromEntries(modules),
    platform: "node",
    resolve: { conditionNames: ["fuseau:source"] },
    treeshake: false,
  });
  await bundle.write({
    dir: folder,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: { groups: [{ name: "all", test: (id) => !ENTRIES.test(id) }] },
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
}

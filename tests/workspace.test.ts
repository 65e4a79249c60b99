import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../packages/${folder}/package.json`, import.meta.url), "utf8"));
}

test.each([
  { folder: "ir", dependencies: [] },
  { folder: "compiler", dependencies: ["@fuseau/ir", "ts-pattern"] },
  // The other two are in its files.
  { folder: "runtime", dependencies: [] },
])("$folder depends on $dependencies and nothing else", ({ folder, dependencies }) => {
  expect(Object.keys(manifest(folder).dependencies ?? {}).sort()).toEqual(dependencies);
});

test("the packages share one version", () => {
  const versions = ["ir", "compiler", "runtime"].map((folder) => manifest(folder).version);
  expect(new Set(versions)).toHaveProperty("size", 1);
});

test("saved programs name the version of the package", () => {
  const text = readFileSync(new URL("../packages/runtime/src/version.ts", import.meta.url), "utf8");
  expect(text).toContain(`\`${manifest("runtime").version}-`);
});

test("the lockfile names no registry", () => {
  const lockfile = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
  expect(lockfile).not.toMatch(/https?:/);
});

/** What is not a comment in the sources of a package, by file. */
function sourcesOf(folder: string): readonly (readonly [file: string, text: string])[] {
  const root = new URL(`../packages/${folder}/src/`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const text = readFileSync(new URL(file, root), "utf8");
      return [file.replaceAll("\\", "/"), text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")] as const;
    });
}

test.each(["ir", "compiler"])("%s runs nothing, and reads nothing of its host", (folder) => {
  const host =
    /\b(globalThis|new Function\(|eval\(|WebAssembly\.|Worker\(|performance\.|Date\b|Math\.random|process\.)/;
  const found = sourcesOf(folder).flatMap(([file, text]) => {
    const touched = host.exec(text);
    return touched === null ? [] : [`${file}: ${touched[0]}`];
  });
  expect(found).toEqual([]);
});

test("no backend is told by its name", () => {
  const compared = /[!=]==? "(js|closure|wasm)"|case "(js|closure|wasm)"/;
  const found = ["compiler", "runtime"].flatMap(sourcesOf).filter(([, text]) => compared.test(text));
  expect(found.map(([file]) => file)).toEqual([]);
});

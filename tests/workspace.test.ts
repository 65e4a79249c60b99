import { readFileSync } from "node:fs";
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
  { folder: "runtime", dependencies: ["@fuseau/compiler", "@fuseau/ir"] },
])("$folder depends on $dependencies and nothing else", ({ folder, dependencies }) => {
  expect(Object.keys(manifest(folder).dependencies ?? {}).sort()).toEqual(dependencies);
});

test("the packages share one version", () => {
  const versions = ["ir", "compiler", "runtime"].map((folder) => manifest(folder).version);
  expect(new Set(versions)).toHaveProperty("size", 1);
});

test("the lockfile names no registry", () => {
  const lockfile = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
  expect(lockfile).not.toMatch(/https?:/);
});

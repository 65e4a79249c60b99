/**
 * Folders are the pipeline: none imports a folder that imports it, types included, since a reader follows both.
 *
 * One ring of three goes on in types alone, and has to: the type of a tensor has the types of its methods (`members`), these follow from
 * their declarations (`functions`, `methods`), and these name tensors (`tensor`). An augmentation, `declare module "../tensor/handle.ts"`,
 * would say it in one direction, but names a file: bundled declarations leave the name as it is written, and would lose all methods.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** By folder, the folders of the same package that files in it import. Folders in a folder are folders of their own. */
function imports(name: string): Map<string, Set<string>> {
  const root = join(packages, name, "src");
  const found = new Map<string, Set<string>>();
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  for (const file of files) {
    const folder = dirname(join(root, file));
    for (const [, path] of readFileSync(join(root, file), "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const other = dirname(join(folder, path as string));
      if (other !== folder) found.set(folder, (found.get(folder) ?? new Set()).add(other));
    }
  }
  // At the root stand what all share and what puts all together.
  found.delete(root);
  return found;
}

function circles(name: string): string[] {
  const found = imports(name);
  const show = (folder: string): string =>
    relative(packages, folder).replaceAll("\\", "/").replace("/src/", "/");
  return [...found].flatMap(([folder, others]) =>
    [...others]
      .filter((other) => folder < other && found.get(other)?.has(folder))
      .map((other) => `${show(folder)} <> ${show(other)}`),
  );
}

test("no two folders import each other", () => {
  expect(["ir", "compiler", "runtime"].flatMap(circles)).toEqual([]);
});

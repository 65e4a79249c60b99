/** Scripts say how they are called, and refuse what they do not know. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("command-line-child.ts", import.meta.url));
const help = "A script with options.\n  --quick   less of it\n";

test.each([
  { words: ["--quick"], status: 0, stdout: "quick: true\n", stderr: "" },
  { words: ["--help"], status: 0, stdout: help, stderr: "" },
  { words: ["--quik"], status: 2, stdout: "", stderr: `Unknown option '--quik'\n\n${help}` },
])("$words", ({ words, ...expected }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, script, ...words], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual(expected);
});

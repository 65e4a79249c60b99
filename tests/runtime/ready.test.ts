import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fuseau from "fuseau";
import { getOptions, setOptions } from "fuseau";
import { describe, expect, onTestFinished, test } from "vitest";
import { untyped } from "../errors/untyped.ts";

describe("ready", () => {
  // The program must end by itself, and not before its workers are there.
  test.each([1, 3])("keeps the process alive until %i threads are there, and not longer", (threads) => {
    const child = fileURLToPath(new URL("ready-child.ts", import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...process.execArgv, child, String(threads)],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `${threads} threads, 99990000\n`,
      stderr: "",
    });
  });
});

describe("the option slice", () => {
  test.each([0, 1.5, -1, "16"])("refuses %s", (slice) => {
    const { setOptions: set } = untyped(fuseau);
    expect(() => set({ slice })).toThrow(/slice must be a whole number of at least 1, not/);
  });

  test("is set and taken back", () => {
    onTestFinished(() => setOptions({ slice: undefined }));
    setOptions({ slice: 64 });
    expect(getOptions().slice).toBe(64);
  });
});

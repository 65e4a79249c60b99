/** Hosts that have less than Node: no file system, or no streams that inflate. */
import { readdirSync, readFileSync } from "node:fs";
import { tensor } from "fuseau";
import { readNpy, readNpz, writeNpy, writeNpz } from "fuseau/data";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("no module of Node's is imported, which bundlers for pages would stumble over", () => {
  const folder = new URL("../../packages/runtime/src/data/", import.meta.url);
  for (const name of readdirSync(folder))
    expect(readFileSync(new URL(name, folder), "utf8"), name).not.toMatch(
      /(from|import\(?|require\()\s*"node:/,
    );
});

test("without a file system bytes are read and written, and paths are refused", async () => {
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
  const x = tensor([1, 2]);
  expect(await readNpy(new Blob([new Uint8Array(await writeNpy(x))]))).toEqual(x);
  await expect(readNpy("x.npy")).rejects.toThrow(
    "readNpy: paths are for Node (20.16 and later), Deno and Bun",
  );
  await expect(writeNpy("x.npy", x)).rejects.toThrow("writeNpy: paths are for Node");
  await expect(writeNpy(new URL("file:///x.npy"), x)).rejects.toThrow("names no file here");
});

test("without streams that inflate, what is stored is read, and what is deflated refused", async () => {
  const x = tensor([1, 2]);
  const [stored, deflated] = [await writeNpz({ x }), await writeNpz({ x }, { compressed: true })];
  vi.stubGlobal("DecompressionStream", undefined);
  vi.stubGlobal("CompressionStream", undefined);
  expect(await readNpz(stored)).toEqual({ x });
  await expect(readNpz(deflated)).rejects.toThrow("readNpz: this host has no DecompressionStream");
  await expect(writeNpz({ x }, { compressed: true })).rejects.toThrow(
    "writeNpz: this host has no CompressionStream",
  );
});

/** Programs that are kept for later processes give the bits that they gave when they were compiled. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emitter, KernelCall } from "@fuseau/compiler";
import * as fuseau from "fuseau";
import {
  type AnyTensor,
  arange,
  type CacheStore,
  clearCaches,
  manualSeed,
  precompile,
  rand,
  ready,
  ShapeError,
  setOptions,
  stats,
  tensor,
  trace,
  zeros,
} from "fuseau";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { js, textBackend } from "../../packages/runtime/src/backends/js.ts";
import { loadedStore } from "../../packages/runtime/src/saved/loaded.ts";
import { untyped } from "../errors/untyped.ts";

const x = arange(12_000).reshape([120, 100]).mul(0.37).sin().compute();

const programs: Readonly<Record<string, () => AnyTensor>> = {
  "a reduction with −∞ and row scratch": () => x.softmax(-1),
  "constants that JSON has not": () => x.where(x.gt(0), -0).add(Number.NaN).nanToNum().amax(0),
  "integers of 64 bits": () => x.mul(100).to("int64").bitwiseAnd(-7).cumsum(1),
  "a matrix product of slices": () => x.slice([3, 90]).matmul(x.t().slice([], [2, 50])),
  "a sort": () => x.argsort(1),
  "a gather that may fail": () => x.gather(1, x.argsort(1)),
  "several kernels": () => x.sub(x.mean(0)).div(x.std(0)).matmul(x.t()).sum(),
  "a write over its operand": () => zeros([2000]).add_(2).mul_(3),
};

afterEach(() => {
  setOptions({ cache: undefined, cacheBytesLimit: undefined });
  clearCaches();
  vi.restoreAllMocks();
});

/** A store in memory. */
function memory(): CacheStore & { readonly entries: Map<string, Uint8Array> } {
  const entries = new Map<string, Uint8Array>();
  return {
    entries,
    read: (name) => entries.get(name) ?? null,
    write(name, bytes) {
      entries.delete(name);
      entries.set(name, bytes);
    },
    remove(name) {
      entries.delete(name);
    },
    list: () => [...entries].map(([name, bytes]) => ({ name, bytes: bytes.length })),
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "fuseau-saved-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const bitsOf = (result: AnyTensor, emitter?: Emitter): Uint8Array => {
  result.compute(emitter === undefined ? {} : { emitter });
  return new Uint8Array(result.toTypedArray().buffer).slice();
};

/** As another process would, as far as programs go. */
function forgetting<T>(run: () => T): { readonly value: T; readonly passes: number } {
  clearCaches();
  const { value, events } = trace(run);
  return { value, passes: events.filter(({ kind }) => kind === "pass").length };
}

describe.each(["js", "wasm", "closure"] as const)("programs kept by %s", (emitter) => {
  test.each(Object.keys(programs))("%s: the same bits, and no pass is run", (name) => {
    const program = programs[name] as () => AnyTensor;
    const expected = bitsOf(program(), emitter);
    setOptions({ cache: folder() });
    const first = forgetting(() => bitsOf(program(), emitter));
    const second = forgetting(() => bitsOf(program(), emitter));
    expect(first.passes).toBeGreaterThan(0);
    expect(second.passes).toBe(0);
    expect(first.value).toEqual(expected);
    expect(second.value).toEqual(expected);
  });
});

test("a kernel that was kept serves other sizes", () => {
  const program = (rows: number): AnyTensor =>
    arange(rows * 64)
      .reshape([rows, 64])
      .sin()
      .sum(0);
  const expected = bitsOf(program(300), "wasm");
  setOptions({ cache: memory() });
  forgetting(() => bitsOf(program(40_000), "wasm"));
  const { value } = forgetting(() => {
    bitsOf(program(40_000), "wasm");
    return bitsOf(program(300), "wasm");
  });
  expect(value).toEqual(expected);
});

test("a kernel that was read from a folder is written with another program", () => {
  const program = (rows: number): AnyTensor =>
    arange(rows * 64)
      .reshape([rows, 64])
      .sin()
      .sum(0);
  const expected = [300, 40_000].map((rows) => bitsOf(program(rows), "wasm"));
  setOptions({ cache: folder() });
  forgetting(() => bitsOf(program(40_000), "wasm"));
  forgetting(() => [40_000, 300].map((rows) => bitsOf(program(rows), "wasm")));
  const { value, passes } = forgetting(() => [300, 40_000].map((rows) => bitsOf(program(rows), "wasm")));
  expect(value).toEqual(expected);
  expect(passes).toBe(0);
  expect(stats().saved.failures).toBe(0);
});

test("what is long and new runs op by op, and is kept when it has come often", () => {
  const w = arange(64).reshape([8, 8]).mul(0.37).sin().compute();
  const program = (rows: number): AnyTensor => {
    let state: AnyTensor = x.slice([0, rows], [0, 8]);
    for (let k = 0; k < 16; k++) state = state.matmul(w).tanh().add(k).sub(state.mean(0)).mul(0.5);
    return state.sum();
  };
  setOptions({ cache: memory() });
  const before = stats().saved.written;
  for (let rows = 20; rows < 26; rows++) program(rows).compute();
  expect(stats().saved.written).toBe(before);
  // How often is a matter of how long runs take.
  for (let round = 0; round < 5_000 && stats().saved.written === before; round++) program(31).compute();
  expect(stats().saved.written).toBe(before + 1);
  const first = program(31).item();
  const { value, passes } = forgetting(() => program(31).item());
  expect(value).toBe(first);
  expect(passes).toBe(0);
});

type Text = ReturnType<typeof textBackend>;

test("text with products in lanes is not used where WebAssembly rounds them otherwise", () => {
  const [call, kernel] = [{} as KernelCall, { source: "function k0() {}", run() {} }];
  const [plain, relaxed] = [false, true].map((is) => textBackend(js, null, () => is)) as [Text, Text];
  expect(plain.revive(plain.keep(kernel, call), call)).not.toBeNull();
  expect(plain.revive(relaxed.keep(kernel, call), call)).toBeNull();
  expect(relaxed.revive(plain.keep(kernel, call), call)).toBeNull();
});

test("what asks for verified passes runs them", () => {
  setOptions({ cache: memory(), verify: true });
  onTestFinished(() => setOptions({ verify: undefined }));
  forgetting(() => bitsOf(x.exp()));
  expect(forgetting(() => bitsOf(x.exp())).passes).toBeGreaterThan(0);
});

describe("what cannot be used", () => {
  const spoilt: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    damaged: (bytes) => bytes.map((byte, k) => (k === bytes.length - 9 ? byte ^ 1 : byte)),
    "cut short": (bytes) => bytes.subarray(0, 150),
    empty: () => new Uint8Array(),
    foreign: () => new TextEncoder().encode("no program of ours"),
    "of another version": (bytes) => {
      const text = new TextDecoder("latin1").decode(bytes).replace("0.1.0", "0.0.9");
      return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    },
  };

  test.each(Object.keys(spoilt))("%s: is said once, computed anew, and replaced", (name) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const cache = folder();
    setOptions({ cache });
    const expected = bitsOf(x.tanh());
    bitsOf(x.cos());
    for (const file of readdirSync(cache)) {
      const path = join(cache, file);
      writeFileSync(path, (spoilt[name] as (bytes: Uint8Array) => Uint8Array)(readFileSync(path)));
    }
    const { value } = forgetting(() => [bitsOf(x.tanh()), bitsOf(x.cos())][0]);
    expect(value).toEqual(expected);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^fuseau: the cache could not be read: .*Programs are compiled without it/)],
    ]);
    expect(forgetting(() => bitsOf(x.tanh())).passes).toBe(0);
  });

  test("a folder that cannot be written", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const file = join(folder(), "file");
    writeFileSync(file, "");
    setOptions({ cache: join(file, "cache") });
    const before = stats().saved.failures;
    expect(forgetting(() => [tensor([1]).add(1).item(), tensor([1]).exp().item()]).value).toEqual([
      2,
      Math.fround(Math.E),
    ]);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/could not be written: .*file\/cache: ENOTDIR/)],
    ]);
    expect(stats().saved.failures).toBe(before + 2);
  });

  test.each([7, "", null, {}, { read() {} }])("%j is no cache", (cache) => {
    const { setOptions: set } = untyped(fuseau);
    expect(() => set({ cache })).toThrow(
      /^setOptions: cache must be the path of a folder, or a store with read,/,
    );
  });
});

test("the oldest go when there is no room", () => {
  const cache = memory();
  setOptions({ cache });
  clearCaches();
  bitsOf(x.exp());
  const [oldest = ""] = cache.entries.keys();
  setOptions({ cacheBytesLimit: 2 * (cache.entries.get(oldest) as Uint8Array).length });
  for (const program of [x.sin(), x.cos(), x.tanh()]) bitsOf(program);
  expect(cache.entries.has(oldest)).toBe(false);
  expect(cache.entries.size).toBeGreaterThan(0);
});

test("a store that reads in the background is there when ready() is", async () => {
  const kept = new Map<string, Uint8Array>();
  const background = () =>
    loadedStore({
      all: async () => [...kept].map(([name, bytes]) => ({ name, bytes })),
      put: async (name, bytes) => void kept.set(name, bytes),
      remove: async (name) => void kept.delete(name),
    });
  setOptions({ cache: background() });
  const expected = forgetting(() => bitsOf(x.log1p())).value;
  setOptions({ cache: background() });
  expect(forgetting(() => bitsOf(x.log1p())).passes).toBeGreaterThan(0);
  setOptions({ cache: background() });
  await ready();
  const { value, passes } = forgetting(() => bitsOf(x.log1p()));
  expect(passes).toBe(0);
  expect(value).toEqual(expected);
});

describe("precompile", () => {
  const step = (a: AnyTensor, factor: number): AnyTensor => a.mul(factor).add(1).relu().sum(0);

  test("compiles for later what is computed then", () => {
    setOptions({ cache: memory() });
    clearCaches();
    const { runs } = stats();
    expect(
      precompile(step, [
        [{ shape: [120, 100] }, 0.3],
        [{ shape: [7], dtype: "int32" }, 2],
      ]),
    ).toBe(2);
    expect(stats().runs).toEqual(runs);
    const { value, passes } = forgetting(
      () => [bitsOf(step(x, 0.3)), step(tensor([1, 2], { dtype: "int32" }), 2)][0],
    );
    expect(passes).toBe(0);
    expect(value).toHaveLength(400);
  });

  test("keeps a program for each of many sizes", () => {
    setOptions({ cache: memory() });
    clearCaches();
    const sizes = [3, 5, 8, 13, 21, 34];
    expect(
      precompile(
        step,
        sizes.map((size) => [{ shape: [size, 4] }, 0.3]),
      ),
    ).toBe(sizes.length);
    const inputs = sizes.map((size) => x.slice([0, size], [0, 4]).clone().compute());
    const results = () => inputs.map((input) => bitsOf(step(input, 0.3)));
    const { value, passes } = forgetting(results);
    expect(passes).toBe(0);
    setOptions({ cache: undefined });
    expect(value).toEqual(forgetting(results).value);
  });

  test("leaves generators and captured tensors as they were", () => {
    manualSeed(3);
    const drawn = rand([2]).toArray();
    manualSeed(3);
    precompile((a: AnyTensor) => a.add(rand([2])), [[{ shape: [2] }]]);
    expect(rand([2]).toArray()).toEqual(drawn);
    const captured = zeros([3]);
    expect(() => precompile((a: AnyTensor) => captured.add_(a), [[{ shape: [3] }]])).toThrow(
      /^precompile: the function writes into a tensor that was there before/,
    );
    expect(captured.toArray()).toEqual([0, 0, 0]);
  });

  test("refuses what reads elements, and what is no signature", () => {
    expect(() => precompile((a: AnyTensor) => a.sum().item(), [[{ shape: [3] }]])).toThrow(
      /^item: reads elements/,
    );
    expect(() => precompile((a: AnyTensor) => a.add(zeros([2])), [[{ shape: [3] }]])).toThrow(ShapeError);
    const { precompile: loose } = untyped(fuseau);
    expect(() => loose(step, [{ shape: [3] }])).toThrow(/^precompile: signatures is a list of lists/);
    expect(() => loose(3, [])).toThrow(/^precompile: fn must be a function/);
    expect(() => loose(step, [[{ shape: [1.5] }]])).toThrow(/^precompile: a shape is a list of sizes/);
  });
});

/** While the host is idle the compiler is tried out on a graph of its own, which leaves no trace. */
import * as fuseau from "fuseau";
import { clearCaches, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { js } from "../../packages/runtime/src/backends/js.ts";
import { wasm } from "../../packages/runtime/src/backends/wasm.ts";
import { warmWhenIdle } from "../../packages/runtime/src/warm.ts";
import { untyped } from "../errors/untyped.ts";

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  setOptions({ warm: undefined });
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const emitted = () => [vi.spyOn(js, "warm"), vi.spyOn(wasm, "warm")];

describe("warming", () => {
  test("emits for every backend, and counts, caches and keeps nothing", async () => {
    // Modules that have compiled nothing yet.
    vi.resetModules();
    const { stats: counted, tensor: fresh } = await import("fuseau");
    const { backends } = await import("../../packages/runtime/src/backends/backends.ts");
    const { warmWhenIdle: warm } = await import("../../packages/runtime/src/warm.ts");
    const spies = backends.flatMap((backend) =>
      backend.warm === undefined ? [] : [vi.spyOn(backend, "warm")],
    );
    const before = counted();
    warm();
    vi.runAllTimers();
    expect(spies).toHaveLength(2);
    for (const spy of spies) expect(spy).toHaveBeenCalled();
    expect(counted()).toEqual(before);
    expect(fresh([1, 2]).add(1).toArray()).toEqual([2, 3]);
  });

  test("leaves off once something was compiled, and where the option says so", () => {
    const spies = emitted();
    clearCaches();
    tensor([1, 2]).exp().compute();
    expect(stats().programs.misses).toBeGreaterThan(0);
    warmWhenIdle();
    vi.runAllTimers();
    setOptions({ warm: false });
    warmWhenIdle();
    vi.runAllTimers();
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  test("a host without timers has none of it", () => {
    vi.stubGlobal("setTimeout", () => {
      throw new Error("Disallowed operation called within global scope");
    });
    expect(() => warmWhenIdle()).not.toThrow();
    vi.unstubAllGlobals();
  });

  test("is an option that is true or false", () => {
    const { setOptions: set } = untyped(fuseau);
    expect(() => set({ warm: 1 })).toThrow(/^setOptions: warm must be true or false, not 1/);
  });
});

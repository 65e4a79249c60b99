/** While the host is idle the compiler is tried out on a graph of its own, which leaves no trace. */
import * as fuseau from "fuseau";
import { clearCaches, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { js } from "../../packages/runtime/src/backends/js.ts";
import { wasm } from "../../packages/runtime/src/backends/wasm.ts";
import { warmWhenIdle } from "../../packages/runtime/src/warm.ts";
import { untyped } from "../errors/untyped.ts";

beforeEach(() => {
  vi.useFakeTimers();
  setOptions({ warm: undefined });
});

afterEach(() => {
  setOptions({ warm: false });
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const emitted = () => [vi.spyOn(js, "warm"), vi.spyOn(wasm, "warm")];

describe("warming", () => {
  test("emits for every backend, and counts, caches and keeps nothing", () => {
    const spies = emitted();
    const before = stats();
    warmWhenIdle();
    vi.runAllTimers();
    for (const spy of spies) expect(spy).toHaveBeenCalled();
    expect(stats()).toEqual(before);
    expect(tensor([1, 2]).add(1).toArray()).toEqual([2, 3]);
  });

  test("leaves off once something was compiled, and where the option says so", () => {
    const spies = emitted();
    warmWhenIdle();
    clearCaches();
    tensor([1, 2]).exp().compute();
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

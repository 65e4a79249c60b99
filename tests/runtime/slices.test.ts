/** Computations that are gone on with beside runs: few at a time, begun anew after a fault and where they were left for long. */
import type { Steps } from "@fuseau/compiler";
import { clearCaches, fromTypedArray, linspace, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { wasm } from "../../packages/runtime/src/backends/wasm.ts";
import { expectedCount } from "../../packages/runtime/src/execute/expected.ts";
import { Sliced } from "../../packages/runtime/src/execute/slices.ts";

beforeEach(() => clearCaches());
afterEach(() => {
  setOptions({ onFault: undefined });
  vi.restoreAllMocks();
});

function* counted(steps: number): Steps<number> {
  for (let k = 0; k < steps; k++) yield;
  return steps;
}
/** How many slices of one step it takes, at most 100. */
function slicesOf(sliced: Sliced<unknown>): number {
  for (let k = 1; k <= 100; k++) if (sliced.goOn(0) !== null) return k;
  return Number.POSITIVE_INFINITY;
}

it("a slice takes at least a step, and the last one gives the result", () => {
  const sliced = new Sliced(() => counted(2));
  expect([sliced.goOn(0), sliced.goOn(0), sliced.goOn(0)]).toEqual([null, null, { result: 2 }]);
  expect(new Sliced(() => counted(1e5)).goOn(Number.POSITIVE_INFINITY)).toEqual({ result: 1e5 });
});

it("a fifth waits for one of four, but one that has all the time does not", () => {
  const four = Array.from({ length: 4 }, () => new Sliced(() => counted(3)));
  for (const one of four) expect(one.goOn(0)).toBeNull();
  const fifth = new Sliced(() => counted(3));
  expect(slicesOf(fifth)).toBe(Number.POSITIVE_INFINITY);
  expect(new Sliced(() => counted(3)).goOn(Number.POSITIVE_INFINITY)).toEqual({ result: 3 });
  expect(slicesOf(four[0]!)).toBe(3);
  expect(slicesOf(fifth)).toBe(4);
});

it("one that was left for long gives way, and is begun anew", () => {
  const four = Array.from({ length: 4 }, () => new Sliced(() => counted(3)));
  for (const one of four) one.goOn(0);
  for (let k = 0; k < 300; k++) tensor([k]).add(1).compute();
  expect(slicesOf(new Sliced(() => counted(3)))).toBe(4);
  expect(slicesOf(four[0]!)).toBe(4);
});

it("one that throws is begun anew", () => {
  let isBroken = true;
  const sliced = new Sliced(function* (): Steps<string> {
    yield;
    if (isBroken) throw new Error("broken");
    return "whole";
  });
  expect(sliced.goOn(0)).toBeNull();
  expect(() => sliced.goOn(0)).toThrow("broken");
  isBroken = false;
  expect(slicesOf(sliced)).toBe(2);
});

const x = linspace(-1, 1, 64 * 20)
  .reshape([64, 20])
  .compute();
/** A long program. */
function rounds(): readonly unknown[] {
  let y = x;
  for (let k = 0; k < 25; k++) y = y.sub(y.mean(0)).mul(1.1).tanh().add(x);
  return [...y.compute().toTypedArray()];
}

it("where an emitter fails while a program is compiled in steps, another one makes its kernels", () => {
  const expected = rounds();
  clearCaches();
  setOptions({ onFault: "silent" });
  for (let k = 0; k < 3; k++) expect(rounds()).toEqual(expected);
  vi.spyOn(wasm, "compile").mockImplementation(() => {
    throw new Error("put here");
  });
  for (let k = 0; k < 150; k++) expect(rounds()).toEqual(expected);
  expect(stats().faults.count).toBeGreaterThan(0);
  vi.restoreAllMocks();
  expect(rounds()).toEqual(expected);
  expect(fromTypedArray(Float32Array.of(1)).add(1).toArray()).toEqual([2]);
});

it("once it is compiled as a whole, a program is predicted", () => {
  for (let k = 0; k < 200; k++) rounds();
  const before = expectedCount();
  rounds();
  expect(expectedCount()).toBe(before + 1);
});

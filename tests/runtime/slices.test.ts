/** Computations that are gone on with beside runs: few at a time, begun anew after a fault and where they were left for long. */
import type { Steps } from "@fuseau/compiler";
import {
  type AnyTensor,
  clearCaches,
  compute,
  fromTypedArray,
  jit,
  linspace,
  setOptions,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { wasm } from "../../packages/runtime/src/backends/wasm.ts";
import { expectedCount } from "../../packages/runtime/src/execute/programs/expected.ts";
import { Sliced } from "../../packages/runtime/src/execute/programs/slices.ts";

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

it("of many that are left in turn, each ends", () => {
  const left = new Set(Array.from({ length: 8 }, () => new Sliced(() => counted(6))));
  for (let round = 0; round < 40; round++)
    for (const one of left) {
      if (one.goOn(0) !== null) left.delete(one);
      for (let k = 0; k < 50; k++) tensor([k]).add(1).compute();
    }
  expect(left.size).toBe(0);
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
  const faults = stats().faults.count;
  for (let k = 0; k < 3; k++) expect(rounds()).toEqual(expected);
  vi.spyOn(wasm, "compile").mockImplementation(() => {
    throw new Error("put here");
  });
  for (let k = 0; k < 150; k++) expect(rounds()).toEqual(expected);
  expect(stats().faults.count).toBeGreaterThan(faults);
  vi.restoreAllMocks();
  expect(rounds()).toEqual(expected);
  expect(fromTypedArray(Float32Array.of(1)).add(1).toArray()).toEqual([2]);
});

/** Kernels that a call runs. */
function kernelsIn(call: () => unknown): number {
  const before = stats().runs.kernels;
  call();
  return stats().runs.kernels - before;
}
const chained = (x: AnyTensor): AnyTensor => {
  let y = x;
  for (let k = 0; k < 60; k++) y = k % 3 === 0 ? y.sin().add(x) : y.mul(1.01).sub(x);
  return y;
};

it("jit and explain take the whole of a program that is put together op by op", () => {
  for (let k = 0; k < 4; k++) chained(x).compute();
  expect(kernelsIn(() => chained(x).compute())).toBeGreaterThan(20);
  const again = jit(chained);
  again(x).compute();
  expect(kernelsIn(() => again(x).compute())).toBeLessThan(5);
  for (let k = 0; k < 4; k++) chained(x).exp().compute();
  expect(chained(x).exp().explain().kernels.length).toBeLessThan(5);
});

it("states that are written in place are the same before, while and after a program is compiled in steps", () => {
  const states = ([{}, { fusion: "none" }] as const).map((options) => {
    const state = linspace(-1, 1, 50).clone().compute();
    const speed = zeros([50]);
    for (let k = 0; k < 150; k++) {
      let y: AnyTensor = state;
      for (let j = 0; j < 20; j++)
        y = y
          .roll(j, 0)
          .mul(0.9 + k / 1000)
          .sin()
          .add(state);
      speed.mul_(0.9).add_(y.mul(0.01));
      state.narrow(0, k % 40, 10).add_(speed.narrow(0, 5, 10));
      compute(state, speed, options);
    }
    return [...state.toTypedArray(), ...speed.toTypedArray()];
  });
  expect(states[0]).toEqual(states[1]);
});

it("once it is compiled as a whole, a program is predicted, however often it ran op by op", () => {
  const others = Array.from({ length: 4 }, () => new Sliced(() => counted(1e9)));
  for (const other of others) other.goOn(0);
  for (let k = 0; k < 60; k++) rounds();
  const kernels = kernelsIn(rounds);
  for (const other of others) other.drop();
  for (let k = 0; k < 200; k++) rounds();
  expect(kernelsIn(rounds)).toBeLessThan(kernels / 2);
  const before = expectedCount();
  rounds();
  expect(expectedCount()).toBe(before + 1);
});

it("where an emitter fails while a program of many sizes is made, another one makes its kernels", () => {
  setOptions({ onFault: "silent" });
  const faults = stats().faults.count;
  const doubled = (size: number): unknown[] => [
    ...linspace(0, 1, size).compute().mul(2).sin().toTypedArray(),
  ];
  const sizes = [300, 410, 520, 630, 740, 850];
  const expected = sizes.map(doubled);
  clearCaches();
  vi.spyOn(wasm, "compile").mockImplementation(() => {
    throw new Error("put here");
  });
  expect(sizes.map(doubled)).toEqual(expected);
  expect(stats().late.programs).toBeGreaterThan(0);
  expect(stats().faults.count).toBeGreaterThan(faults);
});

/** Programs that come again are compiled while the host is idle, if it is between their runs, and beside them if it never is. */
import type { Steps } from "@fuseau/compiler";
import { type AnyTensor, clearCaches, linspace, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { js } from "../../packages/runtime/src/backends/js.ts";
import { wasm } from "../../packages/runtime/src/backends/wasm.ts";
import { firstRuns } from "../../packages/runtime/src/execute/op-by-op/first-runs.ts";
import { Sliced } from "../../packages/runtime/src/execute/programs/slices.ts";

beforeEach(() => {
  vi.useFakeTimers();
  setOptions({ warm: undefined });
  clearCaches();
  // The first short programs of a process do not run op by op.
  for (let k = 0; k < 2; k++) tensor([k]).add(1).mul(2).compute();
});

afterEach(() => {
  setOptions({ warm: false, onFault: "throw" });
  firstRuns.areOpByOp = true;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const idle = (): void => void vi.runAllTimers();

const x = linspace(-1, 1, 64 * 20)
  .reshape([64, 20])
  .compute();

function rounds(count: number): AnyTensor {
  let y: AnyTensor = x;
  for (let k = 0; k < count; k++) y = y.sub(y.mean(0)).mul(1.1).tanh().add(x);
  return y;
}
const long = (): AnyTensor => rounds(25);
const short = (): AnyTensor => rounds(3);

/** Kernels that computing it runs: one for each op, or fewer. */
function kernelsOf(recorded: () => AnyTensor): number {
  const before = stats().runs.kernels;
  recorded().compute();
  return stats().runs.kernels - before;
}

it.each([
  ["short", short],
  ["long", long],
])("a %s program is compiled between its second run and its third", (_, recorded) => {
  const expected = recorded().toArray();
  idle();
  const first = kernelsOf(recorded);
  idle();
  expect(kernelsOf(recorded)).toBeLessThan(first / 2);
  expect(recorded().toArray()).toEqual(expected);
});

it("without idle time a short program is compiled when it comes again, and a long one beside its runs", () => {
  const first = [short, long].map(kernelsOf) as [number, number];
  expect(kernelsOf(short)).toBeLessThan(first[0] / 2);
  let runs = 1;
  while (kernelsOf(long) > first[1] / 2) runs++;
  expect(runs).toBeGreaterThan(2);
});

it("what was begun while the host was idle is ended beside the runs where it is no more", () => {
  const first = kernelsOf(long);
  vi.advanceTimersToNextTimer();
  kernelsOf(long);
  for (let runs = 0; kernelsOf(long) > first / 2; runs++) expect(runs).toBeLessThan(1e4);
});

it("final kernels of a program that began with others are made then", () => {
  firstRuns.areOpByOp = false;
  const spies = [vi.spyOn(js, "compile"), vi.spyOn(wasm, "compile")];
  const finalKernels = (): number => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const expected = short().toArray();
  idle();
  expect(short().toArray()).toEqual(expected);
  expect(finalKernels()).toBe(0);
  idle();
  const made = finalKernels();
  expect(made).toBeGreaterThan(0);
  expect(short().toArray()).toEqual(expected);
  expect(finalKernels()).toBe(made);
});

it("nothing is compiled then if the option says so", () => {
  setOptions({ warm: false });
  const first = kernelsOf(long);
  for (let k = 0; k < 3; k++) {
    idle();
    expect(kernelsOf(long)).toBe(first);
  }
});

it("a page's idle callback says how much time is left", () => {
  const callbacks: ((deadline: { timeRemaining(): number }) => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (call: (typeof callbacks)[number]) => callbacks.push(call));
  const idleFor = (steps: number): void => {
    let left = steps;
    for (const call of callbacks.splice(0)) call({ timeRemaining: () => left-- });
  };
  idle();
  const first = kernelsOf(long);
  idleFor(10);
  kernelsOf(long);
  let frames = 0;
  while (callbacks.length > 0) {
    idleFor(2);
    frames++;
  }
  expect(frames).toBeGreaterThan(5);
  expect(kernelsOf(long)).toBeLessThan(first / 2);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("no idle here");
    },
  ],
  ["gives no deadline", (call: () => void) => void setTimeout(call, 1)],
])("does without a host's idle callback that %s", (_, requestIdleCallback) => {
  vi.stubGlobal("requestIdleCallback", requestIdleCallback);
  idle();
  const first = kernelsOf(long);
  for (let k = 0; k < 2; k++) {
    idle();
    kernelsOf(long);
  }
  expect(kernelsOf(long)).toBeLessThan(first / 2);
});

function* counted(steps: number): Steps<number> {
  for (let k = 0; k < steps; k++) yield;
  return steps;
}

it("any number of programs that come in turn are compiled", () => {
  const all = Array.from({ length: 6 }, () => new Sliced(() => counted(3), -1));
  for (const one of all) {
    expect(one.goOn(0)).toBeNull();
    idle();
  }
  for (const one of all) expect(one.goOn(0)).toEqual({ result: 3 });
});

it("so are more than are kept when they are done, beside their runs", () => {
  const all = Array.from({ length: 80 }, () => new Sliced(() => counted(3)));
  const left = new Set(all);
  for (let round = 0; round < 40 && left.size > 0; round++)
    for (const one of left) {
      tensor([1]).add(round).compute();
      if (one.goOn(0) !== null) left.delete(one);
      idle();
    }
  expect(left.size).toBe(0);
});

it("what fails while the host is idle is thrown when it is asked for", () => {
  let begun = 0;
  const sliced = new Sliced(function* (): Steps<never> {
    begun++;
    yield;
    throw new Error("broken");
  });
  for (let k = 1; k <= 2; k++) {
    expect(sliced.goOn(0)).toBeNull();
    tensor([k]).add(1).compute();
    idle();
    expect(() => sliced.goOn(0)).toThrow("broken");
    expect(begun).toBe(k);
  }
});

it("a program whose hash another one has is not taken for it", () => {
  const given: AnyTensor = linspace(0.1, 0.9, 64).compute();
  const chain = (...names: readonly ("sigmoid" | "square" | "exp" | "sin" | "cos")[]): AnyTensor =>
    names.reduce((y, name) => y[name](), given);
  const one = (): AnyTensor => chain("sigmoid", "square", "exp", "square", "sin", "sin");
  const other = (): AnyTensor => chain("exp", "cos", "exp", "sin", "cos", "sin");
  const expected = other().compute({ fusion: "none" }).toArray();
  for (let k = 0; k < 2; k++) {
    one().compute();
    idle();
  }
  for (let k = 0; k < 3; k++) {
    expect(other().toArray()).toEqual(expected);
    idle();
  }
});

/** What later computations need is kept, by cost, so that a loop that reads before it computes does each step once. */
import { type AnyTensor, arange, clearCaches, fromTypedArray, stats, zeros } from "fuseau";
import { afterEach, describe, expect, it, vi } from "vitest";

const stored = (...shape: number[]): AnyTensor =>
  fromTypedArray(
    Float32Array.from(
      { length: shape.reduce((count, size) => count * size, 1) },
      (_, k) => ((k * 37) % 97) / 97,
    ),
    { shape },
  );
const programs = (): number => stats().programs.misses;
const kernels = (): number => stats().runs.kernels;

afterEach(() => vi.restoreAllMocks());

/** One step of k-means: expensive, and much smaller than what it reads. */
function step(points: AnyTensor, centres: AnyTensor): AnyTensor {
  const distances = points.unsqueeze(1).sub(centres.unsqueeze(0)).square().sum(-1);
  const mine = distances
    .argmin(1)
    .unsqueeze(1)
    .eq(arange(centres.shape[0] as number))
    .to("float32");
  return mine.t().matmul(points).div(mine.sum(0).unsqueeze(1).add(1));
}

describe("a loop that reads a criterion before its state is computed", () => {
  it.each([
    ["writes in place", true],
    ["takes the new state", false],
  ])("%s: a few programs, and as many kernels in each late round", (_, inPlace) => {
    const points = stored(600, 4);
    clearCaches();
    let state = points.slice([0, 8]).clone().compute();
    let expected = points.slice([0, 8]).clone().compute();
    const before = programs();
    const runs: number[] = [];
    for (let round = 0; round < 20; round++) {
      const begin = kernels();
      const next = step(points, state);
      const moved = next.sub(state).square().sum().item() as number;
      if (inPlace) state.copy_(next);
      else state = next;
      runs.push(kernels() - begin);
      const exact = step(points, expected).compute();
      expect(moved).toBe(exact.sub(expected).square().sum().item());
      expected = exact;
    }
    expect(state.toArray()).toEqual(expected.toArray());
    expect(programs() - before).toBeLessThanOrEqual(12);
    expect(new Set(runs.slice(-10)).size).toBe(1);
  });
});

describe("two results of one forward pass", () => {
  it("one after the other: the second reads what the first kept", () => {
    const [x, w, v] = [stored(64, 96), stored(96, 64), stored(64, 8)];
    for (let round = 0; round < 3; round++) {
      const hidden = x.matmul(w).relu();
      const y = hidden.matmul(v);
      const [loss, gradient] = [y.square().sum(), hidden.t().matmul(y)];
      loss.compute();
      const { graph } = gradient.explain();
      expect(graph).not.toContain(`[64, 96, 64]`);
      expect(graph.split("\n").filter((line) => line.includes("= input()"))).toHaveLength(2);
      gradient.compute();
    }
  });
  it("recorded after the first was computed: learned from the first round", () => {
    const [x, w, v] = [stored(64, 80), stored(80, 64), stored(64, 8)];
    const inputs: number[] = [];
    for (let round = 0; round < 4; round++) {
      const hidden = x.matmul(w).relu();
      const y = hidden.matmul(v);
      y.square().sum().compute();
      const gradient = hidden.t().matmul(y);
      inputs.push(gradient.explain().graph.split("\n").length);
      gradient.compute();
    }
    expect(inputs.at(-1)).toBeLessThan(inputs[0] as number);
  });
  it("keeps nothing that is cheap to compute anew", () => {
    const x = stored(100, 100);
    const y = x.mul(2.5).add(1.5);
    y.sum().compute();
    expect(y.max().explain().graph).toContain("mul");
    y.max().compute();
    expect(y.min().explain().graph).toContain("mul");
  });
  it("keeps no state of a loop for the views that its rounds made of it", () => {
    const plate = stored(256, 256);
    let x = plate;
    for (let round = 0; round < 13; round++) {
      const [up, down] = [x.narrow(0, 0, 254), x.narrow(0, 2, 254)];
      const middle = x.narrow(0, 1, 254).mul(0.5);
      x = middle.add(up.add(down).mul(0.25)).sigmoid().pad([0, 0, 1, 1]);
    }
    // What it reads, what it writes, and a few of the thirteen states.
    expect(x.explain().bytes.peak).toBeLessThan(6 * 256 * 256 * 4);
  });
  it("keeps nothing of which a part was computed, until all of it has been", () => {
    const x = stored(40, 50);
    const y = x.exp().log().sin().cos().exp().log().sin();
    const reads = (): boolean => y.select(0, 3).sum().explain().graph.includes("exp");
    for (let row = 0; row < 20; row++) y.select(0, row).sum().compute();
    expect(reads()).toBe(true);
    for (let round = 0; round < 3; round++)
      for (let row = 0; row < 40; row++) y.select(0, row).sum().compute();
    y.sum().compute();
    expect(reads()).toBe(false);
  });
});

describe("a part of what is computed whole", () => {
  it.each([
    ["a sort", (x: AnyTensor) => x.sin().argsort()],
    ["a running sum", (x: AnyTensor) => x.sin().exp().log().cos().exp().log().cumsum(0)],
  ])("of %s is all of it: the second part reads what is kept", (_, make) => {
    const whole = make(arange(5000, { dtype: "float32" }).compute());
    for (let k = 1; k < 4; k++)
      whole
        .slice([20 * k, 20 * k + 20])
        .sum()
        .compute();
    expect(whole.slice([80, 100]).sum().explain().graph).not.toContain("sin");
  });
});

describe("a recording that grows from one computation to the next", () => {
  it("is cut where it is expensive, and where it is not, and says so once with the line", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    clearCaches();
    let x: AnyTensor = stored(300_000).compute();
    const before = programs();
    let lengths = 0;
    for (let round = 0; round < 60; round++) {
      x = x.add(0.25);
      const sum = x.sum();
      lengths = Math.max(lengths, sum.explain().graph.split("\n").length);
      sum.item();
    }
    expect(lengths).toBeLessThan(40);
    expect(programs() - before).toBeLessThan(40);
    expect(x.slice(0).item()).toBe(15);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toMatch(/growth\.test\.ts:\d+:\d+ reads what was recorded/);
  });
  it("is cut though it costs nothing at all", () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    let x: AnyTensor = stored(20, 20).compute();
    const first = x.toArray();
    const before = programs();
    for (let round = 0; round < 60; round++) {
      x = x.t().reshape([400]).reshape([20, 20]);
      x.sum().item();
    }
    expect(programs() - before).toBeLessThan(40);
    expect(x.toArray()).toEqual(first);
  });
  it.each([
    ["all of it is read", 10],
    ["a part of it is read", 1],
  ])("is cut at a small state that is cheap, without a word: %s", (_, read) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    clearCaches();
    const x = stored(100, 10);
    const state = zeros([10]);
    const before = programs();
    let exact = 0;
    for (let round = 0; round < 60; round++) {
      state.mul_(0.5).add_(round + 4);
      exact = exact * 0.5 + round + 4;
      const sum = x
        .select(0, round)
        .mul(0)
        .add(state.slice([0, read]))
        .sum();
      expect(sum.item()).toBeCloseTo(10 * exact, 3);
    }
    expect(programs() - before).toBeLessThan(15);
    expect(warn).not.toHaveBeenCalled();
  });
  it("is cut though only parts of a large state are read", () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    clearCaches();
    let state: AnyTensor = zeros([100_000]);
    const before = programs();
    for (let round = 0; round < 60; round++) {
      state = state.mul(0.5).add(round + 4);
      state.slice([5, 25]).sum().item();
    }
    expect(programs() - before).toBeLessThan(40);
  });
  it("through views of what is written in place never grows", () => {
    const x = zeros([12, 5]).reshape([60]).reshape([12, 5]);
    const before = programs();
    for (let k = 1; k < 40; k++) {
      x.select(0, 1 + ((k * 7) % 11)).add_(k + 0.5);
      x.sum().item();
    }
    expect(programs() - before).toBeLessThanOrEqual(5);
  });
});

describe("long histories", () => {
  it("of views of views are walked without recursion", () => {
    let x: AnyTensor = arange(10).compute();
    for (let k = 0; k < 20_000; k++) x = x.unsqueeze(0).squeeze(0);
    const y = x.add(1);
    x.add_(1);
    expect([x.sum().item(), y.sum().item()]).toEqual([55, 55]);
  });
  it("of reshapes", () => {
    let x: AnyTensor = arange(12).compute();
    for (let k = 0; k < 20_000; k++) x = x.reshape(k % 2 === 0 ? [3, 4] : [12]);
    expect(x.sum().item()).toBe(66);
  });
});

it("says where a base was disposed of that something recorded still reads", () => {
  const base = stored(4).add(1).compute();
  const reader = base.slice([1, 3]).mul(2);
  base.dispose();
  expect(() => reader.toArray()).toThrow(/given back by dispose\(\) at .*growth\.test\.ts:\d+:\d+/);
});

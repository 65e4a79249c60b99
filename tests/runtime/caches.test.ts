import { type AnyTensor, clearCaches, fromTypedArray, setOptions, stats, type Tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(
    Float32Array.from({ length: shape.reduce((count, size) => count * size, 1) }, (_, k) => k % 97),
    { shape },
  );

afterEach(() => setOptions({ programCacheLimit: undefined, kernelCacheLimit: undefined }));

/** Programs compiled and functions generated meanwhile. */
function compiled(work: () => void): { programs: number; kernels: number } {
  const before = stats();
  work();
  const after = stats();
  return {
    programs: after.programs.misses - before.programs.misses,
    kernels: after.kernels.misses - before.kernels.misses,
  };
}

describe("the program cache", () => {
  const x = stored(30, 40);
  it("knows an expression that is recorded again", () => {
    const expression = (): AnyTensor => x.mul(7.25).add(x.t().sum(1)).sin();
    expression().compute();
    const before = stats().programs.hits;
    expect(compiled(() => expression().compute())).toEqual({ programs: 0, kernels: 0 });
    expect(stats().programs.hits).toBe(before + 1);
  });
  it("knows it over other elements", () => {
    const y = stored(30, 40).add(1).compute();
    x.cos().add(12.5).compute();
    expect(compiled(() => y.cos().add(12.5).compute())).toEqual({ programs: 0, kernels: 0 });
    expect(y.cos().add(12.5).sub(x.cos().add(12.5)).abs().sum().item()).toBeGreaterThan(1);
  });
  it("knows it with another number in it, and computes with that one", () => {
    const [row, other] = [stored(5), stored(5)];
    row.mul(0.1).compute();
    const y = other.mul(0.2);
    expect(compiled(() => y.compute())).toEqual({ programs: 0, kernels: 0 });
    expect(y.toArray()).toEqual([0, 1, 2, 3, 4].map((k) => Math.fround(k * Math.fround(0.2))));
  });
  it("keeps several numbers apart", () => {
    const row = stored(3);
    const expression = (a: number, b: number): AnyTensor => row.mul(a).add(b).mul(a);
    expression(0.1, 0.7).compute();
    const y = expression(10, 100);
    expect(compiled(() => y.compute()).programs).toBe(0);
    expect(y.toArray()).toEqual([1000, 1100, 1200]);
  });
  it("tells numbers that rules make something of from the rest", () => {
    const row = stored(3);
    expect([row.mul(4).toArray(), row.mul(1).toArray(), row.mul(0).toArray()]).toEqual([
      [0, 4, 8],
      [0, 1, 2],
      [0, 0, 0],
    ]);
    expect(Object.is(row.mul(-0).slice(1).item(), -0)).toBe(true);
  });
  it("distinguishes what differs in shape, dtype, attributes, or which operands are one", () => {
    const [a, b] = [stored(6, 4), stored(6, 4).add(1).compute()];
    const expressions = [
      a.sub(b),
      b.sub(a),
      a.sub(a),
      a.reshape([4, 6]).sub(b.reshape([4, 6])),
      a.sum(0),
      a.sum(1),
      a.slice([1]).neg(),
      a.slice([0, -1]).neg(),
      a.to("float64").sub(b.to("float64")),
    ];
    clearCaches();
    const results = expressions.map((expression) => expression.toArray());
    // a - b and b - a are one program, bound to the inputs in another order.
    expect(stats().programs.size).toBe(expressions.length - 1);
    expect(results[0]).not.toEqual(results[1]);
    expect(results[4]).toHaveLength(4);
    expect(results[5]).toHaveLength(6);
    expect(results[6]).not.toEqual(results[7]);
  });
});

describe("the kernel cache", () => {
  it("compiles at most 8 kernels for 1,000 shapes of one expression", () => {
    const expression = (height: number, width: number): AnyTensor => {
      const x = stored(height, width);
      return x.mul(x).add(stored(width)).div(stored(height, 1)).softmax(1);
    };
    clearCaches();
    const { programs, kernels } = compiled(() => {
      for (let k = 0; k < 1_000; k++) expression(17 + (k % 40), 17 + Math.floor(k / 40)).compute();
    });
    // Three of each width, and one for all heights of it.
    expect(programs).toBeLessThanOrEqual(4 * 25);
    expect(kernels).toBeLessThanOrEqual(8);
  });
  it("never takes a square's kernel for a rectangle's", () => {
    const transposedSum = (height: number, width: number): unknown =>
      stored(height, width).add(stored(width, height).t()).toArray();
    const expected = (height: number, width: number): unknown =>
      Array.from({ length: height }, (_, i) =>
        Array.from({ length: width }, (_, j) => ((i * width + j) % 97) + ((j * height + i) % 97)),
      );
    clearCaches();
    const { kernels } = compiled(() => {
      for (const [height, width] of [
        [40, 40],
        [40, 60],
        [60, 40],
        [61, 61],
      ] as const)
        expect(transposedSum(height, width)).toEqual(expected(height, width));
    });
    // One for all: sizes that happen to be equal are still parameters of their own.
    expect(kernels).toBe(1);
  });
});

describe("a cache that is limited to 64", () => {
  it("holds 64 after any workload, and still gives right results", () => {
    clearCaches();
    setOptions({ programCacheLimit: 64, kernelCacheLimit: 64 });
    const x = stored(3, 5);
    const results: unknown[] = [];
    // 300 expressions, each of another structure.
    for (let k = 0; k < 300; k++) {
      let y: AnyTensor = x;
      for (let bit = 0; bit < 9; bit++) y = (k >> bit) & 1 ? y.neg().abs() : y.add(y);
      results.push(y.sum().item());
    }
    const { programs, kernels } = stats();
    expect(programs).toMatchObject({ size: 64, limit: 64 });
    expect(kernels).toMatchObject({ size: 64, limit: 64 });
    expect(programs.evictions).toBeGreaterThanOrEqual(300 - 64);
    // The sum of all elements, doubled once for every bit that is not set.
    const total = (15 * 14) / 2;
    results.forEach((sum, k) => {
      const set = k.toString(2).replaceAll("0", "").length;
      expect(sum).toBe(total * 2 ** (9 - set));
    });
  });
  it("forgets what was used longest ago", () => {
    clearCaches();
    setOptions({ programCacheLimit: 2 });
    const x = stored(4);
    const used = (): void => void x.sin().compute();
    used();
    x.cos().compute();
    used();
    x.tan().compute();
    expect(compiled(used).programs).toBe(0);
    expect(compiled(() => x.cos().compute()).programs).toBe(1);
  });
  it("shrinks when the limit is set, and grows again", () => {
    const x = stored(4);
    clearCaches();
    for (let n = 1; n <= 10; n++) {
      let y: AnyTensor = x;
      for (let k = 0; k < n; k++) y = y.sin();
      y.compute();
    }
    expect(stats().programs.size).toBe(10);
    setOptions({ programCacheLimit: 3 });
    expect(stats().programs.size).toBe(3);
    setOptions({ programCacheLimit: 0 });
    expect(x.exp().add(1.5).toArray()).toHaveLength(4);
    expect(stats().programs.size).toBe(0);
  });
});

describe("clearCaches", () => {
  beforeEach(() => setOptions({ emitter: "js" }));
  afterEach(() => setOptions({ emitter: undefined }));
  it("forgets programs and kernels and the pool, not results", () => {
    const kept = stored(100, 100).exp().compute();
    const first = kept.slice(0, [0, 3]).toArray();
    stored(100, 100).sin().compute().dispose();
    expect(stats().pool.bytes).toBeGreaterThan(0);
    clearCaches();
    expect(stats().programs.size).toBe(0);
    expect(stats().kernels.size).toBe(0);
    expect(stats().pool.bytes).toBe(0);
    expect(kept.slice(0, [0, 3]).toArray()).toEqual(first);
    expect(compiled(() => stored(100, 100).exp().compute())).toEqual({ programs: 1, kernels: 1 });
  });
});

import {
  type AnyTensor,
  compute,
  concat,
  fromTypedArray,
  full,
  ones,
  stats,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(
    Float32Array.from({ length: shape.reduce((count, size) => count * size, 1) }, (_, k) => k),
    { shape },
  );

/** How many kernels run meanwhile. */
function kernelsRun(work: () => void): number {
  const before = stats().runs.kernels;
  work();
  return stats().runs.kernels - before;
}

describe("nothing runs until it is asked for", () => {
  it("recording runs nothing, and neither does explaining", () => {
    expect(
      kernelsRun(() => {
        stored(8).exp().sum().explain();
      }),
    ).toBe(0);
  });
  it.each<[string, (x: AnyTensor) => unknown]>([
    ["compute", (x) => x.compute()],
    ["toArray", (x) => x.toArray()],
    ["toTypedArray", (x) => x.toTypedArray()],
    ["printing", (x) => String(x)],
  ])("%s runs it once, and keeps the result", (_, read) => {
    const x = stored(8).exp();
    expect(kernelsRun(() => read(x))).toBe(1);
    expect(
      kernelsRun(() => {
        read(x);
        x.compute();
        x.toArray();
        String(x);
      }),
    ).toBe(0);
  });
  it("item runs it once too", () => {
    const x = stored(8).sum();
    expect(kernelsRun(() => expect(x.item()).toBe(28))).toBe(1);
    expect(kernelsRun(() => expect(x.item()).toBe(28))).toBe(0);
  });
  it("compute gives the tensor itself", () => {
    const x = stored(8).exp();
    expect(x.compute()).toBe(x);
  });
});

describe("a computed tensor", () => {
  it("is read by what is recorded on it, not computed again", () => {
    const e = stored(8).exp().compute();
    const { kernels } = e.add(1).explain();
    expect(kernels.map(({ ops }) => ops)).toEqual([["add"]]);
  });
  it("is read by what was recorded on it before", () => {
    const e = stored(8).exp();
    const later = e.add(1);
    e.compute();
    expect(later.explain().kernels.map(({ ops }) => ops)).toEqual([["add"]]);
  });
  it("stays as it is through all later work", () => {
    // Larger than what the pool leaves to the engine's nursery, so that arrays are used again.
    const x = stored(100, 100);
    const kept = x.add(1).compute();
    const rows = kept.toArray();
    for (let k = 0; k < 20; k++) {
      const work = x.mul(k).exp();
      compute(work.add(work.t()), x.sub(k));
      work.dispose();
    }
    expect(kept.toArray()).toEqual(rows);
    expect(kept.add(0).toArray()).toEqual(rows);
  });
  it("hands out copies: who writes into one writes into nothing else", () => {
    const x = stored(3).add(1).compute();
    x.toTypedArray().fill(99);
    expect(x.toArray()).toEqual([1, 2, 3]);
  });
});

describe("compute of several tensors", () => {
  it("does what they share once, in one program", () => {
    const x = stored(50, 8);
    const e = x.exp();
    const [a, b, c] = [e.add(1), e.mul(2), e.sub(3)] as const;
    const before = stats().runs;
    compute(a, b, c, { emitter: "js" });
    expect(stats().runs).toEqual({ programs: before.programs + 1, kernels: before.kernels + 1 });
    expect(kernelsRun(() => [a, b, c].map((t) => t.toArray()))).toBe(0);
    const expected = (f: (y: number) => number): number[] =>
      Array.from({ length: 8 }, (_, k) => Math.fround(f(Math.fround(Math.exp(k)))));
    expect(a.slice(0).toArray()).toEqual(expected((y) => y + 1));
    expect(b.slice(0).toArray()).toEqual(expected((y) => y * 2));
    expect(c.slice(0).toArray()).toEqual(expected((y) => y - 3));
  });
  it("takes the same tensor twice, a computed one and two of the same expression", () => {
    const x = stored(4);
    const [a, b] = [x.add(1), x.add(1)];
    compute(a, a, b, x);
    expect([a, b, x].map((t) => t.toArray())).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [0, 1, 2, 3],
    ]);
    a.dispose();
    expect(b.toArray()).toEqual([1, 2, 3, 4]);
  });
  it("computes one that stands beneath another", () => {
    const x = stored(4);
    const below = x.add(1);
    const above = below.mul(2);
    compute(above, below);
    expect(above.toArray()).toEqual([2, 4, 6, 8]);
    expect(below.toArray()).toEqual([1, 2, 3, 4]);
  });
  it("agrees with the eager path bit for bit", () => {
    const x = stored(30, 20).div(7);
    const fused = [x.softmax(1), x.var(0), x.cos().sum()];
    const eager = [x.softmax(1), x.var(0), x.cos().sum()];
    // Together they are large enough for WebAssembly, alone they are not.
    compute(...fused, { emitter: "js" });
    for (const t of eager) t.compute({ fusion: "none", emitter: "js" });
    expect(fused.map((t) => t.toArray())).toEqual(eager.map((t) => t.toArray()));
  });
});

describe("odd tensors", () => {
  it("0-d", () => {
    const x = tensor(3);
    expect(x.shape).toEqual([]);
    expect(x.add(1).item()).toBe(4);
    expect(x.add(1).toArray()).toBe(4);
    expect(x.sum().item()).toBe(3);
  });
  it("empty, where nothing runs and folds give what they start from", () => {
    const x = zeros([0, 3]);
    expect(x.exp().toArray()).toEqual([]);
    expect(x.sum(0).toArray()).toEqual([0, 0, 0]);
    expect(x.sum().item()).toBe(0);
    expect(x.mean().item()).toBeNaN();
    expect(x.t().toArray()).toEqual([[], [], []]);
    expect(concat([x, ones([1, 3])]).toArray()).toEqual([[1, 1, 1]]);
    expect(x.toTypedArray()).toEqual(new Float32Array(0));
  });
  it("a result that is an input as it is shares its memory", () => {
    const x = stored(20_000);
    const y = x.mul(1);
    expect(kernelsRun(() => y.compute())).toBe(0);
    expect(y.slice([0, 3]).toArray()).toEqual([0, 1, 2]);
    x.dispose();
    expect(y.slice([0, 3]).toArray()).toEqual([0, 1, 2]);
  });
  it("two results that are one input", () => {
    const x = stored(3);
    const [y, z] = [x.mul(1), x.neg().neg()];
    compute(y, z);
    expect([y.toArray(), z.toArray()]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });
  it("a constant everywhere", () => {
    expect(full([2, 2], 7).toArray()).toEqual([
      [7, 7],
      [7, 7],
    ]);
  });
});

describe("a chain of 100,000 ops", () => {
  it("is computed in bounded stack", () => {
    const x = stored(4);
    let chain: AnyTensor = x;
    for (let k = 0; k < 33_334; k++) chain = chain.add(1).mul(1.5).sub(chain);
    chain.compute();
    expect(chain.shape).toEqual([4]);
  });
  it("gives what the ops one after another give", () => {
    let chain: AnyTensor = stored(4);
    let expected = [0, 1, 2, 3];
    for (let k = 0; k < 50_000; k++) {
      chain = chain.mul(0.75).add(k);
      expected = expected.map((x) => Math.fround(Math.fround(x * 0.75) + k));
    }
    expect(chain.toArray()).toEqual(expected);
  });
  it("that fans out and in again is walked once", () => {
    let x: AnyTensor = stored(4);
    for (let k = 0; k < 60; k++) x = x.add(x).mul(0.5);
    expect(x.toArray()).toEqual([0, 1, 2, 3]);
  });
});
